import { PLANS, type Rights, type Tier, tierShape } from '../../contract/plans.ts'
import { announceChange } from '../db/changes.ts'
import type { Queryable } from '../db/connect.ts'
import * as store from './store.ts'

/** The tier behind the name of a plan. One that this build does not know, such as a newer server's, counts as free. */
export const tierOf = (plan: string | null): Tier => tierShape.safeParse(plan).data ?? 'free'

/** A row of `plan_rights`, as PostgreSQL writes it in JSON. */
export interface PlanRow {
  plan: string
  can_send: boolean
  can_call: boolean
  can_share_files: boolean
  has_family: boolean
}

/** What the row allows; without one, what the free plan allows. */
export const rightsOf = (row: PlanRow | null): Rights =>
  row ? { send: row.can_send, call: row.can_call, shareFiles: row.can_share_files, family: row.has_family } : PLANS.free.rights

/** The plan that counts for an account at that time: what it was given, until its end date. */
export async function effectiveTier(db: Queryable, userId: string, now: Date): Promise<Tier> {
  return tierOf(await store.findPlan(db, userId, now))
}

interface AccountPlan {
  username: string
  isAdmin: boolean
  isActive: boolean
  /** The plan that counts. */
  tier: Tier
  /** The plan that the account was given; another one than `tier` once it has ended. */
  given: string
  /** From this instant on the account is free; null: never. */
  endDate: Date | null
}

/** Every account and its plan, by name. */
export async function listAccountPlans(db: Queryable, now: Date): Promise<AccountPlan[]> {
  const rows = await store.listPlans(db, now)
  return rows.map(({ plan, ...row }) => ({ ...row, tier: tierOf(plan) }))
}

/** A plan that cannot be set like this; the message says why. */
export class PlanError extends Error {}

interface Grant {
  username: string
  /** As typed. */
  tier: string
  /** From this instant on the account is free; undefined: never. */
  endDate: Date | undefined
}

/**
 * Gives an account a plan from now on, in place of the one that it has with its dates, and announces it; inside the caller's
 * transaction. Answers the account's name as it is written. Throws PlanError.
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
