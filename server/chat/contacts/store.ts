import { and, eq, inArray, isNotNull, isNull, ne, not, or, type SQL, sql } from 'drizzle-orm'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { instantOf } from '../../ground/db/instant.ts'
import { IS_LOCKED } from '../../ground/db/locked.ts'
import {
  HAS_ANSWERED,
  IS_ONLINE,
  LAST_SEEN,
  LOOKS_MUTUAL,
  THEIR_DELIVERED,
  THEIR_READ,
  theirManifestVersion,
} from '../../ground/db/mutual.ts'
import { named } from '../../ground/db/namedStatement.ts'
import { users } from '../../ground/db/schema/account.ts'
import { ofAccount } from '../../ground/db/schema/columns.ts'
import { contacts } from '../../ground/db/schema/contacts.ts'
import { chatParticipants, chatRooms } from '../../ground/db/schema/rooms.ts'
import { newestShown } from '../../ground/db/withheld.ts'
import { askingOf } from '../chatlocks/chatGate.ts'

const given = sql.placeholder
/** The sub-select hides the value [Note of `named`]. */
const ME = sql`(select ${given('userId')}::uuid)`

export interface Place {
  ms: number
  roomId: string
}

/**
 * Returns up to `limit` contacts behind a place, each as JSON in the contract's shape, in the order of the room list: the newest chat first.
 * PostgreSQL writes it: to read, map and write many rows here would hold up everybody.
 */
export async function contactPage(db: Queryable, user: Asker, before: Place | undefined, limit: number, now: Date) {
  const place = { at: before ? new Date(before.ms) : null, roomId: before?.roomId ?? null }
  return await writtenPage(db, { userId: user.id, ...askingOf(user, now), now, limit, ...place })
}

/** Returns one row of the list as JSON, in a list; an empty list if it is not there. */
export const rowJson = (db: Queryable, user: Asker, contactId: string, now: Date): Promise<string> =>
  writtenRow(db, { userId: user.id, ...askingOf(user, now), contactId, now }).then(([row]) => `[${row?.json ?? ''}]`)

type Asker = Pick<SignedInUser, 'id' | 'sessionHash'>

const writtenPage = named((db) =>
  db
    .select({
      roomId: sql<string>`picked.chat_room_id`,
      ms: sql<number>`(extract(epoch from picked.activity) * 1000)::bigint`,
      json: sql<string | null>`listed.json`,
    })
    .from(sql`(
      select chat_room_id, activity from inbox
      where ${ofAccount(sql`user_id`)} = ${ofAccount(ME)} and chat_room_id not like 'room\\_%'
        and (activity, chat_room_id) < ((select coalesce(${given('at')}::timestamptz, 'infinity')), (select coalesce(${given('roomId')}::text, '')))
      order by activity desc, chat_room_id desc
      limit (select ${given('limit')}::int)) picked
      left join lateral ${contactIn(sql`picked.chat_room_id`)} listed on true`)
    .orderBy(sql`picked.activity desc, picked.chat_room_id desc`)
    .prepare('contact_page'),
)

const writtenRow = named((db) =>
  db
    .select({ json: sql<string>`listed.json` })
    .from(sql`(select chat_room_id from contacts where id = ${given('contactId')} and user_id = ${ME}) picked
      cross join lateral ${contactIn(sql`picked.chat_room_id`)} listed`)
    .prepare('contact_row'),
)

