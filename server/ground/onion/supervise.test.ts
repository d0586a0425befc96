import { expect, test, vi } from 'vitest'
import { makeSay } from './say.ts'
import { supervise } from './supervise.ts'

const makeLog = () => {
  const log: string[] = []
  const say = (sentence: string) => void log.push(sentence)
  return { log, say: makeSay({ info: say, warn: say }) }
}
const ends = { ended: Promise.resolve('It has ended'), stop: async () => undefined }

/** Begins what ends at once so often, and returns the pauses in ms. A timer may fire a millisecond early. */
async function pausesOf(count: number, hasWorked: () => boolean, againMs: [number, number]): Promise<number[]> {
  const begun: number[] = []
  const begin = async () => {
    begun.push(performance.now())
    return ends
  }
  const supervised = supervise(begin, { againMs, hasWorked, say: makeLog().say })
  await vi.waitUntil(() => begun.length > count, { timeout: 20_000, interval: 5 })
  await supervised.stop()
  return begun.slice(1, count + 1).map((at, index) => at - (begun[index] ?? 0) + 1)
}

test('what ends again and again is begun after pauses that double up to the longest', async () => {
  const pauses = await pausesOf(4, () => false, [20, 80])
  for (const [index, least] of [20, 40, 80, 80].entries()) expect(pauses[index]).toBeGreaterThanOrEqual(least)
})

test('what has worked is begun after the first pause again', async () => {
  // Sixteen pauses that double take a minute.
  expect(await pausesOf(16, () => true, [1, 600_000])).toHaveLength(16)
})

test('why it ended is said once, and nothing is said or begun after the end', async () => {
  const { log, say } = makeLog()
  let begun = 0
  let letIn: () => void = () => undefined
  const held = new Promise<void>((resolve) => {
    letIn = resolve
  })
  const stop = vi.fn(async () => undefined)
  const begin = async () => {
    begun++
    if (begun < 5) return ends
    await held
    return { ended: Promise.resolve('It has ended late'), stop }
  }
  const supervised = supervise(begin, { againMs: [1, 2], hasWorked: () => false, say })
  await vi.waitUntil(() => begun === 5, { timeout: 20_000, interval: 1 })
  const stopped = supervised.stop()
  letIn()
  await stopped
  expect(log).toEqual(['It has ended. It is started again'])
  expect([begun, stop.mock.calls.length]).toEqual([5, 1])
})
