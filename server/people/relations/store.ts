import { and, eq, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { contacts } from '../../ground/db/schema/contacts.ts'

/** The contact rows of two people about each other: at most two. */
export async function findPair(db: Queryable, a: string, b: string) {
  return await db
    .select({ userId: contacts.userId, state: contacts.state, isBlocked: contacts.isBlocked })
    .from(contacts)
    .where(
      or(and(eq(contacts.userId, a), eq(contacts.contactUserId, b)), and(eq(contacts.userId, b), eq(contacts.contactUserId, a))),
    )
}

/** The caller's contact row of that room; undefined in a group. */
export async function findOfRoom(db: Queryable, userId: string, roomId: string) {
  const [row] = await db
    .select({ state: contacts.state, isBlocked: contacts.isBlocked })
    .from(contacts)
    .where(and(eq(contacts.userId, userId), eq(contacts.chatRoomId, roomId)))
  return row
}

export async function shareGroup(db: Queryable, a: string, b: string): Promise<boolean> {
  const { rows } = await db.execute<{ shared: boolean }>(sql`
    select exists (
      select from chat_participants one
      join chat_participants other using (chat_room_id)
      join chat_rooms r on r.id = chat_room_id
      where one.user_id = ${a} and other.user_id = ${b} and r.type = 'group') as shared`)
  return rows[0]?.shared ?? false
}

/** For each, the contacts accepted by both sides that do not block the person. */
export async function findMutual(db: Queryable, userIds: string[]) {
  // As one text, not as an array: thousands of ids are read many times as fast.
  const { rows } = await db.execute<{ userId: string; others: string }>(sql`
    select mine.user_id::text as "userId", string_agg(mine.contact_user_id::text, ',') as others
    from contacts mine
    join contacts theirs on theirs.user_id = mine.contact_user_id and theirs.contact_user_id = mine.user_id
    where mine.user_id = any(${sql.param(userIds)}::uuid[]) and mine.state = 'accepted' and theirs.state = 'accepted'
      and not theirs.is_blocked
    group by mine.user_id`)
  return rows.map(({ userId, others }) => ({ userId, others: others.split(',') }))
}
