import { and, asc, type Column, desc, eq, gt, inArray, isNull, ne, type SQL, sql } from 'drizzle-orm'
import type { USER_SORTS } from '../../contract/admin/admin.ts'
import type { Tier } from '../../contract/money/plans.ts'
import type { Queryable } from '../ground/db/connect.ts'
import { users } from '../ground/db/schema/account.ts'
import { fileUsage } from '../ground/db/schema/files.ts'
import { listedUsers as listed } from '../ground/db/schema/listedusers.ts'
import { monthlyUsage } from '../ground/db/schema/payments.ts'
import { presence } from '../ground/db/schema/presence.ts'
import { chatParticipants } from '../ground/db/schema/rooms.ts'
import { tierOf } from '../money/plans/plans.ts'

/** The lists of administrators read `listed_users` and `presence`, and the rows of `users` for the page alone. */
interface Filter {
  search: string
  tier?: Tier | undefined
  state?: 'active' | 'inactive' | 'admin' | undefined
  now: Date
}

interface Place {
  sort: (typeof USER_SORTS)[number]
  limit: number
  offset: number
  isFromEnd: boolean
}

const tierAt = (now: Date, id: Column) => sql<string | null>`(select tier from rights_of(${id}, ${now}::timestamptz))`

/** Each forwards and backwards. */
const ORDER: Record<Place['sort'], [SQL[], SQL[]]> = {
  joined: [
    [desc(listed.createdAt), asc(listed.userId)],
    [asc(listed.createdAt), desc(listed.userId)],
  ],
  name: [[asc(listed.words)], [desc(listed.words)]],
  seen: [
    // By the day alone, as it is shown: who is online now would stand on top.
    [sql`${presence.seenOn} desc nulls last`, asc(presence.userId)],
    [sql`${presence.seenOn} nulls first`, desc(presence.userId)],
  ],
}

const STATES: Record<NonNullable<Filter['state']>, SQL> = {
  active: sql`${listed.isActive}`,
  inactive: sql`not ${listed.isActive}`,
  admin: sql`${listed.isAdmin}`,
}

/** Who is in a family circle has other rights than those of their own plan. */
const hasTier = (tier: Tier, now: Date) => {
  const plan = sql`case when ${listed.planEnds} <= ${now}::timestamptz then 'free' else ${listed.plan} end`
  const isUnknown = sql`${tierOf(null) === tier} and ${plan} not in (select plan from plan_rights where tier is not null)`
  const own = sql`${plan} in (select plan from plan_rights where tier = ${tier})`
  return sql`case when ${listed.isInFamily} then coalesce(${tierAt(now, listed.userId)}, ${tierOf(null)}) = ${tier} else ${own} or ${isUnknown} end`
}

const fits = ({ search, tier, state, now }: Filter) =>
  and(
    search === '' ? undefined : sql`strpos(${listed.words}, lower(${search})) > 0`,
    state && STATES[state],
    tier && hasTier(tier, now),
  )

/** Returns the ids of those that fit, in any order, but no more than `limit`. */
export const findIds = async (db: Queryable, filter: Filter, limit: number): Promise<string[]> => {
  const rows = await db.select({ id: listed.userId }).from(listed).where(fits(filter)).limit(limit)
  return rows.map(({ id }) => id)
}

/** Returns a page of these accounts, or of all that fit. */
export async function findUsers(db: Queryable, among: string[] | Filter, { sort, limit, offset, isFromEnd }: Place, now: Date) {
  const [order, backwards] = ORDER[sort]
  const id = sort === 'seen' ? presence.userId : listed.userId
  // PostgreSQL leaves out a left join of which nothing is asked.
  const from = sort === 'seen' ? sql`${presence} left join ${listed} on ${eq(listed.userId, presence.userId)}` : sql`${listed}`
  const page = sql`
    (select ${id} as id from ${from} where ${(Array.isArray(among) ? inArray(id, among) : fits(among)) ?? sql`true`}
    order by ${sql.join(isFromEnd ? backwards : order, sql`, `)} limit ${limit} offset ${offset}) page`
  return await db
    .select({
      ...{ id: users.id, username: users.username, displayName: users.displayName, profileImageUrl: users.profileImageUrl },
      ...{ isActive: users.isActive, isAdmin: users.isAdmin, createdAt: users.createdAt },
      tier: tierAt(now, users.id),
      seenOn: presence.seenOn,
    })
    .from(users)
    .innerJoin(page, sql`page.id = ${users.id}`)
    .innerJoin(listed, eq(listed.userId, users.id))
    .innerJoin(presence, eq(presence.userId, users.id))
    .orderBy(...order)
}
export type ListedUser = Awaited<ReturnType<typeof findUsers>>[number]

