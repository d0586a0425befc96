import { PLANS, type Rights, type Tier, tierShape } from '../../../contract/money/plans.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import * as store from './store.ts'

/** The tier of that name. A name that this build does not know, such as a newer server's, counts as free. */
export const tierOf = (tier: string | null): Tier => tierShape.safeParse(tier).data ?? 'free'

/** A row of `plan_rights`, as PostgreSQL writes it in JSON. */
export interface PlanRow {
  /** Null in a row that an older server has written. */
  tier: string | null
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
  return tierOf(await store.findTier(db, userId, now))
}

interface AccountPlan {
  username: string
  isAdmin: boolean
  isActive: boolean
  /** The effective tier. */
  tier: Tier
  /** The tier that the account was given, which differs from `tier` after its end date. */
  given: string
  /** Instant from which on the account is free; null if there is none. */
  endDate: Date | null
}

/** Lists all accounts with their plans, ordered by username. */
export async function listAccountPlans(db: Queryable, now: Date): Promise<AccountPlan[]> {
  const rows = await store.listPlans(db, now)
  return rows.map(({ tier, ...row }) => ({ ...row, tier: tierOf(tier) }))
}
