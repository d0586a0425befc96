import { and, eq, or, sql } from 'drizzle-orm'
import type { Queryable } from '../db/connect.ts'
import { contacts } from '../db/schema/contacts.ts'

/** What each of the two has on the list about the other: at most two rows. */
export async function findPair(db: Queryable, a: string, b: string) {
  return await db
    .select({ userId: contacts.userId, state: contacts.state, isBlocked: contacts.isBlocked })
    .from(contacts)
    .where(
      or(and(eq(contacts.userId, a), eq(contacts.contactUserId, b)), and(eq(contacts.userId, b), eq(contacts.contactUserId, a))),
    )
}

export async function findAcceptors(db: Queryable, userId: string) {
  return await db
    .select({ userId: contacts.userId })
    .from(contacts)
    .where(and(eq(contacts.contactUserId, userId), eq(contacts.state, 'accepted'), eq(contacts.isBlocked, false)))
}

/** Of each of these people the contacts that are accepted on both sides, and blocked on none. */
export async function findMutual(db: Queryable, userIds: string[]) {
  const { rows } = await db.execute<{ userId: string; others: string[] }>(sql`
    select mine.user_id::text as "userId", array_agg(mine.contact_user_id::text) as others
    from contacts mine
    join contacts theirs on theirs.user_id = mine.contact_user_id and theirs.contact_user_id = mine.user_id
    where mine.user_id = any(${sql.param(userIds)}::uuid[]) and mine.state = 'accepted' and theirs.state = 'accepted'
      and not mine.is_blocked and not theirs.is_blocked
    group by mine.user_id`)
  return rows
}
