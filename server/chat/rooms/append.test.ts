import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { sha256 } from '../../../client/worker/primitives/seal.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { utf8 } from '../../../contract/ground/bytes.ts'
import { newMessage } from '../../testing/message.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import type { NewMessage } from './append.ts'
import { appendMessages } from './store-append.ts'

const world = await startWorld()

async function freshPair(): Promise<{ one: Person; two: Person; chatRoomId: string }> {
  const [one, two] = await Promise.all([world.person('one'), world.person('two')])
  return { one, two, chatRoomId: await one.talksTo(two) }
}

const append = async (message: NewMessage) => (await appendMessages(world.pool, [message], world.env.clock()))[0]

async function memberRow(chatRoomId: string, { id }: Person) {
  const [row] = await world.sql(
    `select unread_count as unread, uncounted_seq::int as uncounted, read_seq::int as read, received_count as received
     from chat_participants where chat_room_id = $1 and user_id = $2`,
    [chatRoomId, id],
  )
  return row
}

test('a session that has ended while its message waited posts nothing, and neither does one of a blocked account', async () => {
  const { one, two, chatRoomId } = await freshPair()
  await world.sql('update sessions set expires_at = $2 where user_id = $1', [one.id, world.env.clock()])
  expect(await append(newMessage(chatRoomId, one))).toMatchObject({ verdict: 'not_signed_in', seq: null })
  await world.sql('update users set is_active = false where id = $1', [two.id])
  expect(await append(newMessage(chatRoomId, two))).toMatchObject({ verdict: 'not_signed_in', seq: null })
})

test("Eve cannot post by Alice's session, nor as Alice by her own", async () => {
  const { one: alice, chatRoomId } = await freshPair()
  const eve = await world.person('eve')
  expect(await append(newMessage(chatRoomId, alice, { senderId: eve.id }))).toMatchObject({ verdict: 'not_signed_in' })
  expect(await append(newMessage(chatRoomId, eve, { senderId: alice.id }))).toMatchObject({ verdict: 'not_signed_in' })
  expect(await append(newMessage(chatRoomId, eve))).toMatchObject({ verdict: 'not_found', listeners: [], members: [] })
})

test('an account with keys posts nothing by a session for which no device has signed', async () => {
  const { one, chatRoomId } = await freshPair()
  await world.sql('update users set public_key = $2 where id = $1', [one.id, Buffer.alloc(32, 1)])
  await world.sql('update sessions set proven_at = null where user_id = $1', [one.id])
  expect(await append(newMessage(chatRoomId, one))).toMatchObject({ verdict: 'device_required', seq: null })
  await world.sql('update sessions set proven_at = created_at where user_id = $1', [one.id])
  expect(await append(newMessage(chatRoomId, one))).toMatchObject({ verdict: 'stored', seq: 1 })
})

test('the log can be proven without what a message says: its hash is the one that clients compare', async () => {
  const { one, chatRoomId } = await freshPair()
  const content = 'zwölf "Boxkämpfer" \\ 🥊'
  await one.says(chatRoomId, content)
  const [row] = await world.sql(
    'select content_hash, log_entry_hash(content) as made from messages where room = (select number from chat_rooms where id = $1)',
    [chatRoomId],
  )
  expect(row?.['content_hash']).toEqual(Buffer.from(sha256('conclave/log-entry/v1', utf8(content))))
  expect(row?.['made']).toEqual(row?.['content_hash'])
})

test('a silent message takes its place and reaches everybody, but is no news, no preview and free', async () => {
  const { one, two, chatRoomId } = await freshPair()
  await one.says(chatRoomId, 'aloud')
  const before = await memberRow(chatRoomId, two)
  const silent = await append(newMessage(chatRoomId, one, { isSilent: true }))
  expect(silent).toMatchObject({ verdict: 'stored', seq: 2 })
  expect(silent?.listeners.sort()).toEqual([one.id, two.id].sort())
  expect(await memberRow(chatRoomId, two)).toEqual(before)
  expect((await two.contacts())[0]).toMatchObject({ unreadCount: 1, lastSeq: 2, lastMessage: { seq: 1 } })
  const [used] = await world.sql('select monthly_messages_count as sent from users where id = $1', [one.id])
  expect(used).toEqual({ sent: 1 })
  await one.says(chatRoomId, 'aloud again')
  expect(await memberRow(chatRoomId, two)).toMatchObject({ unread: 2 })
  await two.does(messagesApi.markRead, { chatRoomId, seq: 2 })
  expect(await memberRow(chatRoomId, two)).toMatchObject({ unread: 1, read: 2 })
  await two.does(messagesApi.markRead, { chatRoomId, seq: 3 })
  expect(await memberRow(chatRoomId, two)).toMatchObject({ unread: 0, read: 3 })
})

