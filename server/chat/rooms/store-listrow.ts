import { type SQL, sql } from 'drizzle-orm'
import { instantOf } from '../../ground/db/instant.ts'
import { type Asking, IS_LOCKED } from '../../ground/db/locked.ts'
import {
  HAS_ANSWERED,
  IS_ONLINE,
  LAST_SEEN,
  LOOKS_MUTUAL,
  THEIR_DELIVERED,
  THEIR_READ,
  theirManifestVersion,
} from '../../ground/db/mutual.ts'
import { newestShown } from '../../ground/db/withheld.ts'

const given = sql.placeholder

/** Must equal the index's condition word for word. */
export const isGroup = (table: string): SQL => sql`${sql.raw(table)}.chat_room_id like 'room\\_%'`

/** Placeholders of `rowOf`. */
export interface RowReader extends Asking {
  userId: string
  now: Date
}

/** The sub-select hides the value [Note of `named`]. */
export const ME = sql`(select ${given('userId')}::uuid)`

export const MY_GROUPS = sql`(select g.chat_room_id from chat_participants g where g.user_id = ${ME} and ${isGroup('g')})`

/**
 * Row as JSON in the contract's order; none off the caller's list. Joins take whole keys: by a part, PostgreSQL would read all
 * rows of an account each time.
 */
export const rowOf = (roomId: SQL, isLocked: SQL = IS_LOCKED): SQL => sql`(
  select row_to_json(shown)::text as json
  from (
    select chat_room_id, user_id, joined_at, unread_count, muted_until, read_seq, read_at, cleared_seq, withheld, is_protected from chat_participants
    where ${isPair(sql`chat_room_id, user_id`, sql`${roomId}, ${ME}`)} limit 1) me
  cross join lateral (select id, number, type, last_seq, last_message_seq from chat_rooms where id = ${roomId} limit 1) r
  -- What the caller shows: two people see of each other what both show.
  cross join lateral (select shows_presence, shows_last_seen, shows_receipts from users where id = ${ME} limit 1) own
  cross join lateral (
    select array_to_json(array_agg(person order by person.id)) as people,
      -- A direct room is on the list while the contact with its other person is.
      (array_agg(row_to_json(direct)) filter (where r.type = 'direct' and c.state <> 'declined'))[1] as direct,
      min(c.added_at) filter (where r.type = 'direct') as added_at
    from (select user_id, delivered_seq, read_seq, shown_delivered_seq, shown_read_seq from chat_participants
      where chat_room_id = ${roomId} and user_id <> ${ME} offset 0) them
    cross join lateral (
      select id, username, display_name, profile_image_url, deleted_at, public_key, shows_presence, shows_last_seen, shows_receipts
      from users where id = them.user_id limit 1) u
    left join lateral (select id, state, added_at, display_name, is_blocked from contacts
      where ${isPair(sql`user_id, contact_user_id`, sql`${ME}, them.user_id`)} limit 1) c on true
    left join lateral (select state, is_blocked, seen_when_blocked from contacts
      where ${isPair(sql`user_id, contact_user_id`, sql`them.user_id, ${ME}`)} limit 1) theirs on true
    left join lateral (select nodes, last_seen from presence where user_id = them.user_id limit 1) p on true
    left join lateral (select version from manifests where user_id = them.user_id limit 1) m on true
    left join lateral (select version from shown_manifests
      where ${isPair(sql`viewer_id, user_id`, sql`${ME}, them.user_id`)} limit 1) given on true
    cross join lateral (select
      u.id, u.username, u.display_name as "displayName", case when ${LOOKS_MUTUAL} then u.profile_image_url end as "profileImageUrl",
      c.display_name as alias, u.deleted_at is not null as "isDeleted",
      ${IS_ONLINE} as "isOnline", ${LAST_SEEN} as "lastSeen",
      encode(u.public_key, 'base64') as "identityKey", ${theirManifestVersion(sql`r.type <> 'direct'`)} as "manifestVersion",
      ${THEIR_DELIVERED} as "deliveredSeq", ${THEIR_READ} as "readSeq") person
    cross join lateral (select c.id as "contactId", c.state, c.is_blocked as "isBlocked", ${HAS_ANSWERED} as "hasAnswered") direct) others
  left join lateral (select id, seq, sender_id as "senderId", ${instantOf(sql`created_at`)} as "createdAt"
    from ${newestShown(sql`r`)} l) newest on true
  -- Found once a row: without the end it would be written into each place that names it.
  cross join lateral (select ${isLocked} as it offset 0) locked
  cross join lateral (select
    me.chat_room_id as "chatRoomId", ${instantOf(sql`coalesce(others.added_at, me.joined_at)`)} as "addedAt",
    coalesce(others.people, '[]') as people, others.direct,
    r.last_seq as "lastSeq", me.cleared_seq as "clearedSeq",
    me.is_protected as "isPasswordProtected", locked.it as "isLocked",
    case when locked.it then newest."createdAt" end as "lastMessageAt",
    case when newest.seq is not null and not locked.it then row_to_json(newest) end as "lastMessage",
    me.unread_count as "unreadCount",
    case when me.muted_until > ${given('now')}::timestamptz then ${instantOf(sql`me.muted_until`)} end as "mutedUntil",
    me.read_seq as "readSeq",
    ${instantOf(sql`me.read_at`)} as "readAt") shown
  where r.type <> 'direct' or others.direct is not null)`

/** Forces the index on both columns. */
export const isPair = (columns: SQL, values: SQL): SQL => sql`(${columns}) >= (${values}) and (${columns}) <= (${values})`
