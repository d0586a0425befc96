import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { LIFETIMES } from '../../../contract/chat/lifetimes.ts'
import { type Draft, type Message, messagesApi, SILENT_LIMITS } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Person } from '../../testing/person.ts'
import { fileOf, reads, sealedBytes, uploadsFile } from '../../testing/sealed.ts'
import { startWorld } from '../../testing/world.ts'
import { emptyTimed } from './timed.ts'

const world = await startWorld()

const DAY = 24 * 3600

async function freshPair(): Promise<{ one: Person; two: Person; chatRoomId: string }> {
  const [one, two] = await Promise.all([world.person('one'), world.person('two')])
  return { one, two, chatRoomId: await one.talksTo(two) }
}

async function sendsOnce(who: Person, chatRoomId: string, more: Partial<Draft> = {}): Promise<Message> {
  const body = sealedBytes()
  const path = await uploadsFile(who, body)
  return who.says(chatRoomId, 'a picture', { ...fileOf(path, body.length), messageType: 'image', isOnce: true, ...more })
}

const opening = (chatRoomId: string, opens: number, more: Partial<Draft> = {}): Draft => ({
  ...{ chatRoomId, id: randomUUID(), content: 'opened', messageType: 'text', isSilent: true, opens },
  ...more,
})

async function stored(chatRoomId: string): Promise<unknown[]> {
  const words = 'select content from messages m join chat_rooms r on r.number = m.room where r.id = $1 order by seq'
  return (await world.sql(words, [chatRoomId])).map(({ content }) => content)
}

/** Returns the contents of a room after the job; null for an empty place. */
async function left(who: Person, chatRoomId: string): Promise<(string | null)[]> {
  while (await emptyTimed(world.env));
  const { entries } = await who.does(roomsApi.log, { chatRoomId })
  return entries.map((entry) => (entry.kind === 'message' ? entry.content : null))
}

test('what opens once is emptied with its file when its reader opens it, and a second opening is refused', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const { seq, filePath } = await sendsOnce(one, chatRoomId)
  await two.does(messagesApi.markRead, { chatRoomId })
  expect(await left(two, chatRoomId)).toEqual(['a picture'])
  expect(await reads(world.url, two, filePath ?? '')).toMatchObject({ status: 200 })

  const draft = opening(chatRoomId, seq)
  const first = await two.does(messagesApi.send, draft)
  expect(await stored(chatRoomId)).toEqual(['', 'opened'])
  // A lost answer is asked for again.
  expect(await two.tries(messagesApi.send, opening(chatRoomId, seq))).toBeRefused(409, 'already_opened')
  expect(await two.does(messagesApi.send, draft)).toMatchObject({ seq: first.seq })
  for (const who of [one, two]) expect(await left(who, chatRoomId)).toEqual([null, 'opened'])
  expect(await reads(world.url, two, filePath ?? '')).toMatchObject({ status: 404 })
  expect(await two.tries(messagesApi.send, opening(chatRoomId, seq))).toBeRefused(409, 'already_opened')
  expect(await world.sql('select count(*)::int as rows from timed_messages where sender_id = $1', [one.id])).toEqual([
    { rows: 0 },
  ])
})

test('two browsers that open at the same time: one of them is refused', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const { seq } = await sendsOnce(one, chatRoomId)
  const answers = await Promise.all([1, 2, 3].map(() => two.tries(messagesApi.send, opening(chatRoomId, seq))))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
})

test('Eve opens nothing that is not hers to open: her own, a plain message, another chat’s, one taken back', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const eve = await freshPair()
  const { seq } = await sendsOnce(one, chatRoomId)
  const plain = await one.says(chatRoomId, 'words')
  const gone = await sendsOnce(one, chatRoomId)
  await one.says(chatRoomId, 'taken back', { isSilent: true, takesBack: [gone.seq] })
  for (const [who, place] of [
    [one, seq],
    [two, plain.seq],
    [two, gone.seq],
    [two, 0],
    [two, 99],
  ] as const)
    expect(await who.tries(messagesApi.send, opening(chatRoomId, place))).toBeRefused(409, 'already_opened')
  expect(await eve.one.tries(messagesApi.send, opening(chatRoomId, seq))).toBeRefused(404, 'not_found')
  expect(await eve.one.tries(messagesApi.send, opening(eve.chatRoomId, seq))).toBeRefused(409, 'already_opened')
  expect(await left(two, chatRoomId)).toEqual(['a picture', 'words', null, 'taken back'])
  for (const more of [{ isSilent: false }, { content: 'x'.repeat(SILENT_LIMITS.bytes + 1) }, { takesBack: [plain.seq] }])
    expect(await two.tries(messagesApi.send, opening(chatRoomId, seq, more))).toBeRefused(400, 'invalid_input')
  for (const more of [{}, { isSilent: true }] as const)
    expect(
      await one.tries(messagesApi.send, { chatRoomId, content: 'x', messageType: 'text', isOnce: true, ...more }),
    ).toBeRefused(400, 'invalid_input')
})

test('of several readers the last one that opens it empties the place', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const three = await world.person('three')
  await world.sql("update chat_rooms set type = 'group' where id = $1", [chatRoomId])
  await world.sql('insert into chat_participants (chat_room_id, user_id, joined_at) values ($1, $2, now())', [
    chatRoomId,
    three.id,
  ])
  const { seq } = await sendsOnce(one, chatRoomId)
  await two.does(messagesApi.send, opening(chatRoomId, seq))
  expect(await stored(chatRoomId)).toEqual(['a picture', 'opened'])
  expect(await two.tries(messagesApi.send, opening(chatRoomId, seq))).toBeRefused(409, 'already_opened')
  await three.does(messagesApi.send, opening(chatRoomId, seq))
  expect(await stored(chatRoomId)).toEqual(['', 'opened', 'opened'])
})

test('a reader without a plan opens what was sent to them, and what counts in no month is no way around it', async () => {
  const { one, two, chatRoomId } = await freshPair()
  const { seq } = await sendsOnce(one, chatRoomId)
  await world.sql("update users set subscription_tier = 'free' where id = $1", [two.id])
  expect(await two.tries(messagesApi.send, opening(chatRoomId, 99))).toBeRefused(409, 'already_opened')
  expect(await two.tries(messagesApi.send, { ...opening(chatRoomId, seq), opens: undefined })).toBeRefused(
    403,
    'subscription_required',
  )
  expect(await two.tries(messagesApi.send, opening(chatRoomId, seq))).toMatchObject({ status: 200 })
  expect(await world.sql('select monthly_silent_count as silent from users where id = $1', [two.id])).toEqual([{ silent: 0 }])
})

test('what nobody opens is emptied after 30 days, read or not, and with a lifetime at the end of that', async () => {
  const { one, two, chatRoomId } = await freshPair()
  await sendsOnce(one, chatRoomId)
  await sendsOnce(one, chatRoomId, { lifetime: DAY, content: 'for a day' })
  await sendsOnce(one, chatRoomId, { lifetime: LIFETIMES.max, content: 'for a year' })
  await two.does(messagesApi.markRead, { chatRoomId })
  const kept = async () => {
    while (await emptyTimed(world.env));
    return stored(chatRoomId)
  }
  world.passes(DAY - 1)
  expect(await kept()).toEqual(['a picture', 'for a day', 'for a year'])
  world.passes(1)
  expect(await kept()).toEqual(['a picture', '', 'for a year'])
  world.passes(LIFETIMES.unread - DAY - 1)
  expect(await kept()).toEqual(['a picture', '', 'for a year'])
  world.passes(1)
  expect(await kept()).toEqual(['', '', ''])
})
