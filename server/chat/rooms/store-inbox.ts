import { createHash } from 'node:crypto'
import { type SQL, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../ground/db/connect.ts'
import { named } from '../../ground/db/namedStatement.ts'
import { ofAccount } from '../../ground/db/schema/columns.ts'
import { inboxes } from '../../ground/db/schema/inbox.ts'
import { peerOf } from '../../ground/db/schema/rooms.ts'
import { isGroup, isPair, ME, MY_GROUPS, rowOf } from './store-listrow.ts'

const given = sql.placeholder

/** Open for every session. */
const COMPARED = (roomId: SQL): SQL => rowOf(roomId, sql`false`)

/** Activity and time of the newest unread message of the room `d.id`. */
const PLACE = sql`
  left join lateral (select coalesce(r.last_message_at,
      (select c.added_at from contacts c where c.chat_room_id = r.id and (c.user_id = ${ME}) is true), me.joined_at) as activity,
    case when me.unread_count > 0 then (
      select m.created_at from messages m where m.room = r.number and m.seq > greatest(me.read_seq, me.uncounted_seq)
        and m.sender_id <> me.user_id and not m.is_silent
      order by m.seq desc limit 1) end as unread_at
    from (select id, number, last_message_at from chat_rooms where id = d.id limit 1) r
    cross join lateral (select * from chat_participants where ${isPair(sql`chat_room_id, user_id`, sql`r.id, ${ME}`)} limit 1) me
    where d.shown is not null) place on true`

const WRITTEN_BY = createHash('sha256')
  .update(new PgDialect().sqlToQuery(sql`${COMPARED(sql`id`)} ${PLACE}`).sql)
  .digest('base64')

export interface Inbox {
  lastNumber: number
  floor: number
  comparedTo: string
  /** The oldest transaction that this reading may lack. */
  oldest: string
  /** The transaction by which a row left without a trace. */
  leftIn: string | null
  /** False if another release compared, or another database. */
  isKept: boolean
  /** Rooms whose row may differ. */
  roomIds: string[]
  /** Rows that are called new, and were compared. */
  staleRows: number
}

export async function readInbox(db: Queryable, userId: string): Promise<Inbox | undefined> {
  const [row] = await inboxRead(db, { userId, writtenBy: WRITTEN_BY })
  return row
}

export async function makeInbox(db: Queryable, userId: string): Promise<void> {
  await db.insert(inboxes).values({ userId }).onConflictDoNothing()
}

/** Above it the account's people are looked through, in place of what changed at the server. */
const LATELY_MAX = 200

// The order of some names the index that has it: a plan for empty tables would take any of the account.
const inboxRead = named((db) => {
  // Sub-selects as in `ME`.
  const from = sql`(select compared_to from inboxes where user_id = ${ME})`
  /** Two people see of each other what both show. */
  const isOwnShown = (column: string): SQL => sql`(select ${sql.raw(column)} from users where id = ${ME})`
  const groupsWith = (userId: SQL): SQL => sql`
    select m.chat_room_id from chat_participants m where m.user_id = ${userId} and ${isGroup('m')}
      and m.chat_room_id = any(array(${MY_GROUPS}))`
  const part = (name: string, text: SQL) => db.$with(name, {}).as(text)
  const own = part(
    'own',
    sql`select chat_room_id, changed_in >= ${from} or own_changed_in >= ${from} as is_new from chat_participants
      where ${isPair(sql`user_id, is_new_to_member`, sql`${ME}, true`)}`,
  )
  const peers = part(
    'peers',
    sql`select chat_room_id, user_id, changed_in >= ${from} as is_new, read_changed_in >= ${from} as has_read from chat_participants
      where ${peerOf('chat_participants.')} = ${ME}::text and is_new_to_peer`,
  )
  /** `some` of the table's rows have changed since; `every` finds those of the account's people among all. */
  const lately = (name: string, some: SQL) => part(name, sql`${some} limit ${sql.raw(String(LATELY_MAX + 1))}`)
  const profiles = lately(
    'profiles',
    sql`select id from users where greatest(profile_changed_in, photo_changed_in) >= ${from} order by greatest(profile_changed_in, photo_changed_in)`,
  )
  const visits = lately(
    'visits',
    sql`select user_id, online_changed_in, seen_changed_in from presence where greatest(online_changed_in, seen_changed_in) >= ${from}
      order by greatest(online_changed_in, seen_changed_in)`,
  )
  const areFew = (name: string): SQL => sql`(select count(*) from ${sql.raw(name)}) <= ${sql.raw(String(LATELY_MAX))}`
  const myContacts = sql`select contact_user_id from contacts where user_id = ${ME}`
  return db
    .with(own, peers, profiles, visits)
    .select({
      lastNumber: sql<number>`box.last_number`,
      floor: sql<number>`box.floor`,
      comparedTo: sql<string>`box.compared_to::text`,
      oldest: sql<string>`pg_snapshot_xmin(pg_current_snapshot())::text`,
      leftIn: sql<string | null>`(select changed_in::text from list_floors where user_id = ${ME})`,
      isKept: sql<boolean>`box.written_by = ${given('writtenBy')} and box.compared_to <= pg_snapshot_xmax(pg_current_snapshot())`,
      staleRows: sql<number>`((select count(*) from own where not is_new) + (select count(*) from peers where not is_new and not has_read))::int`,
      roomIds: sql<string[]>`array(
        select shared.chat_room_id
        from (select * from contacts where ${ofAccount(sql`user_id`)} = ${ofAccount(ME)} and changed_in >= ${from} order by changed_in) c
        cross join lateral (select c.chat_room_id union all ${groupsWith(sql`c.contact_user_id`)}) shared
        union
        select chat_room_id from own where is_new
        union
        select p.chat_room_id from (
          select * from peers where is_new or has_read
          union all
          select chat_room_id, user_id, changed_in >= ${from}, read_changed_in >= ${from} from chat_participants
          where chat_room_id = any(array(${MY_GROUPS})) and user_id <> ${ME} and (changed_in >= ${from} or read_changed_in >= ${from})) p
        where p.is_new or ${isOwnShown('shows_receipts')} and (select o.shows_receipts from users o where o.id = p.user_id)
        union
        select shared.chat_room_id
        from (
          select id from profiles where ${areFew('profiles')}
          union all
          select id from users where not ${areFew('profiles')} and id = any(array(
              ${myContacts} union all
              select user_id from chat_participants where chat_room_id = any(array(${MY_GROUPS})) and user_id <> ${ME}))
            and (profile_changed_in >= ${from} or photo_changed_in >= ${from})
          union all
          select p.user_id from (
            select * from visits where ${areFew('visits')}
            union all
            select user_id, online_changed_in, seen_changed_in from presence
            where not ${areFew('visits')} and user_id = any(array(${myContacts}))
              and (online_changed_in >= ${from} or seen_changed_in >= ${from}) offset 0) p
          cross join lateral (select shows_presence, shows_last_seen from users where id = p.user_id offset 0) o
          where p.online_changed_in >= ${from} and o.shows_presence and ${isOwnShown('shows_presence')}
            or p.seen_changed_in >= ${from} and o.shows_last_seen and ${isOwnShown('shows_last_seen')}
          union all
          select user_id from (
            select user_id from contacts where contact_user_id = ${ME} and state_changed_in >= ${from} order by state_changed_in) asked) news
        left join lateral (
          select c.chat_room_id from contacts c
          where ${isPair(sql`c.user_id, c.contact_user_id`, sql`${ME}, news.id`)} limit 1) direct on true
        cross join lateral (
          select direct.chat_room_id where direct.chat_room_id is not null union all ${groupsWith(sql`news.id`)}) shared)`,
    })
    .from(sql`inboxes box`)
    .where(sql`box.user_id = ${ME}`)
    .prepare('inbox')
})

/** Includes rooms that have left. */
export async function everyRoom(db: Queryable, userId: string): Promise<string[]> {
  const rows = await everyRead(db, { userId })
  return rows.map(({ roomId }) => roomId)
}

const everyRead = named((db) =>
  db
    .select({ roomId: sql<string>`id` })
    .from(sql`(
      select chat_room_id as id from contacts where user_id = ${ME} union ${MY_GROUPS}
      union select chat_room_id from chat_participants
        where ${isPair(sql`chat_room_id, user_id`, sql`'dm_' || ${ME} || '_' || ${ME}, ${ME}`)}
      union select chat_room_id from inbox where user_id = ${ME}) rooms`)
    .prepare('inbox_rooms'),
)

/** Raises rows that differ. `isNew` voids earlier numbers. Returns the last number; undefined if another request was faster. */
export async function raise(
  db: Queryable,
  userId: string,
  { lastNumber, comparedTo, oldest, leftIn, isKept }: Inbox,
  { roomIds, isNew }: { roomIds: string[]; isNew: boolean },
): Promise<number | undefined> {
  // A mute that has ended is compared too.
  const now = new Date(0)
  const [row] = await raised(db, {
    ...{ userId, now, lastNumber, comparedTo, oldest, leftIn, isKept, roomIds, isNew, writtenBy: WRITTEN_BY },
  })
  return row?.lastNumber
}

// Nothing is written unless the account's row is as it was read: an older snapshot must not stand above a newer one.
const raised = named((db) => {
  const part = (name: string, text: SQL) => db.$with(name, {}).as(text)
  const differing = part(
    'differing',
    sql`select asked.id, each.shown, row_number() over (order by asked.id) as place
      -- The inner array hides its length from the planner.
      from unnest(array(select unnest(${given('roomIds')}::text[]))) as asked(id)
      left join lateral ${COMPARED(sql`asked.id`)} listed on true
      cross join lateral (select sha256(convert_to(listed.json, 'UTF8')) as shown) each
      left join lateral (select i.shown from inbox i
        where ${isPair(sql`i.user_id, i.chat_room_id`, sql`${ME}, asked.id`)} limit 1) before on true
      where before.shown is distinct from each.shown or not ${given('isKept')}::boolean`,
  )
  const moved = part(
    'moved',
    sql`update inboxes set
        last_number = last_number + counted.more,
        compared_to = ${given('oldest')}::xid8,
        floor = case when ${given('isNew')}::boolean then last_number + counted.more else floor end,
        written_by = ${given('writtenBy')}
      from (select count(*) + ${given('isNew')}::boolean::int as more from differing) counted
      where user_id = ${ME} and last_number = ${given('lastNumber')}::bigint and compared_to = ${given('comparedTo')}::xid8
      returning last_number`,
  )
  const written = part(
    'written',
    sql`insert into inbox (user_id, chat_room_id, number, shown, activity, unread_at)
      select ${ME}, d.id, ${given('lastNumber')}::bigint + d.place, d.shown, place.activity, place.unread_at
      from differing d cross join moved ${PLACE}
      where d.shown is not null or not ${given('isNew')}::boolean
      order by d.id
      on conflict (user_id, chat_room_id) do update set
        number = excluded.number, shown = excluded.shown, activity = excluded.activity, unread_at = excluded.unread_at`,
  )
  // Nobody has to learn what left.
  const left = part(
    'left_list',
    sql`delete from inbox i using differing d, moved
      where i.user_id = ${ME} and i.chat_room_id = d.id and d.shown is null and ${given('isNew')}::boolean`,
  )
  const taken = part(
    'taken',
    sql`delete from list_floors where user_id = ${ME} and changed_in = ${given('leftIn')}::xid8 and exists (select from moved)`,
  )
  return db
    .with(differing, moved, written, left, taken)
    .select({ lastNumber: sql<number>`done.last_number` })
    .from(sql`moved done`)
    .prepare('inbox_raise')
})
