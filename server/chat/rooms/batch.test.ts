import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test, vi } from 'vitest'
import { writeEnvelope } from '../../../contract/chat/envelope.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { PLANS } from '../../../contract/money/plans.ts'
import { connect, type Database } from '../../ground/db/connect.ts'
import { firstManifests } from '../../testing/group.ts'
import { newMessage } from '../../testing/message.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { type Batch, makeBatch } from './batch.ts'
import { appendMessages } from './store-append.ts'

const world = await startWorld()
const { alice, bob, carol, eve } = await world.people()
const room = await alice.talksTo(bob)
const spare = await carol.talksTo(bob)

type Bounds = NonNullable<Parameters<typeof makeBatch>[0]['bounds']>

/** Bounds with which no second flush starts beside the first. */
const ONE_AT_A_TIME = { slowMs: Number.POSITIVE_INFINITY, smallMessages: 0 }

/** The sizes of the flushes of the newest batch. */
let lastSizes: number[] = []

/** Replaces the server's batch with one of these bounds, until the test ends. */
function withBatch(bounds: Bounds = {}): { batch: Batch; sizes: number[] } {
  const sizes: number[] = []
  const batch = makeBatch({ pool: world.pool, clock: world.env.clock, bounds, onFlush: (size) => sizes.push(size) })
  lastSizes = sizes
  const before = world.env.batch
  world.env.batch = batch
  onTestFinished(() => {
    world.env.batch = before
  })
  return { batch, sizes }
}

/** Makes the early checks pass for everyone until the test ends, so that only the append itself can refuse. */
function judgedTooEarly(): void {
  const { isMember, findSession } = world.env
  world.env.isMember = async () => true
  world.env.findSession = async (hash) => {
    const user = await findSession(hash)
    return user && { ...user, subscriptionTier: 'premium', rights: PLANS.premium.rights }
  }
  onTestFinished(() => void Object.assign(world.env, { isMember, findSession }))
}

/** Locks the room in another transaction while `during` runs. */
const whileLocked = <T>(chatRoomId: string, during: () => Promise<T>): Promise<T> =>
  world.env.db.transaction(async (tx) => {
    await tx.execute(sql`select from chat_rooms where id = ${chatRoomId} for no key update`)
    return await during()
  })

/** Sends messages while one flush is held up, so that they share the next one. Returns the responses and the flush sizes. */
async function inOneFlush<T>(...sends: (() => Promise<T>)[]): Promise<{ answers: T[]; sizes: number[] }> {
  const { batch, sizes } = withBatch(ONE_AT_A_TIME)
  const [first, answers] = await whileLocked(spare, async () => {
    const first = carol.says(spare, 'the one that is held up')
    await expect.poll(() => sizes).toEqual([1])
    const answers = sends.map((send) => send())
    await expect.poll(() => batch.waiting()).toBe(sends.length)
    // They are not awaited here, because no response can come before the lock is released.
    return [first, answers] as const
  })
  await first
  return { answers: await Promise.all(answers), sizes }
}

async function freshPair(): Promise<{ one: Person; two: Person; chatRoomId: string }> {
  const [one, two] = await Promise.all([world.person('one'), world.person('two')])
  return { one, two, chatRoomId: await one.talksTo(two) }
}

const seqsOf = async (chatRoomId: string) =>
  (
    await world.sql('select seq::int from messages where room = (select number from chat_rooms where id = $1) order by seq', [
      chatRoomId,
    ])
  ).map((row) => row['seq'])

test('what is sent at the same time shares a COMMIT: of each room and each sender one message', async () => {
  const pairs = await Promise.all(Array.from({ length: 5 }, () => freshPair()))
  const { answers, sizes } = await inOneFlush(
    ...pairs.flatMap(({ one, two, chatRoomId }) => [one, two, one, two].map((who) => () => who.says(chatRoomId, 'hello'))),
  )
  expect(sizes).toEqual([1, 5, 5, 5, 5])
  expect(answers[0]?.createdAt).toBe(answers[4]?.createdAt)
  for (const { chatRoomId } of pairs) expect(await seqsOf(chatRoomId)).toEqual([1, 2, 3, 4])
  // The rows of one transaction have the same xmin.
  const rows = await world.sql(
    'select distinct xmin::text from messages where room in (select number from chat_rooms where id = any($1)) and seq = 1',
    [pairs.map((pair) => pair.chatRoomId)],
  )
  expect(rows).toHaveLength(1)
})