/** The caller's contact of a direct room; none that is declined. */
function contactIn(roomId: SQL): SQL {
  return sql`(
    select row_to_json(shown)::text as json
    from contacts c
    join users u on u.id = c.contact_user_id
    -- What the caller shows: the two see of each other what both show.
    cross join (select * from users where id = ${ME}) own
    left join presence p on p.user_id = c.contact_user_id
    join chat_rooms r on r.id = c.chat_room_id
    join chat_participants me on me.chat_room_id = c.chat_room_id and me.user_id = c.user_id
    join chat_participants them on them.chat_room_id = c.chat_room_id and them.user_id = c.contact_user_id
    left join lateral (select state, is_blocked, seen_when_blocked from contacts
      where (user_id, contact_user_id) >= (c.contact_user_id, c.user_id) and (user_id, contact_user_id) <= (c.contact_user_id, c.user_id)
      limit 1) theirs on true
    left join manifests m on m.user_id = c.contact_user_id
    left join shown_manifests given on given.viewer_id = c.user_id and given.user_id = c.contact_user_id
    left join lateral ${newestShown(sql`r`)} l on true
    cross join lateral (select
      u.display_name as "displayName", u.username, case when ${LOOKS_MUTUAL} then u.profile_image_url end as "profileImageUrl",
      u.deleted_at is not null as "isDeleted", ${IS_ONLINE} as "isOnline", ${LAST_SEEN} as "lastSeen",
      u.onion_address as "onionAddress", encode(u.public_key, 'base64') as "identityKey", ${theirManifestVersion(sql`r.type <> 'direct'`)} as "manifestVersion"
    ) person
    cross join lateral (select ${IS_LOCKED} as it) locked
    left join lateral (select
      l.id, l.seq, ${instantOf(sql`l.created_at`)} as "createdAt", l.sender_id as "senderId",
      -- The marks of the one who did not send it, as in server/chat/rooms/status.ts.
      case
        when case when l.sender_id = c.user_id then ${THEIR_READ} else me.read_seq end >= l.seq then 'read'
        when case when l.sender_id = c.user_id then ${THEIR_DELIVERED} else me.delivered_seq end >= l.seq then 'delivered'
        else 'sent' end as "deliveryStatus",
      -- A line of a text that a program shows. Of a sealed one no part can be opened: a page shows what its vault holds.
      l.message_type as "messageType", l.file_name as "fileName",
      case when l.is_encrypted then '' else left(l.content, ${sql.raw(String(LIMITS.previewChars))}) end as content
    ) newest on l.seq is not null and not locked.it
    cross join lateral (select case when me.muted_until > ${given('now')}::timestamptz then me.muted_until end as until) mute
    cross join lateral (select
      c.id, c.user_id as "userId", c.contact_user_id as "contactUserId", c.display_name as "displayName",
      c.is_blocked as "isBlocked", me.is_protected as "isPasswordProtected", locked.it as "isLocked", ${instantOf(sql`c.added_at`)} as "addedAt",
      c.state, row_to_json(person) as "contactUser", row_to_json(newest) as "lastMessage",
      me.unread_count as "unreadCount", c.state = 'accepted' and me.unread_count > 0 and mute.until is null as "hasUnreadNotifications",
      ${instantOf(sql`mute.until`)} as "mutedUntil", c.chat_room_id as "chatRoomId", ${HAS_ANSWERED} as "hasAnswered", r.last_seq as "lastSeq",
      me.read_seq as "readSeq", me.cleared_seq as "clearedSeq", ${THEIR_DELIVERED} as "theirDeliveredSeq", ${THEIR_READ} as "theirReadSeq"
    ) shown
    -- Not by the index of the caller's contacts, all of which it would read.
    where c.chat_room_id = ${roomId} and (c.user_id = ${ME}) is true and c.state <> 'declined'
    limit 1)`
}

/** Finds an active account by lower-case username or by onion address. */
export async function findPerson(db: Queryable, who: { username: string } | { onionAddress: string }) {
  const [person] = await db
    .select({ id: users.id })
    .from(users)
    .where(
      and(
        users.isActive,
        'username' in who ? eq(sql`lower(${users.username})`, who.username) : eq(users.onionAddress, who.onionAddress),
      ),
    )
  return person
}

export async function countAccepted(db: Queryable, userId: string): Promise<number> {
  return await db.$count(contacts, and(eq(contacts.userId, userId), eq(contacts.state, 'accepted')))
}

/**
 * Creates the room and its memberships unless they exist. The room stays locked until the transaction ends. Returns false if a
 * member has deleted their account.
 */
