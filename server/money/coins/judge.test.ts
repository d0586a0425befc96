import { expect, test } from 'vitest'
import { isInTime } from './judge.ts'

const END = new Date('2026-01-31T12:00:00.000Z')
const HOUR_MS = 60 * 60_000
const later = (ms: number) => new Date(END.getTime() + ms)

test('Where a look since the end has found nothing, money counts up to the end and not a moment longer', () => {
  expect(isInTime(END, false, END, later(HOUR_MS))).toBe(true)
  expect(isInTime(END, false, later(1), later(HOUR_MS))).toBe(false)
})

test('Where no look was possible, money counts for an hour after the end and not a moment longer', () => {
  expect(isInTime(END, true, later(HOUR_MS), later(9 * HOUR_MS))).toBe(true)
  expect(isInTime(END, true, later(HOUR_MS + 1), later(9 * HOUR_MS))).toBe(false)
})

test('Money that is in no block yet came when it was first seen', () => {
  expect(isInTime(END, true, null, later(HOUR_MS))).toBe(true)
  expect(isInTime(END, true, null, later(HOUR_MS + 1))).toBe(false)
  expect(isInTime(END, false, null, END)).toBe(true)
})
