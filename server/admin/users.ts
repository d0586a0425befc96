import type { z } from 'zod'
import type { AdminUser, adminApi } from '../../contract/admin/admin.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import type { Env } from '../env.ts'
import type { Queryable } from '../ground/db/connect.ts'
import { tierOf } from '../money/plans/plans.ts'
import { Refusal } from '../refuse.ts'
import * as store from './store.ts'
import { countPlans } from './store-figures.ts'

/** Says whether this server has an administrator: the first one is made from the command line. */
export const hasAdministrator = (db: Queryable): Promise<boolean> => store.hasAdministrator(db)

/** Lists a page of the accounts that fit, and how many there are. */
export async function listUsers(env: Env, { page, sort, ...rest }: z.output<typeof adminApi.users.input>) {
  const filter = { ...rest, now: env.clock() }
  const total = await countUsers(env, filter)
  const rows = await store.findUsers(env.db, { ...filter, sort, ...placeOf(page, total) })
  return { users: rows.map(shown), total }
}

type Filter = Parameters<typeof store.countUsers>[1]

async function countUsers(env: Env, filter: Filter): Promise<number> {
  const { search, state, tier, now } = filter
  if (search !== '' || state === 'inactive' || state === 'admin') return await store.countUsers(env.db, filter)
  const plans = await countPlans(env.db, now)
  const all = plans
    .filter((plan) => tier === undefined || (plan.tier ?? tierOf(null)) === tier)
    .reduce((sum, { people }) => sum + people, 0)
  return state === 'active' ? Math.max(0, all - (await store.countUsers(env.db, { ...filter, state: 'inactive' }))) : all
}

/** From the nearer end, because all that is left out is read. */
function placeOf(page: number, total: number) {
  const offset = (page - 1) * LIMITS.adminPage
  const limit = Math.min(LIMITS.adminPage, Math.max(0, total - offset))
  const left = Math.max(0, total - offset - limit)
  return left < offset ? { limit, offset: left, isFromEnd: true } : { limit, offset, isFromEnd: false }
}

/** Returns the account as administrators see it. Throws Refusal. */
export async function shownUser(db: Queryable, id: string, now: Date): Promise<AdminUser> {
  const [row] = await store.findUsers(db, { id, now, search: '', sort: 'joined', limit: 1, offset: 0, isFromEnd: false })
  if (!row) throw new Refusal('user_not_found')
  return shown(row)
}

const shown = ({ tier, createdAt, lastSeen, ...row }: store.ListedUser): AdminUser => ({
  ...row,
  subscriptionTier: tierOf(tier),
  createdAt: createdAt.toISOString(),
  lastSeen: lastSeen && dayOf(lastSeen),
})

/** The day alone: when somebody was here to the minute is for their contacts, if they wish. */
const dayOf = (time: Date): string => `${time.toISOString().slice(0, 10)}T00:00:00.000Z`
