// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { connectionStore } from '../../net/status.ts'
import { putRooms, type RoomRow, resetRooms, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import { type Person, putPeople, resetPeople } from '../../rooms/trust/people.ts'
import { held, makeAnswers, openScreen, refused, show, toasts } from '../../testing/screen.tsx'
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
  return { ...show(<BellPanel onClose={onClose} onSettings={onSettings} />, answers), answers, onClose, onSettings }
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

test('Where the server refuses, it says so, stays, and asks what the server has', async () => {
  putPeople([person(1, 'Bob')])
  putRooms([row(1)])
  const answers = makeAnswers()
  answers.on(notificationsApi.read, () => {
    throw refused(503, 'unavailable', 'The server is busy or stopping. Try again')
  })
  answers.on(roomsApi.list, () => {
    throw refused(0, 'offline', 'You are offline')
  })
  const { person: hand, onClose } = panel(answers)
  await hand.click(screen.getByRole('button', { name: 'Mark all as read' }))
  await waitFor(() => expect(toasts()).toEqual(['Not marked as read: The server is busy or stopping. Try again']))
  await waitFor(() => expect(answers.asked.map(({ path }) => path)).toContain('GET /api/rooms'))
  expect(onClose).not.toHaveBeenCalled()
})

test('It says that nothing is new, that it is loading, that it could not be loaded, and that there is no connection', async () => {
  const { again, person: hand, answers, onSettings, onClose } = panel()
  expect(screen.getByText('Nothing new')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Mark all as read' })).toBeNull()
  connectionStore.setState({ phase: 'waiting' })
  expect(await screen.findByText(/^Not connected/)).toBeTruthy()
  roomsStore.setState({ status: 'loading' })
  expect(await screen.findByText('Loading notifications')).toBeTruthy()
  roomsStore.setState({ status: 'failed' })
  const alert = await screen.findByRole('alert')
  answers.on(roomsApi.list, () => {
    throw refused(0, 'offline', 'You are offline')
  })
  await hand.click(within(alert).getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(answers.asked.map(({ path }) => path)).toEqual(['GET /api/rooms']))
  await hand.click(screen.getByRole('button', { name: 'Settings' }))
  expect([onSettings.mock.calls.length, onClose.mock.calls.length]).toEqual([1, 1])
  again(null)
})
