import { PLANS, type Rights, type Tier, tierShape } from '../../contract/plans.ts'
import { announceChange } from '../db/changes.ts'
import type { Queryable } from '../db/connect.ts'
import * as store from './store.ts'

/** The tier of that plan name. A name that this build does not know, such as a newer server's, counts as free. */
export const tierOf = (plan: string | null): Tier => tierShape.safeParse(plan).data ?? 'free'

/** A row of `plan_rights`, as PostgreSQL writes it in JSON. */
export interface PlanRow {
  plan: string
  can_send: boolean
  can_call: boolean
  can_share_files: boolean
  has_family: boolean
}

/** The rights of a row; those of the free plan without a row. */
export const rightsOf = (row: PlanRow | null): Rights =>
  row ? { send: row.can_send, call: row.can_call, shareFiles: row.can_share_files, family: row.has_family } : PLANS.free.rights

/** The account's effective tier at that time: the plan that it was given, until the end date, then free. */
export async function effectiveTier(db: Queryable, userId: string, now: Date): Promise<Tier> {
  return tierOf(await store.findPlan(db, userId, now))
}

interface AccountPlan {
  username: string
  isAdmin: boolean
  isActive: boolean
  /** The effective tier. */
  tier: Tier
  /** The plan that the account was given, which differs from `tier` after its end date. */
  given: string
  /** Instant from which on the account is free; null if there is none. */
  endDate: Date | null
}

/** Lists all accounts with their plans, ordered by username. */
export async function listAccountPlans(db: Queryable, now: Date): Promise<AccountPlan[]> {
  const rows = await store.listPlans(db, now)
  return rows.map(({ plan, ...row }) => ({ ...row, tier: tierOf(plan) }))
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
 * Sets an account's plan from now on, which replaces the current plan and its dates, and announces the change. Runs inside the
 * caller's transaction. Returns the username in its original case. Throws PlanError.
 */
export async function setTier(tx: Queryable, now: Date, { username, tier: typed, endDate }: Grant): Promise<string> {
  const tier = tierShape.safeParse(typed).data
  if (!tier) throw new PlanError(`There is no plan "${typed}". The plans are ${tierShape.options.join(', ')}`)
  const isPaid = PLANS[tier].rights.send
  if (!isPaid && endDate) throw new PlanError(`The plan ${tier} has no end date`)
  if (endDate && endDate <= now) throw new PlanError('The end date must lie ahead')
  const account = await store.saveSubscription(tx, username, {
    subscriptionTier: tier,
    subscriptionStatus: 'active',
    subscriptionStartDate: isPaid ? now : null,
    subscriptionEndDate: endDate ?? null,
  })
  if (!account) throw new PlanError(`Nobody is called ${username}`)
  await announceChange(tx, [account.userId], 'plan')
  return account.username
}
