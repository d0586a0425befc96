// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { putRooms, type RoomRow, resetRooms, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import { type Person, putPeople, resetPeople } from '../../rooms/trust/people.ts'
import { held, makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { BellPanel } from './BellPanel.tsx'

openScreen()
beforeEach(() => {
  resetRooms()
  resetPeople()
  roomsStore.setState({ status: 'ready' })
})

const idOf = (at: number) => `${String(at).padStart(8, '0')}-aaaa-4aaa-8aaa-${'a'.repeat(12)}`
const roomIdOf = (at: number) => `dm_${idOf(0)}_${idOf(at)}`
const row = (at: number, more: Partial<RoomRow> = {}): RoomRow => ({
  ...({ id: roomIdOf(at), ownId: idOf(0), memberIds: [idOf(0), idOf(at)], peers: [{ id: idOf(at) }] } as unknown as RoomRow),
  ...({ direct: { state: 'accepted' } } as unknown as RoomRow),
  ...{ addedAt: '2026-11-20T10:00:00.000Z', lastMessageAt: null, unreadCount: 2, mutedUntil: null, lock: 'none', forks: [] },
  lastMessage: { seq: 10 + at, createdAt: `2026-11-2${at}T10:00:00.000Z` } as RoomRow['lastMessage'],
  preview: { text: `words ${at}`, kind: 'text', status: null },
  ...more,
})
const person = (at: number, displayName: string, more: Partial<Person> = {}) =>
  ({ id: idOf(at), displayName, alias: null, photo: null, isDeleted: false, mismatch: null, ...more }) as Person

const panel = (answers = makeAnswers()) => {
  const [onClose, onSettings] = [vi.fn(), vi.fn()]
  return { ...show(<BellPanel onClose={onClose} onSettings={onSettings} />, answers), onClose }
}
const lines = () => screen.getAllByRole('link').map((line) => line.textContent)

test('What waits unread stands by person, the newest first, and leads to the chat', async () => {
  putPeople([person(1, 'Bob'), person(2, 'Carol')])
  putRooms([row(1), row(2, { unreadCount: 5000 })])
  const { person: hand, onClose } = panel()
  expect(lines().map((line) => line?.match(/Bob|Carol/)?.[0])).toEqual(['Carol', 'Bob'])
  expect(lines()[0]).toMatch(/words 2.*[+] unread/)
  expect(lines()[1]).toContain('words 12 unread')
  const [first] = screen.getAllByRole('link')
  expect(first?.getAttribute('href')).toBe(`/chat/${roomIdOf(2)}`)
  if (first) await hand.click(first)
  expect(onClose).toHaveBeenCalledOnce()
})

test('Of a person whose key has changed, of a locked chat and of made-up words it shows no word that could deceive', () => {
  putPeople([person(1, 'Bob', { mismatch: 'key_changed' }), person(2, 'Carol'), person(3, 'Dora')])
  putRooms([row(1), row(2, { lock: 'shut' }), row(3, { preview: { text: 'send money', kind: 'plain', status: null } })])
  panel()
  expect(lines()).toEqual([
    expect.stringContaining('Not encrypted: send money'),
    expect.stringContaining('Locked'),
    expect.stringContaining('New message'),
  ])
  expect(document.body.textContent).not.toMatch(/words [12]/)
  expect(screen.getByText('1 locked chat stays unread until you unlock it.')).toBeTruthy()
})

test('All that can be read is marked at once, and the panel goes; a muted chat is only counted', async () => {
  putPeople([person(1, 'Bob'), person(2, 'Carol'), person(3, 'Dora')])
  putRooms([row(1), row(2), row(3, { mutedUntil: '2999-01-01T00:00:00.000Z' })])
  const answers = makeAnswers()
  const answer = held<Record<string, never>>()
  answers.on(notificationsApi.read, () => answer.promise as never)
  const { person: hand, onClose } = panel(answers)
  expect(screen.getByText('1 muted chat has unread messages.')).toBeTruthy()
  await hand.click(screen.getByRole('button', { name: 'Mark all as read' }))
  expect(onClose).not.toHaveBeenCalled()
  answer.answer({})
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  expect(answers.asked.map(({ input }) => input)).toEqual([
    {
      rooms: [
        { chatRoomId: roomIdOf(2), seq: 12 },
        { chatRoomId: roomIdOf(1), seq: 11 },
      ],
    },
  ])
  expect(roomById(roomIdOf(3))?.unreadCount).toBe(2)
})
