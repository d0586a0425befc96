import { expect, test } from 'vitest'
import { limitsOf } from '../../../contract/money/offerLimits.ts'
import { EARLY_MS, type Entry, standingAt } from './standing.ts'

const at = (time: string) => new Date(`2026-01-${time}Z`)

const month: Entry = {
  key: 'card:1',
  kind: 'payment',
  source: 'coin',
  tier: 'premium',
  packageId: null,
  limits: limitsOf('premium'),
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

test('Of two packages of a tier the one that allows more counts: by messages, then files, then video', () => {
  const sized = (packageId: string, more: Partial<Entry['limits']>): Entry => ({
    ...{ ...month, packageId },
    limits: { messagesPerMonth: 5, storageGB: 5, videoMinutes: 5, voiceMinutes: -1, ...more },
  })
  const small = { ...sized('small', {}), endsAt: null }
  for (const more of [{ messagesPerMonth: 6, storageGB: 0 }, { messagesPerMonth: -1 }, { storageGB: 6 }, { videoMinutes: -1 }]) {
    const large = sized('large', more)
    for (const both of [
      [small, large],
      [large, small],
    ])
      expect(standingAt(both, at('15T00:00:00.000')).packageId).toBe('large')
    expect(standingAt([small, large], at('31T00:00:00.000')).packageId).toBe('small')
  }
})
