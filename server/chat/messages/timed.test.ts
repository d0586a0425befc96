import { expect, test } from 'vitest'
import { LIFETIMES } from '../../../contract/chat/lifetimes.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Person } from '../../testing/person.ts'
import { fileOf, sealedBytes, uploadsFile } from '../../testing/sealed.ts'
import { startWorld } from '../../testing/world.ts'
import { emptyTimed } from './timed.ts'

const world = await startWorld()

async function freshPair(): Promise<{ one: Person; two: Person; chatRoomId: string }> {
  const [one, two] = await Promise.all([world.person('one'), world.person('two')])
  return { one, two, chatRoomId: await one.talksTo(two) }
}

/** Returns the contents of a room after the job; null for an empty place. */
async function left(who: Person, chatRoomId: string): Promise<(string | null)[]> {
  while (await emptyTimed(world.env));
  const { entries } = await who.does(roomsApi.log, { chatRoomId })
  return entries.map((entry) => (entry.kind === 'message' ? entry.content : null))
}

const HOUR = 3600

test('the server empties a place one lifetime after the reader’s mark has passed it, and no other', async () => {
  const { one, two, chatRoomId } = await freshPair()
  await one.says(chatRoomId, 'an hour', { lifetime: HOUR })
  await one.says(chatRoomId, 'a day', { lifetime: 24 * HOUR })
  await one.says(chatRoomId, 'stays')
  await one.says(chatRoomId, 'later', { lifetime: HOUR })
  await one.does(messagesApi.markRead, { chatRoomId })
  world.passes(2 * HOUR)
  expect(await left(two, chatRoomId)).toEqual(['an hour', 'a day', 'stays', 'later'])
  await two.does(messagesApi.markDelivered, { chatRoomId, seq: 4 })
  await two.does(messagesApi.markRead, { chatRoomId, seq: 3 })
  world.passes(HOUR - 1)
  expect(await left(two, chatRoomId)).toEqual(['an hour', 'a day', 'stays', 'later'])
  // A later mark puts nothing off.
  await two.does(messagesApi.markRead, { chatRoomId, seq: 4 })
  world.passes(1)
  for (const who of [one, two]) expect(await left(who, chatRoomId)).toEqual([null, 'a day', 'stays', 'later'])
  world.passes(23 * HOUR)
  expect(await left(two, chatRoomId)).toEqual([null, null, 'stays', null])
})

test('what the reader’s own message has passed is lowered by their next mark', async () => {
  const { one, two, chatRoomId } = await freshPair()
  await one.says(chatRoomId, 'words', { lifetime: HOUR })
  await two.does(messagesApi.markRead, { chatRoomId })
  await one.says(chatRoomId, 'an edit', { lifetime: HOUR, isSilent: true })
  await two.says(chatRoomId, 'an answer')
  await one.says(chatRoomId, 'more')
  await two.does(messagesApi.markRead, { chatRoomId })
  world.passes(HOUR)
  expect(await left(two, chatRoomId)).toEqual([null, null, 'an answer', 'more'])
})

test('what nobody reads is emptied 30 days and a lifetime after it was sent', async () => {
  const { one, chatRoomId } = await freshPair()
  await one.says(chatRoomId, 'unread', { lifetime: HOUR })
  world.passes(LIFETIMES.unread + HOUR - 1)
  expect(await emptyTimed(world.env)).toBe(false)
  const rows = () =>
    world.sql(
      `select m.content, (select count(*)::int from timed_messages t where t.room = m.room) as timed
      from messages m join chat_rooms r on r.number = m.room where r.id = $1`,
      [chatRoomId],
    )
  expect(await rows()).toEqual([{ content: 'unread', timed: 1 }])
  world.passes(1)
  expect(await emptyTimed(world.env)).toBe(false)
  expect(await rows()).toEqual([{ content: '', timed: 0 }])
})

test('a row says when its own mark was raised', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const readAt = async () => (await two.does(roomsApi.list, {})).rooms.map((row) => row.readAt)
  await one.says(chatRoomId, 'goes', { lifetime: HOUR })
  expect(await readAt()).toEqual([null])
  world.passes(60)
  await two.does(messagesApi.markRead, { chatRoomId })
  const [seenAt] = await readAt()
  expect(world.env.clock().getTime() - Date.parse(seenAt ?? '')).toBeLessThan(30_000)
})

test('the file of a message that has ended is dropped', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const body = sealedBytes()
  const path = await uploadsFile(one, body)
  await one.says(chatRoomId, 'a file', { ...fileOf(path, body.length), lifetime: HOUR })
  await two.does(messagesApi.markRead, { chatRoomId })
  world.passes(HOUR)
  expect(await left(two, chatRoomId)).toEqual([null])
  expect(await world.sql('select state from objects where owner_id = $1 and chat_room_id = $2', [one.id, chatRoomId])).toEqual([
    { state: 'dropped' },
  ])
})

test('Eve ends nothing early: her mark in another chat, and a lifetime that no build writes', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const eve = await freshPair()
  await one.says(chatRoomId, 'theirs', { lifetime: HOUR })
  await eve.two.says(eve.chatRoomId, 'hers')
  await eve.one.does(messagesApi.markRead, { chatRoomId: eve.chatRoomId })
  expect(await eve.one.tries(messagesApi.markRead, { chatRoomId })).toBeRefused(404, 'not_found')
  world.passes(HOUR)
  expect(await left(two, chatRoomId)).toEqual(['theirs'])
  for (const lifetime of [0, LIFETIMES.min - 1, 60.5, LIFETIMES.max + 1])
    expect(await one.tries(messagesApi.send, { chatRoomId, content: 'x', messageType: 'text', lifetime })).toBeRefused(
      400,
      'invalid_input',
    )
})
