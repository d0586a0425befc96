import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { CLOSE, CLOSE_LATER } from '../../contract/frames.ts'
import { hearRings } from './rings.ts'

const ID = '10000000-0000-4000-8000-000000000001'
const made: FakeWire[] = []

class FakeWire {
  onopen: (() => void) | undefined
  onmessage: ((event: { data: string }) => void) | undefined
  onclose: ((event: { code: number }) => void) | undefined
  close = vi.fn()
  constructor() {
    made.push(this)
  }
}

const last = () => made.at(-1)
const passes = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000)

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0)
  made.length = 0
  vi.stubGlobal('WebSocket', FakeWire)
  vi.stubGlobal('location', { href: 'https://chat.example/' })
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** Each connection fails. */
async function triesIn(seconds: number): Promise<number> {
  const before = made.length
  for (let second = 0; second < seconds; second++) {
    const now = last()
    now?.onclose?.({ code: 1006 })
    if (now) now.onclose = undefined
    await passes(1)
  }
  return made.length - before
}

test('A locked browser whose server is away asks ever more rarely, and as soon as before once it was there', async () => {
  onTestFinished(hearRings(vi.fn()))
  expect(await triesIn(60)).toBeLessThanOrEqual(5)
  expect(await triesIn(600)).toBeLessThanOrEqual(21)
  await passes(30)
  last()?.onopen?.()
  expect(await triesIn(5)).toBe(1)
})

test.each([CLOSE.signedOut, CLOSE.tooManySockets])('A server that closes with %s is not asked again', async (code) => {
  onTestFinished(hearRings(vi.fn()))
  last()?.onclose?.({ code })
  await passes(600)
  expect(made).toHaveLength(1)
})

test('A locked browser that is told when to come back does so, and tells nobody of it', async () => {
  const hear = vi.fn()
  onTestFinished(hearRings(hear))
  last()?.onopen?.()
  last()?.onmessage?.({ data: JSON.stringify({ type: 'come_back', data: { seconds: 40 } }) })
  last()?.onclose?.({ code: CLOSE_LATER.busy })
  await passes(39)
  expect(made).toHaveLength(1)
  await passes(1)
  expect([made.length, hear.mock.calls.length]).toEqual([2, 0])
  last()?.onclose?.({ code: 1006 })
  await passes(3)
  expect(made).toHaveLength(3)
})

test('A lock that was opened hears no more', async () => {
  const hear = vi.fn()
  const stop = hearRings(hear)
  const data = JSON.stringify({ type: 'call-end', data: { callId: ID, to: ID, from: null, reason: 'ended' } })
  last()?.onmessage?.({ data })
  expect(hear).toHaveBeenCalledTimes(1)
  stop()
  last()?.onmessage?.({ data })
  last()?.onclose?.({ code: 1006 })
  await passes(600)
  expect([hear.mock.calls.length, made.length, last()?.close.mock.calls.length]).toEqual([1, 1, 1])
})
