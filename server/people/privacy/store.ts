import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Privacy } from '../../../contract/people/privacy.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { IS_ONLINE, LAST_SEEN, LOOKS_MUTUAL, THEIR_READ } from '../../ground/db/mutual.ts'
import { users } from '../../ground/db/schema/account.ts'

const PRIVACY = {
  presence: users.showsPresence,
  lastSeen: users.showsLastSeen,
  typing: users.showsTyping,
  receipts: users.showsReceipts,
}

const isLiving = (userId: string) => and(eq(users.id, userId), isNull(users.deletedAt))

/** Returns undefined for a deleted account. */
export async function holdPrivacy(tx: Queryable, userId: string): Promise<Privacy | undefined> {
  const [row] = await tx.select(PRIVACY).from(users).where(isLiving(userId)).for('no key update')
  return row
}

export async function setPrivacy(tx: Queryable, userId: string, privacy: Privacy): Promise<void> {
  await tx
    .update(users)
    .set({
      showsPresence: privacy.presence,
      showsLastSeen: privacy.lastSeen,
      showsTyping: privacy.typing,
      showsReceipts: privacy.receipts,
    })
    .where(isLiving(userId))
}

/** Returns what the list of each contact shows of the user. */
export async function findShown(db: Queryable, userId: string): Promise<Map<string, string>> {
  const { rows } = await db.execute<{ viewerId: string; shown: string }>(sql`
    select own.id::text as "viewerId", row_to_json(each)::text as shown
    from contacts c
    join users own on own.id = c.user_id
    join users u on u.id = c.contact_user_id
    join chat_participants them on them.chat_room_id = c.chat_room_id and them.user_id = c.contact_user_id
    left join contacts theirs on theirs.user_id = c.contact_user_id and theirs.contact_user_id = c.user_id
    left join presence p on p.user_id = c.contact_user_id
    cross join lateral (select
      case when ${LOOKS_MUTUAL} then u.profile_image_url end as photo, ${IS_ONLINE} as online, ${LAST_SEEN} as seen, ${THEIR_READ} as read) each
    where c.contact_user_id = ${userId} and c.state = 'accepted'`)
  return new Map(rows.map(({ viewerId, shown }) => [viewerId, shown]))
}

/** Returns those of the others who show it, if the user does. */
export async function findSharing(db: Queryable, what: keyof Privacy, userId: string, others: string[]): Promise<string[]> {
  const own = db.select({ shows: PRIVACY[what] }).from(users).where(eq(users.id, userId))
  const rows = await db
    .select({ id: users.id })
    .from(users)
    .where(and(inArray(users.id, others), PRIVACY[what], sql`(${own})`))
  return rows.map(({ id }) => id)
}
