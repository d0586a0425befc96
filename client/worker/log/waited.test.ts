import { beforeEach, expect, test } from 'vitest'
import { messagesApi } from '../../../contract/chat/messages.ts'
import type { TestPerson } from '../../testing/people.ts'
import { patchedClient, people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'

const MINUTE_MS = 60_000

let alice: TestPerson
let bob: TestPerson
let roomId: string
let wire: Wire

beforeEach(async () => {
  ;({ alice, bob, roomId, wire } = await people())
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  await alice.reads(bob)
})

const ago = (minutes: number): string => new Date(Date.now() - minutes * MINUTE_MS).toISOString()

/** Alice wrote this some minutes ago without a line, and now it goes out. */
async function goesOut(text: string, minutes: number): Promise<string> {
  const sentAt = ago(minutes)
  const content = { type: 'text' as const, text }
  const message = { id: crypto.randomUUID(), chatRoomId: roomId, content, replyToId: null, sentAt }
  expect(await alice.core.keepAndSeal({ message, room: null })).toMatchObject({ envelope: null })
  await alice.sends(alice.room(bob))
  return sentAt
}

/** The server dates the newest message of the room back. */
function dateBack(minutes: number): void {
  const newest = wire.rooms.get(roomId)?.log.at(-1)
  if (newest?.kind !== 'message') throw new Error('Nobody wrote')
  newest.createdAt = ago(minutes)
}

/** What Bob reads beside the newest message, and Alice beside her own. */
const writtenAt = async () => [(await bob.reads(alice)).at(-1)?.sentAt, (await alice.reads(bob)).at(-1)?.sentAt]

test('Beside a message that waited for an hour both read when it was written, beside one that waited for five minutes nothing', async () => {
  const written = await goesOut('from the tunnel', 60)
  expect(await writtenAt()).toEqual([written, written])
  await goesOut('a moment later', 5)
  expect(await writtenAt()).toEqual([undefined, undefined])
})

test('It is signed with the time of sealing: a server that dates it back to its writing is found out', async () => {
  const from = Date.now()
  await goesOut('from the tunnel', 60)
  dateBack(60)
  const [shown] = await writtenAt()
  expect(Date.parse(shown ?? '')).toBeGreaterThanOrEqual(from)
})

test.each([
  ['names a later time of writing than of sealing', { writtenAt: new Date(Date.now() + MINUTE_MS).toISOString() }],
  ['names a time of writing without an end', { writtenAt: `2026-01-01T00:00:00.${'0'.repeat(500)}Z` }],
  ['names no time at all', { writtenAt: 'yesterday' }],
])('A message that %s is not shown as what it says', async (_, times) => {
  const eves = await patchedClient(alice, bob)
  const { id, content } = await eves.seals(times)
  await alice.env.api(messagesApi.send, { id, chatRoomId: roomId, content, messageType: 'text' })
  expect((await bob.reads(alice)).at(-1)?.body).toEqual({ kind: 'unreadable', reason: 'The message is not as it must be' })
})
