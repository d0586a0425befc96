// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Act, Content } from '../../../contract/chat/content.ts'
import type { Pinned } from '../../../contract/chat/kinds/pin.ts'
import type { Env } from '../../env.ts'
import { resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { ALICE_ID, BOB_ID, ROOM_ID, shownRoom } from '../../testing/shown.ts'
import { PinBar } from './PinBar.tsx'
import { canPin, togglePin } from './pins.ts'
import { flush } from './send.ts'
import { showQuoted } from './showQuoted.ts'
import { messagesStore, type RoomView, type ShownMessage } from './store.ts'

vi.mock('./showQuoted.ts', () => ({ showQuoted: vi.fn() }))
vi.mock('./messageWindow.ts', async (original) => ({ ...(await original<object>()), refreshRoom: async () => undefined }))
vi.mock('./send.ts', async (original) => ({ ...(await original<object>()), flush: vi.fn(async () => ({ outcome: 'kept' })) }))

openScreen()

const idOf = (n: number) => `${String(n).padStart(8, '0')}-0000-4000-8000-000000000000`
const pin = (n: number): Pinned => ({ senderId: BOB_ID, id: idOf(n), seq: 100 + n, place: n, on: true })
let kept: (Act | Content)[] = []
let refused: { id: string; content: unknown; failure: string }[] = []
let dropped: string[] = []
const words: Record<string, string> = { [idOf(1)]: 'nine at the bridge', [idOf(2)]: 'bring the key' }
const crypto = {
  quoted: async ({ id }: { id: string }) => ({
    from: 1,
    said: words[id] && { seq: 1, words: words[id], at: '2026-11-26T10:00:00.000Z' },
  }),
  outbox: async () => refused,
  dropFromOutbox: async ({ id }: { id: string }) => void dropped.push(id),
  keepInOutbox: async ({ content }: { content: Act | Content }) => void kept.push(content),
} as unknown as Env['crypto']
const env = { crypto, clock: () => new Date() } as Env

const message = (n: number, more: Partial<ShownMessage> = {}): ShownMessage => ({
  ...{ id: idOf(n), seq: n, senderId: BOB_ID, at: '2026-11-26T10:00:00.000Z', isMine: false, status: null, reason: null },
  ...{ isOutOfPlace: false, body: { kind: 'text', text: 'words' } },
  ...more,
})

beforeEach(() => {
  kept = []
  refused = []
  dropped = []
  resetRooms()
  roomsStore.setState({ rooms: new Map([[ROOM_ID, shownRoom]]) })
})

test('The bar shows the last pinned message; a press leads there and shows the next, and what is not here says so', async () => {
  const pins = [pin(3), pin(2), pin(1)]
  const { person } = show(<PinBar room={shownRoom} pins={pins} onUpgrade={vi.fn()} />, makeAnswers(), { crypto })
  const bar = screen.getByRole('button', { name: /^Pinned/ })
  const told = () => bar.textContent
  await waitFor(() => expect(told()).toBe('Pinned 1 of 3Not on this browser, or deleted'))
  await person.click(bar)
  expect(told()).toBe('Pinned 2 of 3bring the key')
  await person.click(bar)
  expect(told()).toBe('Pinned 3 of 3nine at the bridge')
  await person.click(bar)
  expect(told()).toMatch(/^Pinned 1 of 3/)
  expect(vi.mocked(showQuoted).mock.calls.map(([, , { id }]) => id)).toEqual([idOf(3), idOf(2), idOf(1)])
  await person.click(screen.getByRole('button', { name: 'Take off the pin' }))
  await waitFor(() => expect(kept).toEqual([{ type: 'pin', target: { senderId: BOB_ID, id: idOf(3) }, place: 3, on: false }]))
})

test('A fourth pin takes the place of the one that was pinned first', async () => {
  messagesStore.setState({ open: { chatRoomId: ROOM_ID, pins: [pin(3), pin(2), pin(1)] } as RoomView })
  await togglePin(env, shownRoom, message(4))
  const act = (n: number, on: boolean): Act => ({ type: 'pin', target: { senderId: BOB_ID, id: idOf(n) }, place: n, on })
  expect(kept).toEqual([act(4, true), act(1, false)])
  kept = []
  await togglePin(env, shownRoom, message(3, { isPinned: true }))
  expect(kept).toEqual([act(3, false)])
  messagesStore.setState({ open: null })
})

test('A pin that the server refuses leaves nothing behind, and takes no other off', async () => {
  messagesStore.setState({ open: { chatRoomId: ROOM_ID, pins: [pin(3), pin(2), pin(1)] } as RoomView })
  refused = [{ id: 'x', content: { type: 'pin' }, failure: 'Subscription required' }]
  vi.mocked(flush).mockResolvedValueOnce({ outcome: 'subscription_required', text: 'Subscription required' })
  await togglePin(env, shownRoom, message(4))
  expect([kept.length, dropped]).toEqual([1, ['x']])
  messagesStore.setState({ open: null })
})

test('What nobody has signed, waits to be sent, or opens once is not pinned', () => {
  expect(canPin(message(1))).toBe(true)
  const once: ShownMessage['body'] = { kind: 'once', once: { type: 'once', as: 'image' }, text: '', chatRoomId: ROOM_ID }
  for (const more of [{ seq: null }, { body: { kind: 'plain', text: 'x' } }, { body: once }] satisfies Partial<ShownMessage>[])
    expect(canPin(message(1, more))).toBe(false)
  expect(canPin(message(1, { senderId: ALICE_ID, isMine: true }))).toBe(true)
})
