import { createHash } from 'node:crypto'
import { drizzle } from 'drizzle-orm/node-postgres'
import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { findById } from './account/account/store.ts'
import { askingOf } from './chat/chatlocks/chatGate.ts'
import { pageOf } from './chat/messages/store.ts'
import { raiseMarks } from './chat/messages/store-marks.ts'
import { sumUnread, unreadPage } from './chat/notifications/store.ts'
import { commitsBetween, findRoom, messagesBetween } from './chat/rooms/store.ts'
import { type Inbox, raise, readInbox } from './chat/rooms/store-inbox.ts'
import { readPage, readRaised, readRows } from './chat/rooms/store-list.ts'
import { connect, type Db } from './ground/db/connect.ts'
import { findLive } from './identity/sessions/store.ts'
import { writePresence } from './people/presence/store.ts'
import { startWorld } from './testing/world.ts'

const world = await startWorld()

const ROOMS = 1000
const FEW_MESSAGES = 20_000
// The long run fills a room as years of writing would.
const MESSAGES = process.env.WALK_STEPS ? 1_000_000 : FEW_MESSAGES
const STEP = 100_000
const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const [alice, room] = [uuid(1), 'r1']
const hashOf = (number: number) => createHash('md5').update(String(number)).digest()
const asker = { id: alice, sessionHash: hashOf(1).toString('hex') }
const now = new Date()
const lister = { userId: alice, ...askingOf(asker, now), now }
const reader = { readerId: alice, clearedSeq: 0, withheld: '{}' }
const DAY_MS = 86_400_000
const FIFTY = Array.from({ length: 50 }, (_, at) => `r${at + 1}`)

const MARK = { chatRoomId: room, userId: alice, seq: 10_020, session: hashOf(1) }

const BOX: Inbox = {
  ...{ lastNumber: ROOMS, floor: 0, comparedTo: '0', oldest: '1', leftIn: null, isKept: true, staleRows: 0 },
  roomIds: Array.from({ length: 201 }, (_, at) => `r${at + 1}`),
}

type LookUp = (db: Db, client: pg.PoolClient) => Promise<unknown>

/** Each hot look-up, with the blocks that it may read of full tables, indexes included. */
const LOOKUPS: Record<string, [number, LookUp]> = {
  session: [40, (db) => findLive(db, [hashOf(1), hashOf(2)], now)],
  account: [10, (db) => findById(db, alice)],
  room: [20, (db) => findRoom(db, room)],
  'newest page': [20, (db) => pageOf(db, alice, room, { limit: 50 })],
  'page before': [20, (db) => pageOf(db, alice, room, { before: 10_000, limit: 50 })],
  'page after': [20, (db) => pageOf(db, alice, room, { after: 10_000, limit: 50 })],
  'long page before': [30, (db) => pageOf(db, alice, room, { before: 10_000, limit: 100 })],
  'long page after': [30, (db) => pageOf(db, alice, room, { after: 10_000, limit: 100 })],
  'log, messages': [40, (db) => messagesBetween(db, { ...reader, roomId: room, after: 10_000, upTo: MESSAGES, limit: 200 })],
  'log, commits': [40, (db) => commitsBetween(db, { roomId: room, after: 10_000, upTo: MESSAGES, limit: 200 })],
  // Alice has all of the rooms, and each is unread.
  // Rooms without a message, whose activity is that of their contact.
  'room list, first page': [5 * ROOMS + 51 * 30, (db) => readPage(db, lister, undefined, 51)],
  'room list, later page': [
    5 * ROOMS + 201 * 30,
    (db) => readPage(db, lister, { ms: now.getTime() + DAY_MS, roomId: room }, 201),
  ],
  // The inbox of the second person, who has one room, is at the end of all changes; Alice's is at their beginning.
  'inbox, no change': [4 * ROOMS, (db) => readInbox(db, uuid(2))],
  'inbox, all changed': [16 * ROOMS, (db) => readInbox(db, alice)],
  'inbox, raise': [201 * 60, (db) => raise(db, alice, BOX, { roomIds: BOX.roomIds, isNew: false })],
  'room list, raised': [2 * ROOMS + 201 * 30, (db) => readRaised(db, lister, 0, 201)],
  // A plan for one row must not look cheaper than the one that is kept for any number.
  'room list, one row': [40, (db) => readRows(db, lister, FIFTY.slice(0, 1))],
  'room list, rows': [50 * 34, (db) => readRows(db, lister, FIFTY)],
  // Alice's contacts, their rows about her, and what they show.
  presence: [10 * ROOMS, (db) => writePresence(db, uuid(9), [alice, uuid(2)], [true, false], { now, here: undefined })],
  // Whoever has many contacts, of whom two are here.
  'presence, few here': [
    150,
    (db) => writePresence(db, uuid(9), [alice, uuid(2)], [true, false], { now, here: [uuid(3), uuid(4)] }),
  ],
  unread: [ROOMS, (db) => sumUnread(db, alice, now)],
  // The newest of each room that has something unread, whatever else lies in it.
  notifications: [24 * ROOMS, (db) => unreadPage(db, asker, { before: undefined, limit: 51, now })],
  // Who is told is looked up by the index of the member's contacts, of which there are at most 5,000, or by that of the room's.
  'read mark': [ROOMS / 4, (_db, client) => raiseMarks(client, [{ ...MARK, isRead: true }], now)],
  'delivered mark': [ROOMS / 4, (_db, client) => raiseMarks(client, [{ ...MARK, isRead: false }], now)],
}

