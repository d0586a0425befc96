import { expect, test } from 'vitest'
import type { Subscription } from '../../../contract/money/payments.ts'
import { reminderOf } from './reminder.ts'

const now = new Date('2027-03-01T12:00:00.000Z')
const after = (days: number) => new Date(now.getTime() + days * 24 * 60 * 60 * 1000).toISOString()

const card = {
  ...{ tier: 'premium' as const, packageId: null, billingPeriod: 'monthly' as const, periodEnd: after(3) },
  ...{ renews: true, hasFailed: false, graceUntil: null, waiting: null },
}
const paid: Subscription = {
  ...{
    tier: 'premium',
    packageId: null,
    endDate: after(10),
    hasInvoices: true,
    refundableCents: null,
    cardProvider: 'stripe',
    masterPrice: { monthlyCents: null, yearlyCents: null },
    card,
  },
}
const textOf = (subscription: Subscription) => {
  const found = reminderOf(subscription, now)
  return found && `${found.title}. ${found.text}`
}

test('who pays for the next period, who has no end and who has weeks left is reminded of nothing', () => {
  expect(textOf(paid)).toBeUndefined()
  expect(textOf({ ...paid, card: null, endDate: null })).toBeUndefined()
  expect(textOf({ ...paid, card: null, endDate: after(7.01) })).toBeUndefined()
  expect(textOf({ ...paid, card: null, endDate: after(0) })).toBeUndefined()
})

test('a plan that ends is spoken of in its last seven days, by the day', () => {
  const ends = 'From March 4, 2027 on you cannot send. Everything stays readable.'
  expect(textOf({ ...paid, card: { ...card, renews: false } })).toBe(`Premium ends in 3 days. ${ends}`)
  expect(textOf({ ...paid, card: null, endDate: after(3) })).toBe(`Premium ends in 3 days. ${ends}`)
  expect(textOf({ ...paid, card: null, endDate: after(7) })).toContain('in 7 days')
  expect(textOf({ ...paid, card: null, endDate: after(0.5) })).toContain('within a day')
})

test('a failed renewal names the end of the grace, and a change that waits is named before it', () => {
  const failed = { ...card, hasFailed: true, graceUntil: after(6) }
  expect(textOf({ ...paid, card: failed })).toBe('The last payment failed. Your plan goes on until March 7, 2027.')
  const waiting = {
    kind: 'change' as const,
    url: 'https://pay.example/1',
    amountCents: 99_900,
    tier: 'premium' as const,
    until: null,
  }
  expect(textOf({ ...paid, card: { ...failed, waiting } })).toBe('One step is left. Confirm the payment of $999 for Premium.')
})

test('what was put off comes back with another end or another failure', () => {
  const keyOf = (end: string) => reminderOf({ ...paid, card: null, endDate: end }, now)?.key
  expect(keyOf(after(3))).toBe(keyOf(after(3)))
  expect(keyOf(after(4))).not.toBe(keyOf(after(3)))
})
