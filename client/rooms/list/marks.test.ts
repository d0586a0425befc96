import { expect, test } from 'vitest'
import type { Mark, Star } from '../../../contract/chat/content.ts'
import { directRoomId, notesRoomId } from '../../../contract/ground/shapes.ts'
import { passes } from '../../people/contacts/listFilter.ts'
import type { ListRow } from '../../people/contacts/VirtualRows.tsx'
import type { Marks } from '../../worker/crypto.ts'
import { withMark } from '../../worker/messages/marks.ts'
import { roomOfRow } from './listedRoom.ts'
import { isArchived, isDeleted, isMarkable, isMarkedUnread, isPinned, isStarred } from './marks.ts'
import { type RoomRow, sortRooms } from './roomList.ts'

const [ME, BOB, CAROL] = ['a', 'b', 'c'].map((letter) => `${letter.repeat(8)}-0000-4000-8000-000000000000`) as [
  string,
  string,
  string,
]

const rowOf = (other: string, change: Partial<RoomRow> = {}): RoomRow => {
  const { room } = roomOfRow(ME, {
    ...{ chatRoomId: directRoomId(ME, other), addedAt: '2026-01-01T00:00:00.000Z', people: [], lastSeq: 5, clearedSeq: 0 },
    direct: { contactId: BOB, state: 'accepted', isBlocked: false, hasAnswered: true },
    ...{ isPasswordProtected: false, isLocked: false, lastMessageAt: null, unreadCount: 0, mutedUntil: null, readSeq: 5 },
    lastMessage: { id: BOB, seq: 5, senderId: other, createdAt: '2026-01-02T00:00:00.000Z' },
  })
  return { ...room, ...change }
}

const marked = (...told: [other: string, is: Mark['is'], on: boolean, at?: number][]): Marks =>
  told.reduce<Marks>(
    (all, [other, is, on, at = 5], index) =>
      withMark(all, { type: 'mark', room: directRoomId(ME, other), is, on, at }, index + 1),
    {},
  )

test('a message brings a chat back, its own too, unless it is muted; unmuted, it comes then', () => {
  const marks = marked([BOB, 'archived', true], [BOB, 'pinned', true])
  const row = rowOf(BOB)
  expect([isArchived(row, marks), isPinned(row, marks)]).toEqual([true, false])
  const lastMessage = { ...row.lastMessage, id: CAROL, seq: 6, senderId: ME, createdAt: '2026-01-03T00:00:00.000Z' }
  expect(isArchived({ ...row, lastMessage }, marks)).toBe(false)
  expect(isPinned({ ...row, lastMessage }, marks)).toBe(true)
  expect(isArchived({ ...row, lastMessage, mutedUntil: '2030-01-01T00:00:00.000Z' }, marks)).toBe(true)
  expect(isArchived({ ...row, lastMessage: null, lastMessageAt: '2026-01-03T00:00:00.000Z', unreadCount: 1 }, marks)).toBe(false)
})

test('a deleted chat is on no list until a message comes after it, or it is brought back; muting changes nothing', () => {
  const deletion = (on: boolean, at: number) => ({ type: 'delete_chat' as const, room: directRoomId(ME, BOB), on, at })
  const marks = withMark(marked([BOB, 'archived', true]), deletion(true, 5), 9)
  const row = rowOf(BOB, { lastMessage: null, mutedUntil: '2030-01-01T00:00:00.000Z' })
  expect([isDeleted(row, marks), isArchived(row, marks)]).toEqual([true, false])
  const listed = { room: row, face: {}, people: [], direct: undefined } as unknown as ListRow
  const shows = (openRoomId: string | undefined) =>
    (['all', 'unread', 'archived'] as const).map((filter) => passes(listed, filter, { marks, openRoomId }))
  expect(shows(undefined)).toEqual([false, false, false])
  expect(shows(row.id)[0]).toBe(true)
  const lastMessage = { id: CAROL, seq: 6, senderId: BOB, createdAt: '2026-01-03T00:00:00.000Z' }
  expect(isDeleted({ ...row, lastMessage }, marks)).toBe(false)
  const missed = (missedSeq: number) => ({ kind: 'missed' as const, text: 'Missed voice call', status: null, missedSeq })
  expect([5, 6].map((seq) => isDeleted({ ...row, preview: missed(seq) }, marks))).toEqual([true, false])
  const pending = { contactId: BOB, state: 'pending' as const, isBlocked: false, hasAnswered: false }
  expect(isDeleted({ ...row, direct: pending }, marks)).toBe(false)
  const pinned = withMark(marked([BOB, 'pinned', true]), deletion(true, 5), 9)
  expect([isPinned(row, pinned), isPinned({ ...row, lastMessage }, pinned)]).toEqual([false, true])
  expect(isDeleted(row, withMark(marks, deletion(false, 5), 10))).toBe(false)
  expect(isDeleted(row, withMark(marks, deletion(false, 5), 8))).toBe(true)
})

