import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { keepAsking, pauseMs } from './pauses.ts'

let page: EventTarget
let tab: EventTarget & { visibilityState: string }
beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0)
  page = new EventTarget()
  tab = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  vi.stubGlobal('document', tab)
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

const becomes = (visibilityState: string) => {
  tab.visibilityState = visibilityState
  tab.dispatchEvent(new Event('visibilitychange'))
}

/** The pauses before the next questions, in seconds. */
async function pauses(ask: { mock: { calls: unknown[] } }, count: number): Promise<number[]> {
  const found: number[] = []
  for (let at = 0; at < count; at++) {
    const before = ask.mock.calls.length
    let seconds = 0
    for (; ask.mock.calls.length === before; seconds++) await vi.advanceTimersByTimeAsync(1000)
    found.push(seconds)
  }
  return found
}

test('a pause has three seconds at first and a minute at last, less a random part of up to a half', () => {
  expect([0, 1, 2, 3, 4, 5, 1000].map(pauseMs)).toEqual([3000, 6000, 12_000, 24_000, 48_000, 60_000, 60_000])
  vi.mocked(Math.random).mockReturnValue(0.5)
  expect([0, 5].map(pauseMs)).toEqual([2250, 45_000])
})

test('it is asked ever more rarely, each minute at last, and soon again after true; where somebody looks each twelve seconds', async () => {
  tab.visibilityState = 'hidden'
  const ask = vi.fn(async () => false)
  onTestFinished(keepAsking(ask).stop)
  expect(await pauses(ask, 7)).toEqual([3, 6, 12, 24, 48, 60, 60])
  ask.mockResolvedValueOnce(true)
  expect(await pauses(ask, 4)).toEqual([60, 3, 6, 12])
  becomes('visible')
  await vi.advanceTimersByTimeAsync(0)
  expect(await pauses(ask, 5)).toEqual([3, 6, 12, 12, 12])
})

test('a question that takes long is not asked twice', async () => {
  const answer: ((isSoon: boolean) => void)[] = []
  const ask = vi.fn(() => new Promise<boolean>((resolve) => answer.push(resolve)))
  const { now, stop } = keepAsking(ask)
  onTestFinished(stop)
  await vi.advanceTimersByTimeAsync(600_000)
  now()
  await vi.advanceTimersByTimeAsync(600_000)
  expect(ask).toHaveBeenCalledTimes(1)
  answer[0]?.(true)
  await vi.advanceTimersByTimeAsync(3000)
  expect(ask).toHaveBeenCalledTimes(2)
})

test('it is asked at once, and soon again, where somebody wants it, looks at the page, or the network is back; a clock that jumps changes nothing', async () => {
  const ask = vi.fn(async () => false)
  const { now, stop } = keepAsking(ask)
  for (const wakes of [now, () => becomes('visible'), () => page.dispatchEvent(new Event('online'))]) {
    await pauses(ask, 5)
    becomes('hidden')
    for (const jumpMs of [86_400_000, -172_800_000]) {
      vi.setSystemTime(Date.now() + jumpMs)
      await vi.advanceTimersByTimeAsync(1000)
    }
    const asked = ask.mock.calls.length
    wakes()
    expect(ask).toHaveBeenCalledTimes(asked + 1)
    expect(await pauses(ask, 2)).toEqual([3, 6])
  }
  stop()
})

test('it is never asked after the end, though it is asked as it ends', async () => {
  const ask = vi.fn(async () => true)
  const { now, stop } = keepAsking(ask)
  now()
  stop()
  now()
  becomes('visible')
  page.dispatchEvent(new Event('online'))
  await vi.advanceTimersByTimeAsync(600_000)
  expect(ask).toHaveBeenCalledTimes(1)
})
