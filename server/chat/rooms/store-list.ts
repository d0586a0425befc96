import { sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { named } from '../../ground/db/namedStatement.ts'
import { ofAccount } from '../../ground/db/schema/columns.ts'
import { ME, type RowReader, rowOf } from './store-listrow.ts'

export interface Place {
  ms: number
  roomId: string
}

const given = sql.placeholder

export async function readPage(db: Queryable, reader: RowReader, before: Place | undefined, limit: number) {
  const rows = await pageRead(db, { ...reader, limit, at: before ? new Date(before.ms) : null, roomId: before?.roomId ?? null })
  return pickedOf(rows)
}

const pageRead = named((db) =>
  db
    .select({
      lastNumber: sql<number | null>`(select last_number from inboxes where user_id = ${ME})`,
      roomId: sql<string | null>`picked.chat_room_id`,
      ms: sql<number>`(extract(epoch from picked.activity) * 1000)::bigint`,
      json: sql<string | null>`listed.json`,
    })
    .from(sql`(select) one left join (
      select chat_room_id, activity from inbox
      where ${ofAccount(sql`user_id`)} = ${ofAccount(ME)}
        and (activity, chat_room_id) < ((select coalesce(${given('at')}::timestamptz, 'infinity')), (select coalesce(${given('roomId')}::text, '')))
      order by activity desc, chat_room_id desc
      limit (select ${given('limit')}::int)) picked on true
      left join lateral ${rowOf(sql`picked.chat_room_id`)} listed on true`)
    .orderBy(sql`picked.activity desc, picked.chat_room_id desc`)
    .prepare('room_page'),
)

/** Lowest first. */
export async function readRaised(db: Queryable, reader: RowReader, number: number, limit: number) {
  return pickedOf(await raisedRead(db, { ...reader, number, limit }))
}

const raisedRead = named((db) =>
  db
    .select({
      lastNumber: sql<number | null>`(select last_number from inboxes where user_id = ${ME})`,
      roomId: sql<string | null>`picked.chat_room_id`,
      number: sql<number>`picked.number`,
      json: sql<string | null>`listed.json`,
    })
    .from(sql`(select) one left join (
      select chat_room_id, number from inbox
      where ${ofAccount(sql`user_id`)} = ${ofAccount(ME)} and number > ${given('number')}::bigint
      order by number
      limit ${given('limit')}) picked on true
      left join lateral ${rowOf(sql`picked.chat_room_id`)} listed on true`)
    .orderBy(sql`picked.number`)
    .prepare('rooms_raised'),
)

interface Picked {
  roomId: string | null
  json: string | null
}

/** `lastNumber` shares the rows' snapshot: what they lack is raised above it. */
function pickedOf<R extends Picked & { lastNumber: number | null }>(rows: R[]) {
  const [first] = rows
  if (!first) throw new Error('The snapshot was not answered')
  return {
    lastNumber: first.lastNumber,
    picked: rows.flatMap((row) => (row.roomId === null ? [] : [{ ...row, roomId: row.roomId }])),
  }
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
