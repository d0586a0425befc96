import { afterEach, expect, test, vi } from 'vitest'
import type { Env } from '../../env.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { keepIndexed } from './indexing.ts'

afterEach(() => void vi.useRealTimers())

test('Without a connection the code of the search does not load: nothing is reported, and it is tried again', async () => {
  vi.useFakeTimers()
  const indexRooms = vi.fn().mockResolvedValue(true)
  indexRooms.mockRejectedValueOnce(new CryptoFailure('not_loaded', 'A part of this page could not be loaded'))
  const env = { clock: () => new Date(), crypto: { indexRooms } } as unknown as Env
  const done: Promise<void>[] = []
  const index = keepIndexed(
    env,
    () => ['room'],
    (work) => done.push(work),
  )
  index.soon()
  await vi.runAllTimersAsync()
  await Promise.all(done)
  expect(indexRooms).toHaveBeenCalledTimes(2)
})
