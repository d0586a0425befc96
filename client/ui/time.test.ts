import { describe, expect, test } from 'vitest'
import { clockTime, dayHeading, dayOf, fullDay, lastSeen, moment, relativeTime } from './time.ts'

const now = new Date(2026, 10, 20, 18, 30)
const ago = (ms: number) => new Date(now.getTime() - ms)
const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe('the time in the contact list', () => {
  test('is "now" below a minute, also where the clocks disagree', () => {
    expect(relativeTime(ago(59 * SECOND), now)).toBe('now')
    expect(relativeTime(ago(-5 * SECOND), now)).toBe('now')
  })
  test('counts minutes below an hour and hours below a day', () => {
    expect(relativeTime(ago(MINUTE), now)).toBe('1m')
    expect(relativeTime(ago(59 * MINUTE + 59 * SECOND), now)).toBe('59m')
    expect(relativeTime(ago(HOUR), now)).toBe('1h')
    expect(relativeTime(ago(DAY - SECOND), now)).toBe('23h')
  })
  test('is a date from then on, with the year where it is another one', () => {
    expect(relativeTime(ago(DAY), now)).toBe('Nov 19')
    expect(relativeTime(new Date(2025, 11, 31, 12), now)).toBe('Dec 31, 2025')
  })
})

describe('last seen', () => {
  test('says "never" when nothing is known', () => {
    expect(lastSeen(null, now)).toBe('never')
  })
  test('says "just now", then minutes, hours and days', () => {
    expect(lastSeen(ago(59 * SECOND), now)).toBe('just now')
    expect(lastSeen(ago(38 * MINUTE), now)).toBe('38m ago')
    expect(lastSeen(ago(23 * HOUR), now)).toBe('23h ago')
    expect(lastSeen(ago(DAY), now)).toBe('1d ago')
    expect(lastSeen(ago(40 * DAY), now)).toBe('40d ago')
  })
})

describe('the day above messages', () => {
  test('is a word for today and yesterday, by the calendar and not by 24 hours', () => {
    expect(dayHeading(new Date(2026, 10, 20, 0, 1), now)).toBe('Today')
    expect(dayHeading(new Date(2026, 10, 19, 23, 59), now)).toBe('Yesterday')
  })
  test('is a date otherwise, with the year where it is another one', () => {
    expect(dayHeading(new Date(2026, 10, 18, 12), now)).toBe('Wednesday, November 18')
    expect(dayHeading(new Date(2025, 10, 19, 12), now)).toBe('Wednesday, November 19, 2025')
  })
  test('two moments of one day belong together, two days do not', () => {
    expect(dayOf(new Date(2026, 10, 20, 0, 0))).toBe(dayOf(new Date(2026, 10, 20, 23, 59)))
    expect(dayOf(new Date(2026, 10, 20))).not.toBe(dayOf(new Date(2026, 10, 21)))
  })
})

test('the time of a message is US English with a plain space', () => {
  expect(clockTime(new Date(2026, 10, 20, 18, 41))).toBe('6:41 PM')
  expect(clockTime(new Date(2026, 10, 20, 0, 5))).toBe('12:05 AM')
  expect(moment(new Date(2026, 10, 14, 15, 12))).toBe('Nov 14, 2026, 3:12 PM')
  expect(fullDay(new Date(2026, 10, 14, 15, 12))).toBe('November 14, 2026')
})