test('of messages of many rooms in one call each changes its own room, in whatever order they come', async () => {
  const pairs = await Promise.all(Array.from({ length: 6 }, () => freshPair()))
  const byRoom = pairs.sort((a, b) => (a.chatRoomId < b.chatRoomId ? 1 : -1))
  const order = [3, 0, 5, 1, 4, 2].flatMap((at) => byRoom[at] ?? [])
  // The first has its second message and the others their first; one of them is silent.
  await order[0]?.one.says(order[0].chatRoomId, 'before')
  const isSilent = (at: number) => at === 2
  const sent = order.map(({ one, chatRoomId }, at) => newMessage(chatRoomId, one, { isSilent: isSilent(at) }))
  const results = await appendMessages(world.pool, sent, world.env.clock())
  expect(results.map(({ seq }) => seq)).toEqual([2, 1, 1, 1, 1, 1])
  for (const [at, { one, two, chatRoomId }] of order.entries()) {
    const unread = isSilent(at) ? 0 : at === 0 ? 2 : 1
    expect(results[at]?.listeners.sort()).toEqual([one.id, two.id].sort())
    expect(await memberRow(chatRoomId, two)).toMatchObject({ unread, received: unread })
    expect(await memberRow(chatRoomId, one)).toMatchObject({ unread: 0, read: at === 0 ? 2 : 1, received: 0 })
  }
})

test('a plan without messages left still sends silent ones', async () => {
  const one = await world.person('one', 'test')
  const chatRoomId = await one.talksTo(await world.person('two'))
  await world.sql('update users set monthly_messages_count = 10, usage_reset_date = now() where id = $1', [one.id])
  expect(await append(newMessage(chatRoomId, one))).toMatchObject({ verdict: 'message_limit_reached', messagesPerMonth: 10 })
  expect(await append(newMessage(chatRoomId, one, { isSilent: true }))).toMatchObject({ verdict: 'stored', seq: 1 })
})

test('whoever has blocked the sender has the message in its place, but hears nothing and has nothing unread', async () => {
  const { one, two, chatRoomId } = await freshPair()
  await one.says(chatRoomId, 'before')
  await world.sql('update contacts set is_blocked = true where user_id = $1 and contact_user_id = $2', [two.id, one.id])
  expect(await append(newMessage(chatRoomId, one))).toMatchObject({ verdict: 'stored', seq: 2, listeners: [one.id] })
  expect(await memberRow(chatRoomId, two)).toMatchObject({ unread: 0, uncounted: 2, read: 0, received: 1 })
  await world.sql('update contacts set is_blocked = false where user_id = $1', [two.id])
  await one.says(chatRoomId, 'after')
  expect(await memberRow(chatRoomId, two)).toMatchObject({ unread: 1, uncounted: 2, received: 2 })
  await two.does(messagesApi.markRead, { chatRoomId, seq: 3 })
  expect(await memberRow(chatRoomId, two)).toMatchObject({ unread: 0, read: 3 })
})

test('what a member has received counts by the month', async () => {
  const { one, two, chatRoomId } = await freshPair()
  for (let count = 0; count < 3; count++) await one.says(chatRoomId, 'x')
  await two.says(chatRoomId, 'y')
  expect(await memberRow(chatRoomId, two)).toMatchObject({ received: 3 })
  expect(await memberRow(chatRoomId, one)).toMatchObject({ received: 1 })
  await world.sql(`update chat_participants set received_month = received_month - interval '1 month' where chat_room_id = $1`, [
    chatRoomId,
  ])
  await one.says(chatRoomId, 'x')
  expect(await memberRow(chatRoomId, two)).toMatchObject({ received: 1 })
})

