import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../../env.ts'
import { type DirectRow, putRooms, resetRooms, roomById } from '../../rooms/list/roomList.ts'
import { FRIENDS } from '../../testing/direct.ts'
import { keepOpen, keepUntilLeft } from './relock.ts'

const lockAtServer = vi.hoisted(() => vi.fn(async () => undefined))
vi.mock('./lockAtServer.ts', () => ({ lockAtServer }))

const MINUTE = 60_000
const room = { id: 'dm_a_b', lock: 'open', direct: FRIENDS, unreadCount: 0, mutedUntil: null } as DirectRow
const shutChatLock = vi.fn(async () => undefined)
const env = { crypto: { shutChatLock } } as unknown as Env
let isHidden = false
const turned = new Set<() => void>()

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  vi.stubGlobal('document', {
    get hidden() {
      return isHidden
    },
    addEventListener: (type: string, act: () => void) => type === 'visibilitychange' && turned.add(act),
  })
  isHidden = false
  turned.clear()
  putRooms([room])
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.clearAllMocks()
  resetRooms()
})

const hide = (hidden: boolean) => {
  isHidden = hidden
  for (const act of turned) act()
}
/** How often the chat was locked by now. */
const locked = async () => {
  await vi.advanceTimersByTimeAsync(1)
  return shutChatLock.mock.calls.length
}

test('an unlocked chat that is looked at stays open, and leaving it locks it', async () => {
  const leave = keepUntilLeft(env, room)
  await vi.advanceTimersByTimeAsync(60 * MINUTE)
  expect(await locked()).toBe(0)
  leave()
  expect(await locked()).toBe(1)
})

test('a page that is out of sight for five minutes locks the chat, a shorter look elsewhere does not', async () => {
  keepUntilLeft(env, room)
  hide(true)
  await vi.advanceTimersByTimeAsync(4 * MINUTE)
  hide(false)
  await vi.advanceTimersByTimeAsync(4 * MINUTE)
  expect(await locked()).toBe(0)
  hide(true)
  await vi.advanceTimersByTimeAsync(5 * MINUTE + 15_000)
  expect(await locked()).toBe(1)
})

test('a computer that has slept finds the chat locked, also where no timer ran meanwhile', async () => {
  keepUntilLeft(env, room)
  vi.setSystemTime(20 * MINUTE)
  await vi.advanceTimersByTimeAsync(15_000)
  expect(await locked()).toBe(1)
})

test('a chat that is locked already is not locked again by leaving it', async () => {
  const leave = keepUntilLeft(env, room)
  putRooms([{ ...room, lock: 'shut' }])
  leave()
  expect(await locked()).toBe(0)
})

test('an unlocked chat is locked after 15 minutes in which nobody used it', async () => {
  keepOpen(env, room)
  await vi.advanceTimersByTimeAsync(14 * MINUTE)
  keepOpen(env, room)
  await vi.advanceTimersByTimeAsync(14 * MINUTE)
  expect(await locked()).toBe(0)
  await vi.advanceTimersByTimeAsync(MINUTE)
  expect(await locked()).toBe(1)
})

test('a chat is hidden and its keys are forgotten where the code that tells the server cannot be loaded', async () => {
  vi.doMock('./lockAtServer.ts', () => {
    throw new TypeError('Failed to fetch dynamically imported module')
  })
  keepUntilLeft(env, room)()
  expect(roomById(room.id)?.lock).toBe('shut')
  expect(await locked()).toBe(1)
  await vi.dynamicImportSettled()
  expect(lockAtServer).not.toHaveBeenCalled()
})
