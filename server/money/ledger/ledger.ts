import { randomUUID } from 'node:crypto'
import { limitsOf } from '../../../contract/money/offerLimits.ts'
import { PLAN_LIMITS } from '../../../contract/money/planlimits.ts'
import { PLANS, type Tier, tierShape } from '../../../contract/money/plans.ts'
import type { Env } from '../../env.ts'
import { announceChange } from '../../ground/db/changes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { EARLY_MS, type Entry, monthsAfter, type Standing, standingAt } from './standing.ts'
import * as store from './store.ts'

const AT_ONCE = 100
const FIRST = '00000000-0000-0000-0000-000000000000'
/** How far a server looks back at its start: more than the longest period. */
const BEGUN_BEFORE_MS = 400 * 24 * 60 * 60_000

/** What was paid for a period of a plan. */
export interface PaidPeriod {
  /** Names what was paid, such as `card:in_123` or `coin:bitcoin:<txid>:0`. The same key is credited once. */
  key: string
  userId: string
  source: 'card' | 'coin'
  /** Names where a card payment was taken. */
  providerId?: number
  tier: Tier
  /** The package that was bought; null for a built-in plan. */
  packageId: string | null
  billingPeriod: 'monthly' | 'yearly'
  /** The price in US cents. */
  amountCents: number
  /** How much of the price is tax; absent where none was computed. */
  taxCents?: number
  /** For a coin: which, and how much of its smallest unit. */
  coin?: { currency: 'bitcoin' | 'ethereum' | 'usdc'; units: bigint }
  /** What the provider or the chain calls it. */
  reference?: string
  /**
   * The period, where the provider says it. Without it one month, or twelve, that begin when what the account has of this very plan
   * ends, or now.
   */
  period?: { startsAt: Date; endsAt: Date }
}

/**
 * Credits a period that is paid, exactly once for its key, however often and from wherever it is called at the same time. Runs inside
 * the caller's transaction, takes the lock of the account's row, and announces a changed plan. Returns the period that is credited,
 * and false for `isNew` if it was before. A deleted account keeps the entry and gets nothing.
 */
export async function creditPeriod(
  tx: Queryable,
  now: Date,
  { coin, period, reference, ...paid }: PaidPeriod,
): Promise<{ isNew: boolean; startsAt: Date; endsAt: Date | null }> {
  await store.lockAccount(tx, paid.userId)
  const { startsAt, endsAt } = period ?? periodAfter(await paidStanding(tx, paid.userId, now), now, paid)
  const entry = {
    ...paid,
    ...{ kind: 'payment' as const, startsAt, endsAt, createdAt: now, reference: reference ?? null },
    ...{ coin: coin?.currency ?? null, coinUnits: coin?.units.toString() ?? null },
  }
  const isNew = await store.insertEntry(tx, entry)
  if (isNew) await refreshStanding(tx, paid.userId, now)
  const written = isNew ? undefined : await store.findEntry(tx, paid.key)
  return { isNew, startsAt: written?.startsAt ?? startsAt, endsAt: written ? written.endsAt : endsAt }
}

/** Returns true if a payment for this plan would give it from the beginning to the end of its period. */
export async function gives(
  db: Queryable,
  now: Date,
  plan: Pick<PaidPeriod, 'userId' | 'tier' | 'packageId' | 'billingPeriod'>,
): Promise<boolean> {
  const entries = await store.listEntries(db, [plan.userId])
  const { startsAt, endsAt } = periodAfter(standingAt(entries, now), now, plan)
  const { tier, packageId } = plan
  const paid = {
    ...{ key: '', kind: 'payment' as const, source: 'coin' as const, tier, packageId },
    limits: (await store.findLimits(db, plan)) ?? limitsOf(tier),
    amountCents: 0,
    refersTo: null,
  }
  const has = (of: readonly Entry[], at: Date) => {
    const standing = standingAt(of, at)
    return standing.tier === tier && standing.packageId === packageId
  }
  const [withIt, last] = [[...entries, { ...paid, startsAt, endsAt }], new Date(endsAt.getTime() - 1)]
  return has(withIt, startsAt) && has(withIt, last) && !has(entries, last)
}