/** A connection of the product's kind. */
async function connected(): Promise<{ db: Db; client: pg.PoolClient }> {
  const database = connect(world.databaseUrl)
  const client = await database.pool.connect()
  onTestFinished(async () => {
    client.release()
    await database.close()
  })
  return { db: drizzle(client), client }
}

/** One that plans each statement at its first use, for any values, and keeps the plan. */
async function planner(): ReturnType<typeof connected> {
  const one = await connected()
  await one.client.query('set plan_cache_mode = force_generic_plan')
  return one
}

/** The blocks that a look-up reads of the product's tables and indexes. It changes nothing. */
async function blocksOf({ db, client }: Awaited<ReturnType<typeof planner>>, lookUp: LookUp) {
  const read = async () => (await client.query<{ blocks: number }>(BLOCKS)).rows[0]?.blocks ?? 0
  await client.query('begin')
  const before = await read()
  await lookUp(db, client)
  const after = await read()
  await client.query('rollback')
  return after - before
}

const BLOCKS = `
  select sum(pg_stat_get_xact_blocks_fetched(oid))::int as blocks from pg_class where relnamespace = 'public'::regnamespace`

async function fill(rooms: number, messages: number): Promise<void> {
  const statements = [
    `insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at)
     select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'u' || n, '', '', '', now(), now() from generate_series(1, ${rooms + 1}) n
     on conflict do nothing`,
    `insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at)
     select decode(md5(n::text), 'hex'), ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, now(), now(), now() + interval '1 day'
     from generate_series(1, ${rooms + 1}) n on conflict do nothing`,
    `insert into chat_rooms (id, created_by, created_at, last_seq) select 'r' || n, '${alice}', now(), ${messages} from generate_series(1, ${rooms}) n
     on conflict (id) do update set last_seq = excluded.last_seq`,
    `insert into chat_participants (chat_room_id, user_id, joined_at, unread_count, read_seq, delivered_seq)
     select 'r' || n, member, now(), 1, ${Math.min(messages, 10_000)}, ${Math.min(messages, 10_000)}
     from generate_series(1, ${rooms}) n, lateral (values ('${alice}'::uuid), (('00000000-0000-4000-8000-' || lpad((n + 1)::text, 12, '0'))::uuid)) m(member)
     on conflict (chat_room_id, user_id) do update set read_seq = excluded.read_seq, delivered_seq = excluded.delivered_seq`,
    `insert into contacts (id, user_id, contact_user_id, state, chat_room_id, added_at)
     select gen_random_uuid(), '${alice}', ('00000000-0000-4000-8000-' || lpad((n + 1)::text, 12, '0'))::uuid, 'accepted', 'r' || n, now()
     from generate_series(1, ${rooms}) n on conflict do nothing`,
    `insert into inboxes (user_id, last_number, compared_to) values ('${alice}', ${ROOMS}, '0'), ('${uuid(2)}', 1, '9000000000') on conflict do nothing`,
    `insert into inbox (user_id, chat_room_id, number) select '${alice}', 'r' || n, n from generate_series(1, ${rooms}) n on conflict do nothing`,
    `insert into uncounted_rooms (user_id, chat_room_id) select user_id, chat_room_id from chat_participants where user_id <> '${alice}'
     on conflict do nothing`,
  ]
  for (const statement of statements) await world.sql(statement)
  // In steps that stay below the time a statement may take.
  for (let from = 1; from <= messages; from += STEP) {
    const numbers = `generate_series(${from}, ${Math.min(messages, from + STEP - 1)}) n on conflict do nothing`
    await world.sql(
      `insert into messages (room, seq, id, sender_id, content, message_type, is_encrypted, created_at)
       select (select number from chat_rooms where id = '${room}'), n, gen_random_uuid(), case when n % 2 = 0 then '${alice}' else '${uuid(2)}' end::uuid, 'x', 'text', false, now() from ${numbers}`,
    )
    await world.sql(
      `insert into room_commits (room, seq, sender_id, generation, group_id, epoch, commit, created_at)
       select (select number from chat_rooms where id = '${room}'), n, '${alice}', 1, 'g', n, 'x', now() from ${numbers}`,
    )
  }
}

