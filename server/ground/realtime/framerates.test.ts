import { expect, test } from 'vitest'
import { FLOOD, FRAME_RATES, OTHER_FRAMES } from '../../../contract/frames.ts'
import { countFrames } from './framerates.ts'

test('each type has a rate of its own, and all that has no type has one together', () => {
  let nowMs = 0
  const counts = countFrames(() => nowMs)
  const allowed = (type: unknown) => Array.from({ length: 100 }, () => counts.isAllowed(type)).filter(Boolean).length
  expect(allowed('typing')).toBe(FRAME_RATES.typing.points)
  expect(allowed('message')).toBe(FRAME_RATES.message.points)
  expect(allowed('ping')).toBe(FRAME_RATES.ping.points)
  expect([undefined, 'become_admin', 'constructor', 7].map(allowed)).toEqual([OTHER_FRAMES.points, 0, 0, 0])
  nowMs = 1000
  expect(allowed('typing')).toBe(FRAME_RATES.typing.points)
})

test('a flood is many frames, or few that are large', () => {
  let nowMs = 0
  const counts = countFrames(() => nowMs)
  for (let count = 0; count < FLOOD.frames; count++) expect(counts.isFlood(1)).toBe(false)
  expect(counts.isFlood(1)).toBe(true)
  nowMs = 1000
  expect(counts.isFlood(FLOOD.bytes)).toBe(false)
  expect(counts.isFlood(1)).toBe(true)
  nowMs = 2000
  expect(counts.isFlood(1)).toBe(false)
})
