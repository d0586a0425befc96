import { expect, test } from 'vitest'
import { EARLY_MS, type Entry, standingAt } from './standing.ts'

const at = (time: string) => new Date(`2026-01-${time}Z`)

const month: Entry = {
  key: 'card:1',
  kind: 'payment',
  source: 'coin',
  tier: 'premium',
  packageId: null,
  startsAt: at('01T00:00:00.000'),
  endsAt: at('31T00:00:00.000'),
  amountCents: 100_000,
  refersTo: null,
}

test('A paid plan begins in its first instant, or five minutes before it by our clock, and has ended in its last', () => {
  const first = month.startsAt.getTime()
  expect([-EARLY_MS - 1, -EARLY_MS].map((ms) => standingAt([month], new Date(first + ms)).tier)).toEqual(['free', 'premium'])
  expect(standingAt([month], new Date(first - EARLY_MS))).toMatchObject({ startDate: month.startsAt, endDate: month.endsAt })
  expect(standingAt([month], at('01T00:00:00.000')).tier).toBe('premium')
  expect(standingAt([month], at('30T23:59:59.999')).tier).toBe('premium')
  expect(standingAt([month], at('31T00:00:00.000')).tier).toBe('free')
})

test('Where one period ends as the next begins, the smaller plan follows in that instant', () => {
  const next: Entry = { ...month, key: 'card:2', tier: 'test', startsAt: at('31T00:00:00.000'), endsAt: null }
  expect(standingAt([month, next], at('30T23:59:59.999')).tier).toBe('premium')
  expect(standingAt([month, next], at('31T00:00:00.000')).tier).toBe('test')
})
