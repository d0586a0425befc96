import { expect, onTestFinished, test, vi } from 'vitest'
import { askTogether } from './askTogether.ts'

/** A query that resolves when the test answers it. */
function slowQuery() {
  const asked: { keys: string[]; answer: (found: Map<string, string>) => void; fail: (error: Error) => void }[] = []
  const ask = askTogether<string>((keys) => new Promise((answer, fail) => void asked.push({ keys, answer, fail })))
  return { ask, asked }
}

test('who asks while a query is under way waits for the next one, and shares it', async () => {
  const { ask, asked } = slowQuery()
  const first = ask('a')
  const others = [ask('a'), ask('b'), ask('b'), ask('c')]
  expect(asked.map(({ keys }) => keys)).toEqual([['a']])
  asked[0]?.answer(new Map([['a', 'old']]))
  expect(await first).toBe('old')
  // The later question for `a` does not get the result of the earlier query.
  expect(asked.map(({ keys }) => keys)).toEqual([['a'], ['a', 'b', 'c']])
  asked[1]?.answer(new Map(Object.entries({ a: 'new', b: 'B' })))
  expect(await Promise.all(others)).toEqual(['new', 'B', 'B', undefined])
})

test('a query that fails fails for those who share it, and the next one is asked', async () => {
  const { ask, asked } = slowQuery()
  const lost = Promise.allSettled([ask('a')])
  const later = ask('b')
  asked[0]?.fail(new Error('lost'))
  expect(await lost).toEqual([{ status: 'rejected', reason: new Error('lost') }])
  asked[1]?.answer(new Map([['b', 'B']]))
  expect(await later).toBe('B')
})

test('a query that is never answered holds nobody for more than 5 seconds', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { ask, asked } = slowQuery()
  const lost = Promise.allSettled([ask('a')])
  const later = ask('b')
  await vi.advanceTimersByTimeAsync(5000)
  expect(await lost).toMatchObject([{ status: 'rejected', reason: { code: 'unavailable', retryAfterSeconds: 2 } }])
  asked[1]?.answer(new Map([['b', 'B']]))
  expect(await later).toBe('B')
})
