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

/** Accounts that are sorted by themselves. More stand close enough in every order. */
const FEW = 1000

/** Lists a page of the accounts that fit, and how many there are. */
export async function listUsers({ db, clock }: Env, { page, sort, ...rest }: z.output<typeof adminApi.users.input>) {
  const now = clock()
  const filter = { ...rest, now }
  const isFiltered = rest.search !== '' || rest.state !== undefined || rest.tier !== undefined
  const found = isFiltered ? await store.findIds(db, filter, FEW + 1) : undefined
  const few = found && found.length <= FEW ? found : undefined
  const total = few?.length ?? (await countMany(db, filter))
  const rows = await store.findUsers(db, few ?? filter, { sort, ...placeOf(page, total) }, now)
  return { users: rows.map(shown), total }
}

type Filter = Parameters<typeof store.countUsers>[1]

async function countMany(db: Queryable, filter: Filter): Promise<number> {
  if (filter.search !== '' || filter.state !== undefined) return await store.countUsers(db, filter)
  const plans = await countPlans(db, filter.now)
  return plans
    .filter(({ tier }) => filter.tier === undefined || tierOf(tier) === filter.tier)
    .reduce((sum, { people }) => sum + people, 0)
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
  const [row] = await store.findUsers(db, [id], { sort: 'joined', limit: 1, offset: 0, isFromEnd: false }, now)
  if (!row) throw new Refusal('user_not_found')
  return shown(row)
}

/** The day alone: when somebody was here to the minute is for their contacts, if they wish. */
const shown = ({ tier, createdAt, seenOn, ...row }: store.ListedUser): AdminUser => ({
  ...row,
  subscriptionTier: tierOf(tier),
  createdAt: createdAt.toISOString(),
  lastSeen: seenOn && `${seenOn}T00:00:00.000Z`,
})
