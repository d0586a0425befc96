import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { connectionStore } from '../../net/status.ts'
import { forgetMarks, markDelivered, markRead, marksTold } from './readMarks.ts'
import type { Room } from './room.ts'
import { tellMarks } from './tellMarks.ts'

const room = { id: 'room', ownId: 'alice', marks: {}, peers: [] } as unknown as Room
let posts: string[] = []
let answer = async (): Promise<unknown> => ({})
const env = {
  api: async ({ path }: { path: string }, { seq }: { seq: number }) => {
    posts.push(`${path.split('mark-')[1]} ${seq}`)
    return await answer()
  },
} as unknown as Env

beforeEach(() => {
  vi.useFakeTimers()
  posts = []
  answer = async () => ({})
})
afterEach(() => {
  forgetMarks()
  vi.useRealTimers()
})

test('A message on screen is marked once: as read, which says that it came', async () => {
  markDelivered(env, room, 1)
  const marked = markRead(env, room, 1, 1)
  await vi.advanceTimersByTimeAsync(1000)
  await marked
  expect(posts).toEqual(['read 1'])
})

test('However fast messages come, a room is marked at most once in 300 ms, and at the end up to the last', async () => {
  for (let seq = 1; seq <= 100; seq++) {
    markDelivered(env, room, seq)
    await vi.advanceTimersByTimeAsync(10)
  }
  await vi.advanceTimersByTimeAsync(1000)
  expect(posts.length).toBeLessThanOrEqual(5)
  expect(posts.at(-1)).toBe('delivered 100')
})

test('What has come and is not read yet is told as such, beside what is read', async () => {
  void markRead(env, room, 5, 5)
  markDelivered(env, room, 9)
  await vi.advanceTimersByTimeAsync(1000)
  expect(posts).toEqual(['read 5', 'delivered 9'])
})

test('A mark that the server did not take is told again with the next one, and no mark follows a sign-out', async () => {
  answer = () => Promise.reject(new ApiError(503, 'unavailable', 'The server is busy'))
  markDelivered(env, room, 3)
  await vi.advanceTimersByTimeAsync(1000)
  answer = async () => ({})
  markDelivered(env, room, 3)
  await vi.advanceTimersByTimeAsync(1000)
  expect(posts).toEqual(['delivered 3', 'delivered 3'])
  markDelivered(env, room, 4)
  forgetMarks()
  await vi.advanceTimersByTimeAsync(1000)
  expect(posts).toHaveLength(2)
})

test('A mark that no server answered is told again once the connection is back, also where nobody looks again', async () => {
  answer = () => Promise.reject(new ApiError(0, 'no_answer', 'The server cannot be reached'))
  connectionStore.setState({ phase: 'connecting' })
  const first = markRead(env, room, 3, 1)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(posts).toEqual(['read 3'])
  // The list says that 3 is unread still, and whoever looks has looked by then.
  await expect(markRead(env, room, 3, 1)).resolves.toBe(undefined)
  answer = async () => ({})
  connectionStore.setState({ phase: 'open' })
  await vi.advanceTimersByTimeAsync(1000)
  await first
  expect(posts).toEqual(['read 3', 'read 3'])
})

test('A clock that is set back an hour holds up no mark', async () => {
  markDelivered(env, room, 1)
  await vi.advanceTimersByTimeAsync(1000)
  vi.setSystemTime(Date.now() - 60 * 60_000)
  markDelivered(env, room, 2)
  await vi.advanceTimersByTimeAsync(1000)
  expect(posts).toEqual(['delivered 1', 'delivered 2'])
})

test('A mark that comes while one is refused goes by itself, and says what the other one did', async () => {
  let refuse = (_: Error): void => undefined
  answer = () =>
    new Promise((_, reject) => {
      refuse = reject
    })
  const first = markRead(env, room, 1, 1)
  await vi.advanceTimersByTimeAsync(100)
  markDelivered(env, room, 2)
  answer = async () => ({})
  refuse(new ApiError(503, 'unavailable', 'The server is busy'))
  await vi.advanceTimersByTimeAsync(1000)
  await first
  expect(posts).toEqual(['read 1', 'read 1', 'delivered 2'])
})

test('Whoever leaves tells what waits at once, also within the time between two marks', async () => {
  markDelivered(env, room, 1)
  tellMarks()
  await marksTold()
  void markRead(env, room, 2, 1)
  tellMarks()
  await marksTold()
  expect(posts).toEqual(['delivered 1', 'read 2'])
  expect(vi.getTimerCount()).toBe(0)
})

test('What is no answer of the server is not taken for a refusal, also where a newer mark waits', async () => {
  answer = async () => {
    markRead(env, room, 2, 1).catch(() => undefined)
    throw new TypeError('A defect')
  }
  const first = markRead(env, room, 1, 1)
  const ended = expect(first).rejects.toThrow('A defect')
  await vi.advanceTimersByTimeAsync(1000)
  await ended
  expect(posts).toEqual(['read 1'])
})
