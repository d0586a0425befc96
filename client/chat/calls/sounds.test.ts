import { afterEach, expect, test, vi } from 'vitest'
import { playRingback } from './sounds.ts'

afterEach(() => vi.unstubAllGlobals())

test('A sound that is stopped twice, by its end and by that of its call, leaves no rejection uncaught', async () => {
  const part = { frequency: {}, gain: { setValueAtTime: vi.fn(), linearRampToValueAtTime: vi.fn() } }
  const node = { ...part, connect: () => node, start: vi.fn(), stop: vi.fn() }
  Object.assign(part.gain, { exponentialRampToValueAtTime: vi.fn() })
  let closed = 0
  /** As in Firefox, where the state changes later. */
  class Audio {
    state = 'running'
    currentTime = 0
    destination = node
    createOscillator = () => node
    createGain = () => node
    resume = async () => undefined
    // A mock of vitest would catch what it rejects.
    async close() {
      closed += 1
      if (closed > 1) throw new DOMException('Closed', 'InvalidStateError')
    }
  }
  vi.stubGlobal('AudioContext', Audio)
  vi.stubGlobal('navigator', { userActivation: { hasBeenActive: true } })
  const stop = playRingback()
  stop()
  stop()
  await new Promise((resolve) => setImmediate(resolve))
  expect(closed).toBe(2)
})