test('what an append reads does not grow with what is stored, whatever was known when it was planned', async () => {
  const { one, chatRoomId } = await freshPair()
  await world.sql('delete from messages')
  // After it each call plans anew and reads the catalog.
  await world.stopsVacuum()
  const connections: pg.Client[] = []
  const connectAgain = async () => {
    const client = new pg.Client({ connectionString: world.databaseUrl })
    await client.connect()
    onTestFinished(() => client.end())
    connections.push(client)
    // The first call of a connection makes its plans.
    await pagesOf(client)
  }
  /** Pages that appends of four kinds touch: a new message, the same one again, one of another epoch, one that takes others back. */
  async function pagesOnce(client: pg.Client): Promise<number> {
    const id = randomUUID()
    let pages = 0
    for (const more of [{ id }, { id }, { sealedFor: { groupId: 'x', epoch: 1 } }, { isSilent: true, takesBack: [1, 2, 3] }]) {
      const explained = {
        query: async ({ text, values }: { text: string; values: unknown[] }) => {
          const { rows } = await client.query(`explain (analyze, buffers, format json) ${text}`, values)
          const [{ Plan: plan }] = rows[0]['QUERY PLAN']
          pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
          return { rows: [] }
        },
      }
      await appendMessages(explained as unknown as pg.Pool, [newMessage(chatRoomId, one, more)], new Date())
    }
    return pages
  }
  // A vacuum that had begun before may do so too: of six calls, one does not plan anew.
  const pagesOf = async (client: pg.Client) => {
    const pages: number[] = []
    while (pages.length < 6) pages.push(await pagesOnce(client))
    return Math.min(...pages)
  }
  const most = async () => {
    let pages = 0
    for (const client of connections) pages = Math.max(pages, await pagesOf(client))
    return pages
  }
  // In steps that stay below the time a statement may take.
  const STEP = 100_000
  const fill = async (from: number, to: number) => {
    for (let begin = from; begin <= to; begin += STEP)
      await world.sql(
        `insert into messages (room, seq, id, sender_id, content, message_type, is_encrypted, created_at)
         select (select number from chat_rooms where id = $1), 1000000 + n, gen_random_uuid(), $2, 'x', 'text', false, now() from generate_series($3::int, $4::int) n`,
        [chatRoomId, one.id, begin, Math.min(to, begin + STEP - 1)],
      )
  }
  // The long run fills the table as a server of years would.
  const MANY = process.env.WALK_STEPS ? 1_000_000 : 12_000
  // Indexes get a level or two, and rows lie on more pages.
  const MORE_PAGES = 100
  await connectAgain()
  await world.sql('analyze')
  await connectAgain()
  const empty = await most()
  // While the cluster looks at its own tables, versions of rows that are gone are read too, which passes.
  const staysSmall = () => expect.poll(most, { timeout: 20_000 }).toBeLessThan(empty + MORE_PAGES)
  await fill(1, 1000)
  await connectAgain()
  await staysSmall()
  // Somebody with many contacts, rooms and sessions, in a database of many people.
  await world.sql(
    `with people as (
       insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at)
       select gen_random_uuid(), 'many_' || n, 'x', '', '', now(), now() from generate_series(1, 2000) n returning id
     ), rooms as (
       insert into chat_rooms (id, created_by, created_at) select 'r' || id, id, now() from people returning id, created_by
     )
     insert into contacts (id, user_id, contact_user_id, state, chat_room_id, added_at)
     select gen_random_uuid(), $1, created_by, 'accepted', id, now() from rooms`,
    [one.id],
  )
  await world.sql(
    `insert into chat_participants (chat_room_id, user_id, joined_at)
     select id, unnest(array[created_by, $1::uuid]), now() from chat_rooms where id like 'r%' and id not like 'room%'`,
    [one.id],
  )
  await world.sql(
    `insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at)
     select sha256(n::text::bytea), $1, now(), now(), now() + interval '1 day' from generate_series(1, 2000) n`,
    [one.id],
  )
  await fill(1001, MANY)
  await connectAgain()
  await staysSmall()
  await world.sql('analyze')
  await connectAgain()
  await staysSmall()
  for (let upTo = 1_000_000; upTo <= 1_000_000 + MANY; upTo += STEP)
    await world.sql('delete from messages where seq > 1000000 and seq <= $1', [upTo + STEP])
  // Another test's transaction would keep what is deleted.
  await world.settles()
  await world.sql('vacuum analyze messages')
  await connectAgain()
  await fill(1, MANY)
  await staysSmall()
}, 600_000)
