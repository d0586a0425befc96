import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../env.ts'
import { putRooms, type RoomRow, resetRooms } from '../rooms/list.ts'
import { lockChat } from './chatlock.ts'
import { keepUntilLeft } from './relock.ts'

vi.mock('./chatlock.ts', () => ({ lockChat: vi.fn(async () => undefined), keepOpen: vi.fn() }))

const MINUTE = 60_000
const room = { id: 'dm_a_b', lock: 'open', state: 'accepted', unreadCount: 0, mutedUntil: null } as RoomRow
const env = {} as Env
let isHidden = false
const turned = new Set<() => void>()

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  vi.stubGlobal('document', {
    get hidden() {
      return isHidden
    },
    addEventListener: (type: string, act: () => void) => type === 'visibilitychange' && turned.add(act),
    removeEventListener: (_: string, act: () => void) => turned.delete(act),
  })
  isHidden = false
  turned.clear()
  putRooms([room])
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.mocked(lockChat).mockClear()
  resetRooms()
})

const hide = (hidden: boolean) => {
  isHidden = hidden
  for (const act of turned) act()
}
/** How often the chat was locked by now. */
const locked = async () => {
  await vi.dynamicImportSettled()
  return vi.mocked(lockChat).mock.calls.length
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
  expect(await locked()).toBeGreaterThan(0)
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