test('a flush takes no more than its bound', async () => {
  const pairs = await Promise.all(Array.from({ length: 4 }, () => freshPair()))
  const { sizes } = withBatch({ flushMessages: 2 })
  await Promise.all(pairs.map(({ one, chatRoomId }) => one.says(chatRoomId, 'x')))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(2)
})

test('beside a flush that is held up, enough new messages are written, and those that it holds up count once', async () => {
  const pairs = await Promise.all(Array.from({ length: 3 }, () => freshPair()))
  const { batch, sizes } = withBatch({ ...ONE_AT_A_TIME, besideMessages: 2 })
  const held = await whileLocked(spare, async () => {
    const held = [carol.says(spare, 'held up')]
    await expect.poll(() => sizes).toEqual([1])
    const [first, second, third] = pairs.map((pair) => () => pair.one.says(pair.chatRoomId, 'x'))
    held.push(bob.says(spare, 'behind it'))
    await first?.()
    expect(sizes).toEqual([1, 1])
    // The one behind it waits still: two more are needed, not one.
    const alone = second?.()
    await expect.poll(() => batch.waiting()).toBe(2)
    expect(sizes).toEqual([1, 1])
    await Promise.all([alone, third?.()])
    expect(sizes).toEqual([1, 1, 2])
    return held
  })
  expect(await Promise.all(held)).toHaveLength(2)
})

test('beside a flush that is held up, all that it does not hold up is written, flush after flush', async () => {
  const pairs = await Promise.all(Array.from({ length: 6 }, () => freshPair()))
  const { sizes } = withBatch({ ...ONE_AT_A_TIME, flushMessages: 2, besideMessages: 2 })
  const held = await whileLocked(spare, async () => {
    const held = [carol.says(spare, 'held up')]
    await expect.poll(() => sizes).toEqual([1])
    await Promise.all(pairs.map(({ one, chatRoomId }) => one.says(chatRoomId, 'x')))
    expect(sizes).toEqual([1, 2, 2, 2])
    return held
  })
  expect(await Promise.all(held)).toHaveLength(1)
})

test('what is refused in a batch is refused alone: Eve, an old epoch, a free plan', async () => {
  judgedTooEarly()
  const { one, two, chatRoomId } = await freshPair()
  const groupId = randomBytes(48).toString('base64')
  const some = randomBytes(60).toString('base64')
  const sealed = (epoch: number) => writeEnvelope({ v: 1, groupId, epoch, mls: some, archive: some, body: some })
  await world.sql('update chat_rooms set generation = 1, group_id = $2, epoch = 3 where id = $1', [chatRoomId, groupId])
  await world.sql("update users set subscription_tier = 'free' where id = $1", [two.id])
  const { answers } = await inOneFlush(
    () => one.posts(chatRoomId, sealed(3)),
    () => eve.posts(chatRoomId, sealed(3)),
    () => one.posts(chatRoomId, sealed(2)),
    () => two.posts(chatRoomId, sealed(3)),
    () => eve.posts(`dm_${randomUUID()}_${randomUUID()}`, 'x'),
    () => one.posts(chatRoomId, sealed(3)),
  )
  const [first, stranger, stale, free, nowhere, last] = answers
  expect([first?.status, last?.status]).toEqual([200, 200])
  expect(stranger).toBeRefused(404, 'not_found')
  expect(nowhere?.body).toEqual(stranger?.body)
  expect(stale).toBeRefused(409, 'stale_epoch')
  expect(stale?.body).toMatchObject({ details: { generation: 1, groupId, epoch: 3 } })
  expect(free).toBeRefused(403, 'subscription_required')
  expect(await seqsOf(chatRoomId)).toEqual([1, 2])
  expect(await world.sql('select from messages where sender_id = $1', [eve.id])).toEqual([])
})

