import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { setUnderway } from '../../rooms/list/underway.ts'
import { watchIdle } from './watchIdle.ts'

const MINUTE = 60_000
const kept = new Map<string, string>()
const clock = () => new Date()
let page: EventTarget & { visibilityState: string }
let stops: (() => void)[]

beforeEach(() => {
  kept.clear()
  stops = []
  vi.useFakeTimers()
  page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  vi.stubGlobal('document', page)
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  })
})
afterEach(() => {
  for (const stop of stops) stop()
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

/** A tab with its own window. All tabs share the browser's storage. */
function tab(after: Parameters<typeof watchIdle>[1]) {
  const window = new EventTarget()
  vi.stubGlobal('window', window)
  const lock = vi.fn()
  stops.push(watchIdle({ clock }, after, lock))
  return { lock, does: (input: string) => window.dispatchEvent(new Event(input)) }
}

const passes = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('After five minutes without input the tab locks, and not a moment before', async () => {
  const { lock } = tab(5)
  await passes(5 * MINUTE - 1)
  expect(lock).not.toHaveBeenCalled()
  await passes(1)
  expect(lock).toHaveBeenCalledTimes(1)
})

test.each(['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchmove'])('%s in one tab keeps all tabs open', async (input) => {
  const [one, other] = [tab(5), tab(5)]
  await passes(4 * MINUTE)
  one.does(input)
  await passes(4 * MINUTE)
  expect([one.lock, other.lock].map((lock) => lock.mock.calls.length)).toEqual([0, 0])
  await passes(MINUTE)
  expect([one.lock, other.lock].map((lock) => lock.mock.calls.length)).toEqual([1, 1])
})

test('A computer that slept locks when it wakes: the first input is no sign of life', async () => {
  const { lock, does } = tab(15)
  // Timers pause while the computer sleeps; the clock does not.
  vi.setSystemTime(Date.now() + 8 * 60 * MINUTE)
  does('pointermove')
  expect(lock).toHaveBeenCalledTimes(1)
})

test.each([1, 2])(
  'The clock is set back by two days: %d tabs lock after their time all the same, and input keeps them open',
  async (count) => {
    const tabs = Array.from({ length: count }, () => tab(5))
    await passes(2 * MINUTE)
    vi.setSystemTime(Date.now() - 2 * 24 * 60 * MINUTE)
    tabs[0]?.does('pointermove')
    await passes(5 * MINUTE - 1)
    expect(tabs.map(({ lock }) => lock.mock.calls.length)).toEqual(tabs.map(() => 0))
    await passes(1)
    expect(tabs[0]?.lock).toHaveBeenCalledTimes(1)
  },
)

test('The clock is set back while nobody is there: the tab locks when its time is over, not two days later', async () => {
  const { lock } = tab(15)
  await passes(MINUTE)
  vi.setSystemTime(Date.now() - 2 * 24 * 60 * MINUTE)
  await passes(14 * MINUTE)
  expect(lock).toHaveBeenCalledTimes(1)
})

test('A tab from the background looks at the clock when it is shown', () => {
  const { lock } = tab(15)
  vi.setSystemTime(Date.now() + 20 * MINUTE)
  page.dispatchEvent(new Event('visibilitychange'))
  expect(lock).toHaveBeenCalledTimes(1)
})

test('Switched off, nothing locks', async () => {
  const { lock } = tab(5)
  for (const stop of stops) stop()
  await passes(60 * MINUTE)
  expect(lock).not.toHaveBeenCalled()
})

test('At once when hidden: the tab locks as soon as no tab of the browser is looked at, and going from one to another locks none', async () => {
  /** Mock of Web Locks with one lock name: shared by visible tabs, exclusive only if no tab is visible. */
  let held = 0
  const request = async (_: string, options: { mode?: string }, work: (lock: object | null) => Promise<void>) => {
    if (options.mode !== 'shared') return work(held === 0 ? {} : null)
    held += 1
    await work({})
    held -= 1
  }
  vi.stubGlobal('navigator', { locks: { request } })
  const hide = () => {
    page.visibilityState = 'hidden'
    page.dispatchEvent(new Event('visibilitychange'))
  }
  const { lock } = tab('hidden')
  // Another tab is visible.
  held += 1
  hide()
  await passes(MINUTE)
  expect(lock).not.toHaveBeenCalled()
  page.visibilityState = 'visible'
  page.dispatchEvent(new Event('visibilitychange'))
  held -= 1
  hide()
  // Going to another tab hides this one first, and shows the other a moment later.
  await passes(400)
  held += 1
  await passes(MINUTE)
  expect(lock).not.toHaveBeenCalled()
  page.visibilityState = 'visible'
  page.dispatchEvent(new Event('visibilitychange'))
  held -= 1
  hide()
  await passes(1000)
  expect(lock).toHaveBeenCalledTimes(1)
})

test('No lock by time falls while a call runs: the time begins when it is over, and a hidden tab counts as seen', async () => {
  let isOn = true
  vi.stubGlobal('navigator', {})
  setUnderway({ isOn: () => isOn, end: () => undefined })
  stops.push(() => setUnderway(undefined))
  const [input, hidden] = [tab(5), tab('hidden')]
  page.visibilityState = 'hidden'
  page.dispatchEvent(new Event('visibilitychange'))
  await passes(30 * MINUTE)
  expect([input, hidden].map(({ lock }) => lock.mock.calls.length)).toEqual([0, 0])
  isOn = false
  await passes(MINUTE)
  expect([input, hidden].map(({ lock }) => lock.mock.calls.length)).toEqual([0, 1])
  await passes(5 * MINUTE)
  expect(input.lock).toHaveBeenCalledTimes(1)
})