/** One month, or twelve, that begin when this very plan ends, or now. */
function periodAfter(
  standing: Standing,
  now: Date,
  { tier, packageId, billingPeriod }: Pick<PaidPeriod, 'tier' | 'packageId' | 'billingPeriod'>,
): { startsAt: Date; endsAt: Date } {
  const isSame = standing.tier === tier && standing.packageId === packageId
  const startsAt = (isSame && standing.endDate) || now
  return { startsAt, endsAt: monthsAfter(startsAt, billingPeriod === 'yearly' ? 12 : 1) }
}

/** Writes that an amount is due for a period, once for its key. It gives nothing. Runs inside the caller’s transaction. */
export async function writeInvoice(
  tx: Queryable,
  now: Date,
  { startsAt, endsAt, ...due }: Omit<PaidPeriod, 'coin' | 'reference' | 'period'> & { startsAt: Date; endsAt: Date },
): Promise<void> {
  await store.lockAccount(tx, due.userId)
  await store.insertEntry(tx, { ...due, kind: 'invoice', startsAt, endsAt, createdAt: now })
}

interface PaidBack {
  /** Names the refund or the dispute, such as `card:re_123`. The same key is written once. */
  key: string
  /** The key of the payment. */
  refersTo: string
  /** The whole payment without it. */
  amountCents?: number
  reference?: string
}

/**
 * Writes that a payment was paid back, in whole or in part, or disputed, or that either was undone, exactly once for its key. The period
 * ends once the whole amount is back, or with a dispute, and goes on once that is undone. Runs inside the caller's transaction. Returns
 * false if the key was written before, or there is no such payment.
 */
export async function writeReturn(
  tx: Queryable,
  now: Date,
  kind: 'refund' | 'refund_failed' | 'dispute' | 'dispute_won',
  { key, refersTo, reference, ...paidBack }: PaidBack,
): Promise<boolean> {
  const payment = await store.findEntry(tx, refersTo)
  if (payment?.kind !== 'payment') return false
  const { userId, source, providerId, tier, packageId, coin } = payment
  const amountCents = paidBack.amountCents ?? payment.amountCents
  await store.lockAccount(tx, userId)
  const taxCents = await store.shareTax(tx, payment, kind === 'refund' || kind === 'dispute' ? amountCents : -amountCents)
  const isNew = await store.insertEntry(tx, {
    ...{ key, kind, refersTo, userId, source, providerId, tier, packageId, coin, amountCents, taxCents },
    ...{ startsAt: now, createdAt: now, reference: reference ?? null },
  })
  if (isNew) await refreshStanding(tx, userId, now)
  return isNew
}

/** The plan cannot be set; the message says why. */
export class PlanError extends Error {}

interface Grant {
  username: string
  /** The tier as typed. */
  tier: string
  /** Instant from which on the account is free; undefined if there is none. */
  endDate: Date | undefined
}

/**
 * Gives an account a plan from now on, which replaces what was given before, with its dates, and announces the change. Runs inside the caller's
 * transaction. Returns the username in its original case. Throws PlanError.
 */
export async function setTier(tx: Queryable, now: Date, grant: Grant): Promise<string> {
  const { userId, username, tier } = await checkGrant(tx, now, grant)
  await grantTier(tx, now, { userId, tier, endDate: grant.endDate })
  return username
}

/** Returns whom the grant is for and what it gives. Throws PlanError where it cannot be given. */
export async function checkGrant(
  db: Queryable,
  now: Date,
  { username, tier: typed, endDate }: Grant,
): Promise<{ userId: string; username: string; tier: Tier }> {
  const tier = tierShape.safeParse(typed).data
  if (!tier) throw new PlanError(`There is no plan "${typed}". The plans are ${tierShape.options.join(', ')}`)
  if (!PLANS[tier].rights.send && endDate) throw new PlanError(`The plan ${tier} has no end date`)
  if (endDate && endDate <= now) throw new PlanError('The end date must lie ahead')
  const account = await store.findByUsername(db, username)
  if (!account) throw new PlanError(`Nobody is called ${username}`)
  return { ...account, tier }
}