test('a row that the database refuses fails alone, and burns no place', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const other = await freshPair()
  await world.sql(`create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`)
  await world.sql(
    `create trigger refuse before insert on messages for each row when (new.content = 'poison') execute function refuse()`,
  )
  onTestFinished(async () => void (await world.sql('drop function refuse() cascade')))
  const { answers, sizes } = await inOneFlush(
    () => two.posts(chatRoomId, 'poison'),
    () => other.one.posts(other.chatRoomId, 'beside it'),
    () => one.posts(chatRoomId, 'behind it'),
    () => one.posts(chatRoomId, 'at the end'),
  )
  expect(sizes).toEqual([1, 2, 1, 1])
  expect(answers.map((answer) => answer.status)).toEqual([500, 200, 200, 200])
  expect(await seqsOf(chatRoomId)).toEqual([1, 2])
  expect(await seqsOf(other.chatRoomId)).toEqual([1])
})

test('the same id twice in one batch is one row, one frame and one answer', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const line = await two.opensSocket()
  const { batch, sizes } = withBatch(ONE_AT_A_TIME)
  const id = randomUUID()
  const answers = await whileLocked(chatRoomId, async () => {
    const append = vi.spyOn(batch, 'append')
    const held = one.says(chatRoomId, 'first')
    await expect.poll(() => sizes).toEqual([1])
    const twice = [one.says(chatRoomId, 'once', { id }), one.says(chatRoomId, 'once', { id: id.toUpperCase() })]
    await expect.poll(() => append.mock.calls.length).toBe(3)
    expect(batch.waiting()).toBe(1)
    return [held, ...twice]
  }).then((sent) => Promise.all(sent))
  expect(answers[1]).toMatchObject({ id, seq: 2 })
  expect(answers[2]).toEqual(answers[1])
  expect(await seqsOf(chatRoomId)).toEqual([1, 2])
  await line.hears('message', (frame) => frame.data.id === id)
  expect((await one.says(chatRoomId, 'next')).seq).toBe(3)
  await line.hears('message', (frame) => frame.data.seq === 3)
  expect(line.frames.filter((frame) => frame.type === 'message' && frame.data.id === id)).toHaveLength(1)
  line.hangsUp()
})

test("the same id of Alice and of Eve are two messages: hers does not become an answer to Alice's", async () => {
  judgedTooEarly()
  const id = randomUUID()
  const hers = await eve.talksTo(bob)
  const { answers } = await inOneFlush(
    () => alice.posts(room, 'of Alice', { id }),
    () => eve.posts(room, 'of Eve', { id }),
    () => eve.posts(hers, 'of Eve', { id }),
  )
  expect(answers.map((answer) => answer.status)).toEqual([200, 404, 200])
  expect(answers[0]?.body).toMatchObject({ senderId: alice.id, content: 'of Alice' })
  expect(answers[2]?.body).toMatchObject({ senderId: eve.id, content: 'of Eve', chatRoomId: hers })
})

test("a test plan's ten messages are ten within a batch and over the next ones", async () => {
  const one = await world.person('one', 'test')
  const rooms = await Promise.all(['ann', 'ben', 'cat'].map(async (name) => one.talksTo(await world.person(name))))
  const sends = (count: number) => Array.from({ length: count }, (_, at) => () => one.posts(rooms[at % 3] ?? room, `${at}`))
  const first = await inOneFlush(...sends(7))
  expect(first.answers.map((answer) => answer.status)).toEqual(Array(7).fill(200))
  const second = await inOneFlush(...sends(7))
  expect(second.answers.filter((answer) => answer.status === 200)).toHaveLength(3)
  for (const answer of second.answers.slice(3)) expect(answer).toBeRefused(403, 'message_limit_reached')
  expect(await world.sql('select monthly_messages_count as sent from users where id = $1', [one.id])).toEqual([{ sent: 10 }])
})