test('a hot look-up that was planned with no, some or all rows, before or after ANALYZE, reads as little when the tables are full', async () => {
  await world.stopsVacuum()
  const planners: [string, Awaited<ReturnType<typeof planner>>][] = []
  const plan = async (when: string) => {
    const one = await planner()
    for (const [, lookUp] of Object.values(LOOKUPS)) await blocksOf(one, lookUp)
    planners.push([when, one])
  }
  await plan('when empty')
  await world.sql('analyze')
  await plan('when empty and analyzed')
  await fill(20, 1000)
  await plan('with 1,000 rows, analyzed when empty')
  await fill(ROOMS, MESSAGES)
  // Other tests' transactions keep the rows of before alive that filling has replaced, and each look-up would read those too.
  await world.settles()
  await plan('when full, analyzed when empty')
  const measured = async (state: string) => {
    for (const [when, one] of planners)
      for (const [what, [most, lookUp]] of Object.entries(LOOKUPS)) {
        // The first call after a change of the tables plans again, and reads a block of each of their indexes for it.
        await blocksOf(one, lookUp)
        expect(await blocksOf(one, lookUp), `${what}, planned ${when}, ${state}`).toBeLessThanOrEqual(most)
      }
  }
  await measured('not analyzed since')
  await world.sql('analyze')
  await plan('when full and analyzed')
  await measured('analyzed')
  // A refused mark would read little, and so would one that stands there already.
  const { client } = await connected()
  const raised = await raiseMarks(client, [{ ...MARK, isRead: true }], now)
  expect(raised).toMatchObject([{ readSeq: MARK.seq, deliveredSeq: MARK.seq }])
}, 600_000)

// PostgreSQL plans a statement for its very values five times. If the plan for any values looks dearer then, it plans anew at each call.
test('a hot look-up is planned once a connection, not at each call', async () => {
  // With a million in one room alone the plan for any room looks dear, which no server has.
  for (const table of ['messages', 'room_commits']) await world.sql(`delete from ${table} where seq > $1`, [FEW_MESSAGES])
  await world.sql('vacuum analyze')
  const planned: string[] = []
  for (const [what, [, lookUp]] of Object.entries(LOOKUPS)) {
    // On a connection of its own: others may use the same statement for more rows, by which the kept plan looks cheap.
    const one = await connected()
    for (let at = 0; at < 7; at++) await blocksOf(one, lookUp)
    const { rows } = await one.client.query('select name from pg_prepared_statements where generic_plans = 0 order by name')
    planned.push(...rows.map(({ name }) => `${what}: ${name}`))
  }
  expect(planned).toEqual([])
}, 600_000)

test('the row of a room of many reads so much for each of its members, whenever it was planned', async () => {
  const [members, group] = [100, 'room_1']
  const row = (db: Db) => readRows(db, lister, [group])
  const before = await planner()
  await blocksOf(before, row)
  await fill(ROOMS, 0)
  await world.sql("insert into chat_rooms (id, type, created_by, created_at) values ($1, 'group', $2, now())", [group, alice])
  await world.sql(
    `insert into chat_participants (chat_room_id, user_id, joined_at)
     select $1, ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, now() from generate_series(1, $2::int) n`,
    [group, members],
  )
  for (const one of [before, await planner()]) {
    expect((await row(one.db)).map(({ json }) => JSON.parse(json ?? '{}').people?.length)).toEqual([members - 1])
    expect(await blocksOf(one, row)).toBeLessThanOrEqual(40 + 25 * members)
  }
})