export const countUsers = (db: Queryable, filter: Filter): Promise<number> => db.$count(listed, fits(filter))

export interface UserRow {
  id: string
  username: string
  isAdmin: boolean
  isActive: boolean
  subscriptionEndDate: Date | null
}

/** Returns a living account, which nobody else changes until the transaction ends. */
export async function holdUser(tx: Queryable, id: string): Promise<UserRow | undefined> {
  const [row] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, id), isNull(users.deletedAt)))
    .for('no key update')
  return row
}

const isAdministratorRow = and(users.isAdmin, users.isActive, isNull(users.deletedAt))

/** True if the account is an administrator who can sign in. */
export const isAdministrator = async (tx: Queryable, id: string): Promise<boolean> =>
  (await tx.$count(users, and(eq(users.id, id), isAdministratorRow))) === 1

/** True if there is an administrator who can sign in. */
export const hasAdministrator = async (db: Queryable): Promise<boolean> => (await db.$count(users, isAdministratorRow)) > 0

/** True if there is an administrator who can sign in beside this one. */
export const hasAnotherAdministrator = async (tx: Queryable, id: string): Promise<boolean> =>
  (await tx.$count(users, and(ne(users.id, id), isAdministratorRow))) > 0

type Block = Pick<typeof users.$inferSelect, 'isActive' | 'deactivatedAt' | 'deactivatedBy'>

export async function setActive(tx: Queryable, id: string, block: Block): Promise<void> {
  await tx.update(users).set(block).where(eq(users.id, id))
}

export async function setAdmin(tx: Queryable, id: string, isAdmin: boolean): Promise<void> {
  await tx.update(users).set({ isAdmin }).where(eq(users.id, id))
}

/** Sets every counter of the account to 0, in this month: of what it sends, calls and, on the free plan, receives. */
export async function clearUsage(tx: Queryable, id: string, month: Date, now: Date): Promise<void> {
  await tx.update(users).set({ monthlyMessagesCount: 0, monthlySilentCount: 0, usageResetDate: month }).where(eq(users.id, id))
  await tx.update(fileUsage).set({ monthlyUploadedBytes: 0 }).where(eq(fileUsage.userId, id))
  const isOwn = eq(chatParticipants.userId, id)
  // In the order in which marks lock them.
  await tx
    .select({ roomId: chatParticipants.chatRoomId })
    .from(chatParticipants)
    .where(isOwn)
    .orderBy(chatParticipants.chatRoomId)
    .for('no key update')
  await tx
    .update(chatParticipants)
    .set({ receivedCount: 0 })
    .where(and(isOwn, gt(chatParticipants.receivedCount, 0)))
  const cleared = { month, voiceCallMinutes: 0, videoCallMinutes: 0, receivedSince: now }
  await tx
    .insert(monthlyUsage)
    .values({ userId: id, ...cleared })
    .onConflictDoUpdate({ target: monthlyUsage.userId, set: cleared })
}

/** Returns the account with that name in any case of letters; undefined for a deleted one. */
export async function findByName(tx: Queryable, username: string): Promise<UserRow | undefined> {
  const [row] = await tx
    .select({ id: users.id })
    .from(users)
    .where(and(eq(sql`lower(${users.username})`, username.toLowerCase()), isNull(users.deletedAt)))
  return row && (await holdUser(tx, row.id))
}
