import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { MUTED_FOR_GOOD, notificationsApi } from '../../../contract/chat/notifications.ts'
import type { Env } from '../../env.ts'
import { connectionStore } from '../../net/status.ts'
import { putRooms, type RoomRow, resetRooms, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import { FRIENDS } from '../../testing/direct.ts'
import { toastStore } from '../../ui/toast.ts'
import { mutedWords, muteRoom, unmuteRoom } from './mute.ts'
import { watchMutes } from './watchMutes.ts'

const HOUR_MS = 3_600_000
const AN_HOUR_AHEAD = new Date(Date.UTC(2026, 0, 1, 13)).toISOString()
const env = { clock: () => new Date() } as Env

const row = (mutedUntil: string | null) =>
  ({ id: randomUUID(), direct: FRIENDS, unreadCount: 2, mutedUntil, lastMessage: null }) as RoomRow

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1, 12) })
  connectionStore.setState({ clockOffsetMs: 0 })
})
afterEach(() => {
  vi.useRealTimers()
  resetRooms()
})

test('A mute ends in the list when its time is over, by the server’s clock, and the bell counts the chat again', () => {
  const stop = watchMutes(env)
  const [hour, always] = [row(AN_HOUR_AHEAD), row(MUTED_FOR_GOOD)]
  putRooms([hour, always])
  expect(roomsStore.getState().unreadTotal).toBe(0)
  vi.advanceTimersByTime(HOUR_MS - 1000)
  expect(roomById(hour.id)?.mutedUntil).toBe(AN_HOUR_AHEAD)
  vi.advanceTimersByTime(1000)
  expect([roomById(hour.id)?.mutedUntil, roomById(always.id)?.mutedUntil]).toEqual([null, MUTED_FOR_GOOD])
  expect(roomsStore.getState().unreadTotal).toBe(2)
  stop()
})

test('Where this computer’s clock is wrong a mute neither ends early nor stays', () => {
  connectionStore.setState({ clockOffsetMs: -HOUR_MS })
  const stop = watchMutes(env)
  const hour = row(AN_HOUR_AHEAD)
  putRooms([hour])
  vi.advanceTimersByTime(HOUR_MS)
  expect(roomById(hour.id)?.mutedUntil).toBe(AN_HOUR_AHEAD)
  vi.advanceTimersByTime(HOUR_MS)
  expect(roomById(hour.id)?.mutedUntil).toBeNull()
  stop()
})

test('The words of a mute name the hour, the day where it is another one, or no end', () => {
  const now = new Date(2026, 0, 1, 12)
  expect(mutedWords(new Date(2026, 0, 1, 18, 30).toISOString(), now)).toBe('Muted until 6:30 PM')
  expect(mutedWords(new Date(2026, 0, 8, 12).toISOString(), now)).toBe('Muted until Jan 8, 2026, 12:00 PM')
  expect(mutedWords(MUTED_FOR_GOOD, now)).toBe('Muted until you unmute it')
})

test('A chat that the server has muted is not called unmuted because its row could not be read afterwards, nor the opposite', async () => {
  const { mute, unmute } = notificationsApi
  const api = async (endpoint: unknown) => {
    if (endpoint !== mute && endpoint !== unmute) throw new Error('The connection broke')
    return {}
  }
  const offline = { ...env, api } as unknown as Env
  const room = row(null)
  await muteRoom(offline, room, 'hour')
  await unmuteRoom(offline, room)
  expect(toastStore.getState().queue).toEqual([])
})
