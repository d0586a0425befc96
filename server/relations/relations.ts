import { sql } from 'drizzle-orm'
import type { Queryable } from '../db/connect.ts'

/** Who has this person on their list by their own will: they may write, so they must learn of new devices. */
export async function whoLists(db: Queryable, userId: string): Promise<string[]> {
  const { rows } = await db.execute<{ userId: string }>(sql`
    select user_id as "userId" from contacts where contact_user_id = ${userId} and state = 'accepted' and not is_blocked`)
  return rows.map((row) => row.userId)
}

/** Of each of these people, those who accepted them and whom they accepted: presence is theirs alone. */
export async function mutualContacts(db: Queryable, userIds: string[]): Promise<Map<string, string[]>> {
  const { rows } = await db.execute<{ userId: string; others: string[] }>(sql`
    select mine.user_id::text as "userId", array_agg(mine.contact_user_id::text) as others
    from contacts mine
    join contacts theirs on theirs.user_id = mine.contact_user_id and theirs.contact_user_id = mine.user_id
    where mine.user_id = any(${sql.param(userIds)}::uuid[]) and mine.state = 'accepted' and theirs.state = 'accepted'
      and not mine.is_blocked and not theirs.is_blocked
    group by mine.user_id`)
  return new Map(rows.map(({ userId, others }) => [userId, others]))
}

/** Whether two people accepted each other. */
export async function areMutual(db: Queryable, a: string, b: string): Promise<boolean> {
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(*)::int as count from contacts
    where state = 'accepted' and not is_blocked
      and ((user_id = ${a} and contact_user_id = ${b}) or (user_id = ${b} and contact_user_id = ${a}))`)
  return rows[0]?.count === 2
}

/** Whether the caller has this person on the list, accepted or as an open request. */
export async function hasOnList(db: Queryable, callerId: string, otherId: string): Promise<boolean> {
  const { rows } = await db.execute<{ listed: boolean }>(sql`
    select exists (
      select from contacts
      where user_id = ${callerId} and contact_user_id = ${otherId} and state in ('accepted', 'pending') and not is_blocked
    ) as listed`)
  return rows[0]?.listed ?? false
}
