import type { z } from 'zod'
import type { AdminUser, adminApi } from '../../contract/admin/admin.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import type { Env } from '../env.ts'
import type { Queryable } from '../ground/db/connect.ts'
import { tierOf } from '../money/plans/plans.ts'
import { Refusal } from '../refuse.ts'
import * as store from './store.ts'

/** Says whether this server has an administrator: the first one is made from the command line. */
export const hasAdministrator = (db: Queryable): Promise<boolean> => store.hasAdministrator(db)

/** Lists a page of the accounts that fit, and how many there are. */
export async function listUsers(env: Env, { page, ...filter }: z.output<typeof adminApi.users.input>) {
  const now = env.clock()
  const place = { limit: LIMITS.adminPage, offset: (page - 1) * LIMITS.adminPage }
  const [rows, total] = await Promise.all([
    store.findUsers(env.db, { ...filter, ...place, now }),
    store.countUsers(env.db, { ...filter, now }),
  ])
  return { users: rows.map(shown), total }
}

/** Returns the account as administrators see it. Throws Refusal. */
export async function shownUser(db: Queryable, id: string, now: Date): Promise<AdminUser> {
  const [row] = await store.findUsers(db, { id, now, search: '', sort: 'joined', limit: 1, offset: 0 })
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