/** Like `setTier`, for the account with that id. */
export async function grantTier(
  tx: Queryable,
  now: Date,
  { userId, tier, endDate }: { userId: string; tier: Tier; endDate?: Date | undefined },
): Promise<void> {
  await store.lockAccount(tx, userId)
  await store.insertEntry(tx, {
    ...{ key: `grant:${randomUUID()}`, kind: 'grant', source: 'operator', userId, tier, amountCents: 0 },
    ...{ startsAt: now, endsAt: endDate ?? null, createdAt: now },
  })
  await refreshStanding(tx, userId, now)
}

/** Days by which a card subscription outlasts its paid period. */
export const graceOf = (renews = false): number => (renews ? PLAN_LIMITS.graceDays : 0)

/** Writes what the ledger says onto the account's row, and announces it if that changes anything. */
export async function refreshStanding(tx: Queryable, userId: string, now: Date): Promise<void> {
  const account = await store.lockAccount(tx, userId)
  if (!account) return
  const [renewal] = await store.listRenewals(tx, [userId])
  const { tier, packageId, startDate, endDate } = standingAt(await store.listEntries(tx, [userId]), now, graceOf(renewal?.renews))
  const subscriptionStatus = renewal?.hasFailed && endDate ? 'past_due' : 'active'
  await store.saveStanding(tx, {
    ...{ id: userId, subscriptionTier: tier, subscriptionStatus, subscriptionPackageId: packageId },
    ...{ subscriptionStartDate: startDate, subscriptionEndDate: endDate },
  })
  await announceChange(tx, [userId, ...(await store.findFamily(tx, userId))], 'plan')
}

/** After it has changed whether card payments of these providers count. Runs inside the caller's transaction. */
export async function countAnew(tx: Queryable, now: Date, providerIds: number[]): Promise<void> {
  const payers = await store.findPayers(tx, providerIds)
  if (payers.length === 0) return
  await store.sumAnew(tx)
  for (const userId of payers) await refreshStanding(tx, userId, now)
}

/**
 * Ends plans, and gives what the account has beside them or has paid ahead; after a start also what an older version let a grant take.
 * A job that remembers how far it is; returns true if more are left.
 */
export function followPlans(): (env: Env) => Promise<boolean> {
  let begun: store.Ahead | undefined
  let lastBeside: string | undefined = FIRST
  return async (env) => {
    const now = env.clock()
    begun ??= { startsAt: new Date(now.getTime() - BEGUN_BEFORE_MS), place: 0 }
    const ended = await store.findEnded(env.db, now, AT_ONCE)
    const soon = new Date(now.getTime() + EARLY_MS)
    const ahead = await store.listBegun(env.db, begun, soon, AT_ONCE)
    const beside = lastBeside === undefined ? [] : await store.listPaidBeside(env.db, lastBeside, now, AT_ONCE)
    for (const userId of new Set([...ended, ...ahead.map((entry) => entry.userId), ...beside]))
      await env.db.transaction((tx) => refreshStanding(tx, userId, now))
    begun = ahead.at(-1) ?? begun
    lastBeside = beside.length === AT_ONCE ? beside.at(-1) : undefined
    return [ended, ahead, beside].some(({ length }) => length === AT_ONCE)
  }
}

/** Returns the plan that follows from what the account has paid, without days of grace. */
export async function paidStanding(db: Queryable, userId: string, now: Date): Promise<Standing> {
  return standingAt(await store.listEntries(db, [userId]), now)
}

/** Returns the plan that was given last, whatever counts beside it. */
export const givenTier = (db: Queryable, userId: string): Promise<string | undefined> => store.findGiven(db, userId)