test.each([
  ['messages', { waitingMessages: 3 }],
  ['characters', { waitingChars: 3 }],
])('a queue that is full of %s says so, and when to come back', async (_what, bounds) => {
  const { one, chatRoomId } = await freshPair()
  const { batch, sizes } = withBatch({ ...bounds, ...ONE_AT_A_TIME })
  const draft = { chatRoomId, content: 'x', messageType: 'text' as const }
  const sent = await whileLocked(chatRoomId, async () => {
    const sent = [one.says(chatRoomId, 'x')]
    await expect.poll(() => sizes).toEqual([1])
    for (let at = 0; at < 3; at++) sent.push(one.says(chatRoomId, 'x'))
    await expect.poll(() => batch.waiting()).toBe(3)
    const answer = await one.request('POST', '/api/messages', { body: draft })
    expect(answer).toBeRefused(503, 'unavailable')
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(answer.body).toMatchObject({ retryAfterSeconds: 2 })
    return sent
  }).then((all) => Promise.all(all))
  expect(sent.map((message) => message.seq).sort()).toEqual([1, 2, 3, 4])
  expect((await one.says(chatRoomId, 'x')).seq).toBe(5)
})

test('a room that somebody keeps locked does not stop the others', async () => {
  const { sizes } = withBatch()
  const held = await whileLocked(spare, async () => {
    const held = [carol.says(spare, 'held up'), bob.says(spare, 'too')]
    await expect.poll(() => sizes.length).toBeGreaterThan(0)
    expect((await eve.says(await eve.talksTo(alice), 'elsewhere')).content).toBe('elsewhere')
    return held
  })
  expect(await Promise.all(held)).toHaveLength(2)
})

