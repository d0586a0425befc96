// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Act, Content } from '../../../contract/chat/content.ts'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import { marksStore } from '../../rooms/list/marks.ts'
import { resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { putPeople, resetPeople } from '../../rooms/trust/people.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { ALICE_ID, BOB_ID, ROOM_ID, shownBob, shownRoom } from '../../testing/shown.ts'
import { toastStore } from '../../ui/toast.ts'
import type { Marks } from '../../worker/crypto.ts'
import { withMark } from '../../worker/messages/marks.ts'
import { Bubble } from '../messages/Bubble.tsx'
import { toggleStars } from '../messages/setStars.ts'
import { StarredDialog } from './StarredDialog.tsx'

openScreen()

const idOf = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`
const notes = { ...shownRoom, id: notesRoomId(ALICE_ID), direct: null, memberIds: [ALICE_ID] }
const carols = { ...shownRoom, id: 'locked', lock: 'shut' as const }
let kept: (Act | Content)[] = []
let marks: Marks = {}
const words: Record<string, string> = {}

const crypto = {
  ownId: async () => ALICE_ID,
  marks: async () => marks,
  hidingRooms: async () => [],
  quoted: async ({ id }: { id: string }) => ({
    from: 1,
    said: words[id] === undefined ? undefined : { seq: 1, words: words[id], at: '2026-11-26T10:00:00.000Z' },
  }),
  keepInOutbox: async ({ content }: { content: Act | Content }) => {
    kept.push(content)
    if (content.type === 'star') marks = withMark(marks, content, 100_000 + kept.length)
  },
  outbox: async () => [],
} as unknown as Env['crypto']

function starred(...stars: [room: string, senderId: string, n: number][]) {
  for (const [index, [room, senderId, n]] of stars.entries())
    marks = withMark(marks, { type: 'star', room, target: { senderId, id: idOf(n) }, on: true, at: n }, index + 1)
  marksStore.setState({ marks })
}

beforeEach(() => {
  kept = []
  marks = {}
  for (const id of Object.keys(words)) delete words[id]
  resetRooms()
  resetPeople()
  putPeople([shownBob])
  roomsStore.setState({ rooms: new Map([shownRoom, notes, carols].map((room) => [room.id, room])) })
  marksStore.setState({ marks })
})

const shown = () => screen.getAllByRole('listitem').map((line) => line.querySelector('.starred-words')?.textContent)

test('The starred messages of all chats, the last star first; what a lock shuts, or was cleared, is left out', async () => {
  roomsStore.setState(({ rooms }) => ({ rooms: new Map(rooms).set(ROOM_ID, { ...shownRoom, clearedSeq: 2 }) }))
  Object.assign(words, { [idOf(2)]: 'cleared', [idOf(3)]: 'nine at the bridge', [idOf(4)]: 'milk', [idOf(6)]: 'secret' })
  starred([ROOM_ID, BOB_ID, 2], [ROOM_ID, ALICE_ID, 3], [notes.id, ALICE_ID, 4], [ROOM_ID, BOB_ID, 5], ['locked', BOB_ID, 6])
  show(<StarredDialog onClose={vi.fn()} />, makeAnswers(), { crypto })
  await waitFor(() => expect(shown()).toEqual(['Not on this browser, or deleted', 'You: milk', 'You: nine at the bridge']))
  screen.getByText('Chats with a password are left out until you open them.')
})

test('A chat lists its own; a press takes the star away and leads nowhere', async () => {
  Object.assign(words, { [idOf(3)]: 'nine at the bridge', [idOf(4)]: 'milk' })
  starred([ROOM_ID, BOB_ID, 3], [notes.id, ALICE_ID, 4])
  const onClose = vi.fn()
  const { person } = show(<StarredDialog room={shownRoom} onClose={onClose} />, makeAnswers(), { crypto })
  await waitFor(() => expect(shown()).toEqual(['nine at the bridge']))
  await person.click(screen.getByRole('button', { name: 'Take the star away' }))
  await screen.findByText('No starred messages')
  expect(kept).toEqual([{ type: 'star', room: ROOM_ID, target: { senderId: BOB_ID, id: idOf(3) }, on: false, at: 3 }])
  expect(onClose).not.toHaveBeenCalled()
})

test('A star stands before the time of its message, which is always shown, and is spoken', () => {
  const message = {
    ...{ id: idOf(1), seq: 1, senderId: BOB_ID, at: '2026-11-26T10:00:00.000Z', isMine: false, status: null, reason: null },
    ...{ isOutOfPlace: false, body: { kind: 'text' as const, text: 'nine' } },
  }
  const given = { message, name: 'Bob', startsRun: true, hasTime: false, isTabStop: true, marks: undefined }
  show(<Bubble {...given} isStarred onUpgrade={() => undefined} />, makeAnswers())
  const bubble = screen.getByRole('group', { name: /^Bob, .*, starred$/ })
  expect(bubble.querySelector('.meta:not(.aside) .lucide-star + time')).not.toBe(null)
})

test('Fifty are shown at first, and a chat that gets locked closes its list', async () => {
  starred(...Array.from({ length: 60 }, (_, n): [string, string, number] => [ROOM_ID, BOB_ID, n + 1]))
  const onClose = vi.fn()
  const { person } = show(<StarredDialog room={shownRoom} onClose={onClose} />, makeAnswers(), { crypto })
  expect(screen.getAllByRole('listitem')).toHaveLength(50)
  await person.click(screen.getByRole('button', { name: 'Show more' }))
  expect(screen.getAllByRole('listitem')).toHaveLength(60)
  roomsStore.setState(({ rooms }) => ({ rooms: new Map(rooms).set(ROOM_ID, { ...shownRoom, lock: 'shut' }) }))
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(screen.queryAllByRole('listitem')).toEqual([])
})

test('Of several messages those without a star get one, then all lose theirs; more than a thousand are refused by name', async () => {
  const message = (n: number) =>
    ({ id: idOf(n), seq: n, senderId: BOB_ID, body: { kind: 'text', text: '' } }) as Parameters<typeof toggleStars>[2][number]
  const env = { crypto, clock: () => new Date() } as Env
  starred([ROOM_ID, BOB_ID, 1])
  const told = () => kept.splice(0).map((act) => act.type === 'star' && [act.target.id, act.on])
  await toggleStars(env, ROOM_ID, [message(1), message(2)])
  expect(told()).toEqual([[idOf(2), true]])
  await toggleStars(env, ROOM_ID, [message(1), message(2)])
  expect(told()).toEqual([
    [idOf(1), false],
    [idOf(2), false],
  ])
  starred(...Array.from({ length: 1000 }, (_, n): [string, string, number] => [notes.id, ALICE_ID, n + 1]))
  await toggleStars(env, ROOM_ID, [message(3)])
  expect(told()).toEqual([])
  expect(toastStore.getState().queue.map(({ title }) => title)).toContain('At most 1000 stars')
})
