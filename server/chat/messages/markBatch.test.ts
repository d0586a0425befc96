import { sql } from 'drizzle-orm'
import { expect, onTestFinished, test } from 'vitest'
import { connect, isDatabaseAway } from '../../ground/db/connect.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { hashOf } from '../chatlocks/chatGate.ts'
import { makeMarkBatch } from './markBatch.ts'
import { type Mark, raiseMarks } from './store-marks.ts'

const world = await startWorld()

async function talk(): Promise<{ one: Person; two: Person; chatRoomId: string; mark: Mark }> {
  const [one, two] = [await world.person('one'), await world.person('two')]
  const chatRoomId = await one.talksTo(two)
  for (const text of ['a', 'b', 'c']) await two.says(chatRoomId, text)
  return { one, two, chatRoomId, mark: await markOf(one, chatRoomId) }
}

async function markOf(who: Person, chatRoomId: string): Promise<Mark> {
  const [session] = await world.sql('select token_hash as hash from sessions where user_id = $1', [who.id])
  const hash = Buffer.from(session?.['hash'] as Uint8Array).toString('hex')
  return { chatRoomId, userId: who.id, seq: 2, isRead: true, session: hashOf({ sessionHash: hash }) }
}

const marksOf = async ({ one, chatRoomId }: { one: Person; chatRoomId: string }) =>
  (
    await world.sql(
      `select delivered_seq::int as delivered, read_seq::int as read, unread_count as unread from chat_participants
       where chat_room_id = $1 and user_id = $2`,
      [chatRoomId, one.id],
    )
  )[0]

test('Marks of one statement are judged one by one: a stranger, a session that has ended and a locked chat move nothing and hinder nobody', async () => {
  const [fine, strange, ended, locked, open] = [await talk(), await talk(), await talk(), await talk(), await talk()]
  const eve = await world.person('eve')
  const twoMinutesAgo = new Date(world.env.clock().getTime() - 120_000)
  for (const { one, chatRoomId } of [locked, open]) {
    const own = [chatRoomId, one.id]
    await world.sql('update chat_participants set is_protected = true where chat_room_id = $1 and user_id = $2', own)
    await world.sql(
      `insert into chat_locks (chat_room_id, user_id, salt, verifier, lock_secret) values ($1, $2, '', '', '')`,
      own,
    )
  }
  await world.sql(
    'insert into open_chats (chat_room_id, user_id, session_hash, verified_at, used_at) values ($1, $2, $3, $4, $4)',
    [open.chatRoomId, open.one.id, open.mark.session, twoMinutesAgo],
  )
  await world.sql('delete from sessions where user_id = $1', [ended.one.id])
  const marks = [
    { ...(await markOf(eve, strange.chatRoomId)) },
    fine.mark,
    ended.mark,
    // Of somebody else’s session.
    { ...strange.mark, session: fine.mark.session },
    locked.mark,
    open.mark,
  ]
  const results = await raiseMarks(world.pool, marks, world.env.clock())
  const moved = { deliveredSeq: 2, readSeq: 2, hasDelivered: true }
  expect(results).toMatchObject(['not_found', moved, 'not_signed_in', 'not_signed_in', 'chat_locked', moved])
  const still = { delivered: 0, read: 0, unread: 3 }
  for (const each of [strange, ended, locked]) expect(await marksOf(each)).toEqual(still)
  for (const each of [fine, open]) expect(await marksOf(each)).toEqual({ delivered: 2, read: 2, unread: 1 })
  const [used] = await world.sql('select used_at > $2 as later from open_chats where chat_room_id = $1', [
    open.chatRoomId,
    twoMinutesAgo,
  ])
  expect(used).toEqual({ later: true })
  expect(await raiseMarks(world.pool, [fine.mark], world.env.clock())).toEqual([undefined])
})

test('Marks that come while others are on their way go together, none is lowered, and none goes past the newest message', async () => {
  const talks = [await talk(), await talk(), await talk()]
  const batch = makeMarkBatch({ pool: world.pool, clock: world.env.clock })
  const asked = talks.flatMap(({ mark }) => [
    batch.raise({ ...mark, seq: 1 }),
    batch.raise({ ...mark, seq: 900 }),
    batch.raise({ ...mark, seq: 2, isRead: false }),
  ])
  await Promise.all(asked)
  for (const each of talks) expect(await marksOf(each)).toEqual({ delivered: 3, read: 3, unread: 0 })
})

test('What has come and is read in part stays marked as come', async () => {
  const { one, chatRoomId, mark } = await talk()
  for (const next of [
    { seq: 3, isRead: false },
    { seq: 1, isRead: true },
  ])
    await raiseMarks(world.pool, [{ ...mark, ...next }], world.env.clock())
  expect(await marksOf({ one, chatRoomId })).toEqual({ delivered: 3, read: 1, unread: 2 })
})

test('A mark that the database refuses fails alone', async () => {
  const [one, two] = [await talk(), await talk()]
  const batch = makeMarkBatch({ pool: world.pool, clock: world.env.clock })
  const results = await Promise.allSettled([
    batch.raise(one.mark),
    batch.raise({ ...two.mark, userId: 'no id' }),
    batch.raise(two.mark),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(await marksOf(two)).toEqual({ delivered: 2, read: 2, unread: 1 })
})

test('Of the marks of one flush only that of a member whose row stays locked is told to try again', async () => {
  const [first, held, one] = [await talk(), await talk(), await talk()]
  const batch = makeMarkBatch({ pool: world.pool, clock: world.env.clock })
  const [, kept, raised] = await world.env.db.transaction(async (tx) => {
    await tx.execute(sql`select from chat_participants where chat_room_id = ${held.chatRoomId} for no key update`)
    // Behind a flush that is under way the other two are taken together.
    return await Promise.allSettled([first, held, one].map(({ mark }) => batch.raise(mark)))
  })
  expect(raised).toMatchObject({ status: 'fulfilled', value: { readSeq: 2 } })
  expect(kept?.status === 'rejected' && isDatabaseAway(kept.reason)).toBe(true)
  expect(await marksOf(held)).toMatchObject({ read: 0 })
})

test('A member whose row somebody keeps locked holds up their own marks alone', async () => {
  const [held, one, two] = [await talk(), await talk(), await talk()]
  const batch = makeMarkBatch({ pool: world.pool, clock: world.env.clock })
  const { own } = await world.env.db.transaction(async (tx) => {
    await tx.execute(sql`select from chat_participants where chat_room_id = ${held.chatRoomId} for no key update`)
    const own = [batch.raise(held.mark)]
    await world.lockWaits()
    for (let more = 0; more < 3; more++) own.push(batch.raise({ ...held.mark, seq: 3 }))
    for (const { mark } of [one, two]) expect(await batch.raise(mark)).toMatchObject({ readSeq: 2 })
    return { own }
  })
  await Promise.all(own)
  expect(await marksOf(held)).toEqual({ delivered: 3, read: 3, unread: 0 })
})

test('A server that stops writes the marks that it has taken, and takes no more', async () => {
  const { one, chatRoomId, mark } = await talk()
  const database = connect(world.databaseUrl)
  onTestFinished(() => database.close())
  const batch = makeMarkBatch({ pool: database.pool, clock: world.env.clock })
  const first = batch.raise(mark)
  const second = batch.raise({ ...mark, seq: 3 })
  const drained = batch.drain()
  await expect(batch.raise(mark)).rejects.toMatchObject({ code: 'unavailable' })
  await drained
  await Promise.all([first, second])
  expect(await marksOf({ one, chatRoomId })).toEqual({ delivered: 3, read: 3, unread: 0 })
})