export async function openRoom(tx: Queryable, roomId: string, creator: string, members: string[], now: Date): Promise<boolean> {
  await tx.insert(chatRooms).values({ id: roomId, createdBy: creator, createdAt: now }).onConflictDoNothing()
  const locked = await tx.select({ id: chatRooms.id }).from(chatRooms).where(eq(chatRooms.id, roomId)).for('no key update')
  if (locked.length === 0) return false
  await tx
    .insert(chatParticipants)
    .values(members.map((userId) => ({ chatRoomId: roomId, userId, joinedAt: now })))
    .onConflictDoNothing()
  // This check comes last: a deletion either waits for the locked rows or is complete by now.
  return (await tx.$count(users, and(inArray(users.id, members), isNull(users.deletedAt)))) === members.length
}

export async function findPair(tx: Queryable, a: string, b: string) {
  return await tx
    .select()
    .from(contacts)
    .where(
      or(and(eq(contacts.userId, a), eq(contacts.contactUserId, b)), and(eq(contacts.userId, b), eq(contacts.contactUserId, a))),
    )
}

/**
 * Deletes at most `atMost` unanswered requests made at `askedBefore` or earlier. Keeps rows of blocked people, because the row
 * holds the block.
 */
export async function deleteRequests(db: Queryable, askedBefore: Date, atMost: number) {
  const { rows } = await db.execute<{ askedId: string; askerId: string }>(sql`
    delete from contacts where id = any(array(
      select id from contacts where state = 'pending' and not is_blocked and added_at <= ${askedBefore}
      limit ${atMost} for update skip locked))
    returning user_id::text as "askedId", contact_user_id::text as "askerId"`)
  return rows
}

export async function insertContacts(tx: Queryable, rows: (typeof contacts.$inferInsert)[]): Promise<void> {
  if (rows.length > 0) await tx.insert(contacts).values(rows)
}

/** Deletes the oldest open requests to this person until `kept` are left. Keeps rows of blocked people, as above. */
export async function trimRequests(tx: Queryable, askedId: string, kept: number): Promise<void> {
  await tx.execute(sql`
    delete from contacts where id = any(array(
      select id from contacts where user_id = ${askedId} and state = 'pending' and not is_blocked
      order by added_at desc, id
      offset ${kept} for update skip locked))`)
}

/** Deletes the caller's own row; one that holds a block is hidden instead. Returns the row; undefined if there is none. */
export async function deleteContact(db: Queryable, userId: string, contactId: string) {
  const isIt = and(eq(contacts.id, contactId), eq(contacts.userId, userId), ne(contacts.state, 'declined'))
  const found = { contactUserId: contacts.contactUserId }
  const [deleted] = await db
    .delete(contacts)
    .where(and(isIt, not(contacts.isBlocked)))
    .returning(found)
  if (deleted) return deleted
  const [hidden] = await db.update(contacts).set({ state: 'declined' }).where(and(isIt, contacts.isBlocked)).returning(found)
  return hidden
}

export async function hasPhoto(db: Queryable, userId: string): Promise<boolean> {
  return (await db.$count(users, and(eq(users.id, userId), isNotNull(users.profileImageUrl)))) === 1
}

/** Puts the caller's own row back on their list. A block stays. */
export async function relist(tx: Queryable, contactId: string): Promise<void> {
  await tx.update(contacts).set({ state: 'accepted' }).where(eq(contacts.id, contactId))
}

/**
 * Changes the state of the caller's own row, if it has one of the states in `from`; one that holds a block can only be declined.
 * Returns the row; undefined if none matched.
 */
export async function moveState(
  db: Queryable,
  userId: string,
  contactId: string,
  from: ('pending' | 'accepted' | 'declined')[],
  to: 'pending' | 'accepted' | 'declined',
) {
  const [row] = await db
    .update(contacts)
    .set({ state: to })
    .where(
      and(
        ...[eq(contacts.id, contactId), eq(contacts.userId, userId), inArray(contacts.state, from)],
        ...(to === 'declined' ? [] : [not(contacts.isBlocked)]),
      ),
    )
    .returning({ contactUserId: contacts.contactUserId })
  return row
}
