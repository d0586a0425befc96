import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import type { TestPerson } from '../../testing/people.ts'
import { wordsOf } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { roomOfRow } from '../list/listedRoom.ts'
import { refreshOwnDevices } from '../trust/ownDevices.ts'
import { catchUp } from './catchUp.ts'
import { enterRoom } from './readyRoom.ts'

const notesOf = ({ userId }: TestPerson, lastSeq: number) =>
  roomOfRow(userId, {
    ...{ chatRoomId: notesRoomId(userId), addedAt: new Date().toISOString(), people: [], direct: null, lastSeq, clearedSeq: 0 },
    ...{ isPasswordProtected: false, isLocked: false, lastMessageAt: null, lastMessage: null, unreadCount: 0, mutedUntil: null },
    readSeq: 0,
  }).room

async function notes(person: TestPerson, text: string): Promise<void> {
  const room = notesOf(person, 0)
  const content = { type: 'text' as const, text }
  await person.core.keepInOutbox({
    ...{ id: randomUUID(), chatRoomId: room.id, content, replyToId: null, sentAt: new Date().toISOString() },
  })
  await person.sends(room)
}

async function reads(person: TestPerson): Promise<string[]> {
  await refreshOwnDevices(person.env)
  await catchUp(person.env, notesOf(person, 0))
  const { messages } = await person.core.page({ chatRoomId: notesRoomId(person.userId), limit: 50 })
  return messages.map(({ body }) => wordsOf(body))
}

test('notes are begun alone, read by the other browser of before and by a later one, which all write', async () => {
  const { wire, alice, eve } = await people()
  const laptop = await alice.newComputer()
  await refreshOwnDevices(alice.env)
  await notes(alice, 'first')
  expect(wire.rooms.get(notesRoomId(alice.userId))?.log.map(({ kind }) => kind)).toEqual(['commit', 'message'])
  await enterRoom(laptop.env, notesOf(laptop, 2))
  expect(await reads(laptop)).toEqual(['first'])
  await notes(laptop, 'second')
  expect(await reads(alice)).toEqual(['first', 'second'])
  const phone = await alice.newComputer()
  await refreshOwnDevices(alice.env)
  await notes(phone, 'third')
  for (const browser of [alice, laptop, phone]) expect(await reads(browser)).toEqual(['first', 'second', 'third'])
  // Nobody else's room, whatever the server calls it.
  await expect(eve.core.roomNeed({ chatRoomId: notesRoomId(alice.userId), peerIds: [], now: 0 })).rejects.toMatchObject({
    code: 'place',
  })
  await expect(
    alice.core.roomNeed({ chatRoomId: notesRoomId(alice.userId), peerIds: [eve.userId], now: 0 }),
  ).rejects.toMatchObject({ code: 'place' })
})