test('a connection that breaks before COMMIT is a 503 for all who shared it, and nothing is stored', async () => {
  const [first, second] = [await freshPair(), await freshPair()]
  const sends = [first, second].map(({ one, chatRoomId }) => {
    const id = randomUUID()
    return () => one.posts(chatRoomId, 'x', { id })
  })
  const answers = await whileLocked(first.chatRoomId, async () => {
    const sending = inOneFlush(...sends)
    await expect.poll(() => lastSizes).toEqual([1, 2])
    const broken = () =>
      world.sql(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`)
    await expect.poll(async () => (await broken()).length).toBe(1)
    return (await sending).answers
  })
  for (const answer of answers) expect(answer).toBeRefused(503, 'unavailable')
  for (const { chatRoomId } of [first, second]) expect(await seqsOf(chatRoomId)).toEqual([])
  for (const send of sends) expect(await send()).toMatchObject({ status: 200, body: { seq: 1 } })
})

test('draining finishes what was accepted and refuses the rest', async () => {
  const { one, chatRoomId } = await freshPair()
  const { batch, sizes } = withBatch()
  let isDrained = false
  const { sent, drained } = await whileLocked(chatRoomId, async () => {
    const sent = [one.says(chatRoomId, 'a')]
    await expect.poll(() => sizes).toEqual([1])
    sent.push(one.says(chatRoomId, 'b'), one.says(chatRoomId, 'c'))
    await expect.poll(() => batch.waiting()).toBe(2)
    const drained = batch.drain().then(() => {
      isDrained = true
    })
    expect(await one.posts(chatRoomId, 'late')).toBeRefused(503, 'unavailable')
    expect(isDrained).toBe(false)
    return { sent, drained }
  })
  await drained
  expect(await seqsOf(chatRoomId)).toEqual([1, 2, 3])
  expect(await Promise.all(sent)).toHaveLength(3)
})

test('two more servers with all of their connections never deadlock over the same rooms and people, in whatever order they come, commits beside them', async () => {
  const people = await Promise.all(Array.from({ length: 6 }, () => world.person('dan')))
  const rooms: { id: string; creator: Person; members: Person[] }[] = []
  const ordered = people.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  for (const [at, low] of ordered.entries())
    for (const high of ordered.slice(at + 1)) {
      // The rows of the two lie in the table as they came, by id or the other way around.
      const [one, two] = rooms.length % 2 === 0 ? [low, high] : [high, low]
      rooms.push({ id: await one.talksTo(two), creator: one, members: [one, two] })
    }
  const shuffled = <T>(list: T[]): T[] => list.toSorted(() => Math.random() - 0.5)
  const nodes = [connect(world.databaseUrl), connect(world.databaseUrl)]
  onTestFinished(async () => void (await Promise.all(nodes.map(({ close }) => close()))))
  const flush = (pool: Database['pool']) => () => {
    const senders = new Map(shuffled(rooms).map((room) => [shuffled(room.members)[0], room]))
    const messages = [...senders].slice(0, 3).flatMap(([sender, { id }]) => (sender ? [newMessage(id, sender)] : []))
    return appendMessages(pool, messages, new Date())
  }
  const commit = ({ id, creator }: (typeof rooms)[number]) => {
    const [groupId, some] = [randomBytes(48).toString('base64'), randomBytes(60).toString('base64')]
    const draft = {
      chatRoomId: id,
      groupId,
      epoch: 0,
      generation: 1,
      commit: some,
      groupInfo: some,
      archiveKeys: [],
      manifestVersions: firstManifests(id),
      afterSeq: 0,
    }
    return creator.does(roomsApi.commit, draft)
  }
  for (const { id, creator } of rooms) await creator.does(roomsApi.claimKeyPackages, { chatRoomId: id, generation: 1 })
  // Of all rooms and members at once: marks of many rooms go by one statement too.
  const markRead = () =>
    Promise.all(
      shuffled(rooms).flatMap(({ id, members }) => members.map((one) => one.does(messagesApi.markRead, { chatRoomId: id }))),
    )
  // As many calls at once as connections, because waiting for a connection has a timeout.
  const one = async <T>(works: (() => Promise<T>)[]) => {
    const done: T[] = []
    for (const work of works) done.push(await work())
    return done
  }
  const flushes = nodes.flatMap(({ pool }) =>
    Array.from({ length: pool.options.max ?? 0 }, () => one(Array.from({ length: 5 }, () => flush(pool)))),
  )
  const [results] = await Promise.all([
    Promise.all(flushes),
    one(rooms.map((room) => () => commit(room))),
    one(Array.from({ length: 10 }, () => markRead)),
  ])
  const verdicts = results.flat(2).map((result) => result.verdict)
  expect(verdicts).toEqual(Array(480).fill('stored'))
  const counts = await world.sql(
    `select last_seq::int as last, (select count(*)::int from messages m where m.room = r.number)
       + (select count(*)::int from room_commits c where c.room = r.number) as rows from chat_rooms r where id = any($1)`,
    [rooms.map((each) => each.id)],
  )
  for (const { last, rows } of counts) expect(rows).toBe(last)
  // The database detects a deadlock itself and fails one of the two, so the test needs no timeout for it.
}, 120_000)

test('a sender who is gone shifts nobody else in the batch', async () => {
  const [first, second, third] = [await freshPair(), await freshPair(), await freshPair()]
  const results = await appendMessages(
    world.pool,
    [
      newMessage(first.chatRoomId, first.one),
      newMessage(second.chatRoomId, second.one, { senderId: randomUUID() }),
      newMessage(third.chatRoomId, third.one),
    ],
    new Date(),
  )
  expect(results.map(({ verdict, seq, listeners }) => [verdict, seq, listeners.sort()])).toEqual([
    ['stored', 1, [first.one.id, first.two.id].sort()],
    ['not_signed_in', null, []],
    ['stored', 1, [third.one.id, third.two.id].sort()],
  ])
})

test('what fails at COMMIT is not acknowledged', async () => {
  const { one, chatRoomId } = await freshPair()
  await world.sql(`create function refuse_late() returns trigger language plpgsql as $$ begin raise 'no'; end $$`)
  await world.sql(`create constraint trigger refuse_late after insert on messages deferrable initially deferred
    for each row when (new.content = 'too late') execute function refuse_late()`)
  onTestFinished(async () => void (await world.sql('drop function refuse_late() cascade')))
  expect((await one.posts(chatRoomId, 'too late')).status).toBe(500)
  expect(await seqsOf(chatRoomId)).toEqual([])
  expect((await one.says(chatRoomId, 'in time')).seq).toBe(1)
})
