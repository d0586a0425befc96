import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makePushQueue } from './queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a burst is looked up once, two seconds after its first message, and who comes later with the next', async () => {
  const queue = makePushQueue()
  const told: string[][] = []
  queue.note(['before anybody listens'])
  queue.start(async (userIds) => void told.push(userIds))
  for (let count = 0; count < 10; count++) queue.note(['alice', 'bob'])
  vi.advanceTimersByTime(1999)
  expect(told).toEqual([])
  queue.note(['carol'])
  vi.advanceTimersByTime(1)
  queue.note(['alice'])
  vi.advanceTimersByTime(2000)
  expect(told).toEqual([['alice', 'bob', 'carol'], ['alice']])
})

test('a push service that hangs holds up no other people, and a server that stops waits for what is under way', async () => {
  const queue = makePushQueue()
  const ends: (() => void)[] = []
  queue.start(() => new Promise<void>((end) => void ends.push(end)))
  for (const userId of ['alice', 'bob']) {
    queue.note([userId])
    vi.advanceTimersByTime(2000)
  }
  expect(ends).toHaveLength(2)
  let hasStopped = false
  const stopped = queue.stop().then(() => {
    hasStopped = true
  })
  queue.note(['carol'])
  ends[0]?.()
  await vi.advanceTimersByTimeAsync(5000)
  expect([ends.length, hasStopped]).toEqual([2, false])
  ends[1]?.()
  await stopped
})