test("marked as unread until something newer is read; a request, or another's notes, cannot be marked", () => {
  const marks = marked([BOB, 'unread', true])
  expect(isMarkedUnread(rowOf(BOB), marks)).toBe(true)
  expect(isMarkedUnread(rowOf(BOB, { marks: { [ME]: { deliveredSeq: 6, readSeq: 6 } } }), marks)).toBe(false)
  expect(isMarkedUnread(rowOf(BOB), marked([BOB, 'unread', true], [BOB, 'unread', false]))).toBe(false)
  expect(isMarkable({ id: notesRoomId(ME), ownId: ME, direct: null })).toBe(true)
  expect(isMarkable({ id: notesRoomId(BOB), ownId: ME, direct: null })).toBe(false)
  const direct = { contactId: BOB, state: 'pending' as const, isBlocked: false, hasAnswered: false }
  expect(isMarkable({ id: directRoomId(ME, BOB), ownId: ME, direct })).toBe(false)
})

test('pinned chats stand first in the order of their pins, requests above them; the others go by the newest message', () => {
  const [bob, carol] = [rowOf(BOB), rowOf(CAROL, { lastMessage: null })]
  const request = rowOf(ME, { id: 'room_1', direct: { contactId: BOB, state: 'pending', isBlocked: false, hasAnswered: false } })
  const idsOf = (marks: Marks) => sortRooms([bob, carol, request], { marks }).map(({ id }) => id)
  expect(idsOf({})).toEqual([request.id, bob.id, carol.id])
  expect(idsOf(marked([CAROL, 'pinned', true]))).toEqual([request.id, carol.id, bob.id])
  expect(idsOf(marked([CAROL, 'pinned', true], [BOB, 'pinned', true]))).toEqual([request.id, carol.id, bob.id])
  expect(idsOf(marked([CAROL, 'pinned', true], [BOB, 'pinned', true], [CAROL, 'pinned', true]))[1]).toBe(bob.id)
})

test('the later place wins in any order, and marks are bounded by what was touched last', () => {
  const mark = (on: boolean): Mark => ({ type: 'mark', room: directRoomId(ME, BOB), is: 'pinned', on, at: 0 })
  const there = withMark(withMark({}, mark(true), 3), mark(false), 2)
  const back = withMark(withMark({}, mark(false), 2), mark(true), 3)
  expect(there).toEqual(back)
  let marks: Marks = {}
  for (let n = 1; n <= 5001; n++) marks = { ...marks, [`room ${n}`]: { pinned: { on: true, at: 0, seq: n } } }
  const bounded = withMark(marks, mark(true), 6000)
  expect(Object.keys(bounded)).toHaveLength(5000)
  expect([bounded['room 1'], bounded['room 2'], bounded['room 5001']?.pinned?.on]).toEqual([undefined, undefined, true])
})

test('a star holds by its place beside the other marks, and of too many the oldest goes, also one that was taken away', () => {
  const room = directRoomId(ME, BOB)
  const idOf = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`
  const star = (n: number, on: boolean): Star => ({ type: 'star', room, target: { senderId: BOB, id: idOf(n) }, on, at: n })
  const both = [
    withMark(withMark({}, star(1, true), 3), star(1, false), 2),
    withMark(withMark({}, star(1, false), 2), star(1, true), 3),
  ]
  for (const marks of both) expect(isStarred(marks, room, { senderId: BOB, id: idOf(1) })).toBe(true)
  let marks = withMark(withMark({}, { type: 'mark', room, is: 'pinned', on: true, at: 0 }, 1), star(2, false), 2)
  for (let n = 3; n <= 2001; n++) marks = withMark(marks, star(n, true), n)
  expect(Object.keys(marks[room] ?? {})).toHaveLength(2001)
  marks = withMark(marks, star(2002, true), 2002)
  expect([isStarred(marks, room, { senderId: BOB, id: idOf(2002) }), isPinned(rowOf(BOB), marks)]).toEqual([true, true])
  // The same whatever is read first.
  expect(withMark(marks, star(2, true), 1)).toEqual(marks)
})
