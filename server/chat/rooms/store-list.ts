import { type SQL, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { named } from '../../ground/db/namedStatement.ts'
import { isGroup, isPair, ME, MY_GROUPS, type RowReader, rowOf } from './store-listrow.ts'

export interface Place {
  ms: number
  roomId: string
}

// `oldest` shares the rooms' snapshot: what the rooms lack has this number or a later one. Read-only transactions do not hold the
// number back.
const SNAPSHOT = sql`select pg_snapshot_xmin(pg_current_snapshot()) as oldest, pg_snapshot_xmax(pg_current_snapshot()) as next`

const given = sql.placeholder

/** One index scan for all keys costs a third of a join. */
export async function readPage(db: Queryable, reader: RowReader, before: Place | undefined, limit: number) {
  const rows = await pageRead(db, { ...reader, limit, at: before ? new Date(before.ms) : null, roomId: before?.roomId ?? null })
  return pickedOf(rows)
}

const pageRead = named((db) =>
  db
    .select({
      oldest: sql<string>`now.oldest::text`,
      roomId: sql<string | null>`picked.room_id`,
      ms: sql<number>`(extract(epoch from picked.activity) * 1000)::bigint`,
      json: sql<string | null>`listed.json`,
    })
    .from(sql`(${SNAPSHOT}) now left join (
      select room_id, activity from (
        select r.id as room_id, coalesce(r.last_message_at,
          (select c.added_at from contacts c where c.chat_room_id = r.id and c.user_id = ${ME}),
          (select m.joined_at from chat_participants m where ${isPair(sql`m.chat_room_id, m.user_id`, sql`r.id, ${ME}`)})) as activity
        from chat_rooms r
        where r.id = any(array(
          select chat_room_id from contacts where user_id = ${ME} and state <> 'declined' union all ${MY_GROUPS}))
        -- Evaluated once a room, for the order and for the condition.
        offset 0) each
      where ${given('at')}::timestamptz is null or (activity, room_id) < (${given('at')}::timestamptz, ${given('roomId')}::text)
      order by activity desc, room_id desc
      limit ${given('limit')}) picked on true
      left join lateral ${rowOf(sql`picked.room_id`)} listed on true`)
    .orderBy(sql`picked.activity desc, picked.room_id desc`)
    .prepare('room_page'),
)

/** The reader has all changes before `oldest`, and later ones up to `after`. */
export interface Since {
  oldest: string
  after: { changedIn: string; roomId: string } | undefined
}

/** Reads changed rooms, earliest first. `isTooOld`: rows left the list without a trace, or the counter is another database's. */
export async function readChanged(db: Queryable, reader: RowReader, { oldest, after }: Since, limit: number) {
  const from = after?.changedIn ?? oldest
  const rows = await changedRead(db, { ...reader, oldest, from, roomId: after?.roomId ?? '', limit })
  return { ...pickedOf(rows), isTooOld: rows[0]?.isTooOld ?? false }
}

// Reading each table once is five times as fast as a join row by row.
const changedRead = named((db) => {
  // Sub-selects as in `ME`.
  const [from, oldest] = [sql`(select ${given('from')}::xid8)`, sql`(select ${given('oldest')}::xid8)`]
  /** Two people see of each other what both show. */
  const isOwnShown = (column: string): SQL => sql`(select ${sql.raw(column)} from users where id = ${ME})`
  const groupsWith = (userId: SQL): SQL => sql`
    select m.chat_room_id from chat_participants m where m.user_id = ${userId} and ${isGroup('m')}
      and m.chat_room_id = any(array(${MY_GROUPS}))`
  return db
    .select({
      oldest: sql<string>`now.oldest::text`,
      roomId: sql<string | null>`picked.room_id`,
      changedIn: sql<string>`picked.changed_in::text`,
      isTooOld: sql<boolean>`now.next < ${oldest}
        or exists (select from list_floors f where f.user_id = ${ME} and f.changed_in >= ${oldest})`,
      json: sql<string | null>`listed.json`,
    })
    .from(sql`(${SNAPSHOT}) now left join (
      select * from (
        select distinct on (room_id) room_id, changed_in from (
          select shared.chat_room_id as room_id, c.changed_in
          from (select * from contacts where user_id = ${ME} and changed_in >= ${from} offset 0) c
          cross join lateral (select c.chat_room_id union all ${groupsWith(sql`c.contact_user_id`)}) shared
          union all
          -- What one member alone sees of a room, such as a mute or a cleared chat, is no news for the others; a read mark that rose alone
          -- is where both show how far they have read.
          select p.chat_room_id, seen.changed_in from (
            -- Few of the rows have changed at all: those alone are looked at.
            select * from chat_participants
            where chat_room_id = any(array(select chat_room_id from contacts where user_id = ${ME} union all ${MY_GROUPS}))
              and (changed_in >= ${from} or own_changed_in >= ${from} or read_changed_in >= ${from}) offset 0) p
          cross join lateral (select case
            when p.user_id = ${ME} then greatest(p.changed_in, p.own_changed_in)
            when p.changed_in >= ${from} then p.changed_in else p.read_changed_in end as changed_in) seen
          where seen.changed_in >= ${from}
            and (p.user_id = ${ME} or p.changed_in >= ${from} or ${isOwnShown('shows_receipts')}
              and (select o.shows_receipts from users o where o.id = p.user_id))
          union all
          select shared.chat_room_id, news.changed_in
          from (
            -- A photo is shown to mutual contacts alone, so others do not learn that it has changed. Where more has, that counts.
            select u.id, each.changed_in, each.is_photo as is_mutual, each.is_photo as is_state from (
              select * from users where id = any(array(
                  select contact_user_id from contacts where user_id = ${ME} union all
                  select user_id from chat_participants where chat_room_id = any(array(${MY_GROUPS})) and user_id <> ${ME}))
                and (profile_changed_in >= ${from} or photo_changed_in >= ${from}) offset 0) u
            cross join lateral (values (u.profile_changed_in, false), (u.photo_changed_in, true)) each(changed_in, is_photo)
            where each.changed_in >= ${from} and (not each.is_photo or u.profile_changed_in < ${from})
            union all
            select user_id, changed_in, true, false from (
              select p.user_id, greatest(
                case when o.shows_presence and ${isOwnShown('shows_presence')} then p.online_changed_in end,
                case when o.shows_last_seen and ${isOwnShown('shows_last_seen')} then p.seen_changed_in end) as changed_in
              from presence p
              cross join lateral (select shows_presence, shows_last_seen from users where id = p.user_id offset 0) o
              where p.user_id = any(array(select contact_user_id from contacts where user_id = ${ME}))
                and (p.online_changed_in >= ${from} or p.seen_changed_in >= ${from})) shown
            where changed_in >= ${from}
            union all
            select user_id, state_changed_in, true, true from contacts where contact_user_id = ${ME} and state_changed_in >= ${from}) news
          left join lateral (
            select c.chat_room_id, c.state, c.is_blocked from contacts c
            where ${isPair(sql`c.user_id, c.contact_user_id`, sql`${ME}, news.id`)} limit 1) own on true
          cross join lateral (
            select own.chat_room_id where own.chat_room_id is not null union all ${groupsWith(sql`news.id`)}) shared
          -- A stranger must not learn when somebody is online or answers, so these changes count between mutual contacts only. Who is
          -- blocked sees the other one go, as if they had left.
          where not news.is_mutual or own.state = 'accepted' and not own.is_blocked and exists (
            select from contacts t where ${isPair(sql`t.user_id, t.contact_user_id`, sql`news.id, ${ME}`)}
              and t.state = 'accepted' and (news.is_state or not t.is_blocked))) each
        order by room_id, changed_in desc) latest
      where (changed_in, room_id) > (${from}, ${given('roomId')}::text)
      order by changed_in, room_id
      limit ${given('limit')}) picked on true
      left join lateral ${rowOf(sql`picked.room_id`)} listed on true`)
    .orderBy(sql`picked.changed_in, picked.room_id`)
    .prepare('rooms_changed')
})

interface Picked {
  roomId: string | null
  json: string | null
}

/** `oldest` is the oldest transaction that the answer may lack. */
function pickedOf<R extends Picked & { oldest: string }>(rows: R[]) {
  const [first] = rows
  if (!first) throw new Error('The snapshot was not answered')
  return { oldest: first.oldest, picked: rows.flatMap((row) => (row.roomId === null ? [] : [{ ...row, roomId: row.roomId }])) }
}

/** Returns rows in the order of `roomIds`. */
export const readRows = (db: Queryable, reader: RowReader, roomIds: string[]) => rowsRead(db, { ...reader, roomIds })

const rowsRead = named((db) =>
  db
    .select({ roomId: sql<string>`asked.id`, json: sql<string | null>`listed.json` })
    // The inner array hides its length [Note of `named`].
    .from(sql`unnest(array(select unnest(${given('roomIds')}::text[]))) with ordinality as asked(id, at)
      left join lateral ${rowOf(sql`asked.id`)} listed on true`)
    .orderBy(sql`asked.at`)
    .prepare('room_rows'),
)
