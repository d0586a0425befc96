import { expect, test } from 'vitest'
import { type Package, paymentsApi, type Subscription } from '../../../contract/money/payments.ts'
import type { Env } from '../../env.ts'
import { followSubscription, masterOffer, offered, priceFor, readPlans, readSubscription, relationTo } from './plans.ts'
import { plansStore } from './store.ts'

const PACKAGE = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'
const card = {
  ...{ tier: 'test' as const, packageId: null, billingPeriod: 'monthly' as const, periodEnd: '2027-01-01T00:00:00.000Z' },
  ...{ renews: true, hasFailed: false, graceUntil: null, waiting: null },
}
const subscription = (more: Partial<Subscription> = {}): Subscription => ({
  ...{ tier: 'free', packageId: null, endDate: null, card: null, hasInvoices: false, refundableCents: null },
  ...{ cardProvider: 'sandbox', masterPrice: { monthlyCents: null, yearlyCents: null } },
  ...more,
})
const sold: Package = {
  ...{ id: PACKAGE, name: 'Chambers', description: 'For legal teams', tier: 'premium', monthlyPrice: 0, yearlyPrice: 800_000 },
  ...{ messagesLimit: -1, fileStorageGB: -1, voiceCallMinutes: -1, videoCallMinutes: -1, isActive: true, displayOrder: 0 },
  ...{ advancedEncryption: false, prioritySupport: false, customBranding: false, apiAccess: false },
}

test('a package with one price is sold for that period, whichever is wanted, and one without any is not', () => {
  const [yearly, ...others] = offered([sold, { ...sold, yearlyPrice: 0 }], 'off')
  expect([yearly, others]).toEqual([expect.objectContaining({ monthlyCents: null, yearlyCents: 800_000 }), []])
  for (const wanted of ['monthly', 'yearly'] as const)
    expect(yearly && priceFor(yearly, wanted)).toEqual({ period: 'yearly', cents: 800_000 })
  const [monthly] = offered([{ ...sold, monthlyPrice: 100, yearlyPrice: 0 }], 'off')
  expect(monthly && priceFor(monthly, 'yearly')).toEqual({ period: 'monthly', cents: 100 })
  const [both] = offered([{ ...sold, monthlyPrice: 100 }], 'off')
  expect(both && priceFor(both, 'yearly')).toEqual({ period: 'yearly', cents: 800_000 })
})

test('Master is for sale where it has a price and a card is taken', () => {
  const masterPrice = { monthlyCents: 250_000, yearlyCents: null }
  expect(masterOffer(subscription({ masterPrice }))).toMatchObject({ tier: 'master', name: 'Master', ...masterPrice })
  expect(masterOffer(subscription({ masterPrice, cardProvider: 'off' }))).toBeUndefined()
  expect(masterOffer(subscription())).toBeUndefined()
})

test('a plan that is part of a larger one without a card is not offered, because choosing it would change nothing', () => {
  const packages = [{ ...sold, monthlyPrice: 100_000 }]
  const [premium, test] = offered(packages, 'sandbox')
  if (!premium || !test) throw new Error('Two are for sale')
  const to = (more: Partial<Subscription>) =>
    [test, premium].map((each) => relationTo(each, 'monthly', subscription(more), packages))
  expect(to({ tier: 'free' })).toEqual(['open', 'open'])
  expect(to({ tier: 'test' })).toEqual(['own', 'open'])
  expect(to({ tier: 'premium' })).toEqual(['included', 'own'])
  expect(to({ tier: 'premium', packageId: PACKAGE })).toEqual(['included', 'own'])
  expect(to({ tier: 'master' })).toEqual(['included', 'included'])
  // By card a smaller plan is chosen for the next period.
  expect(to({ tier: 'premium', card: { ...card, tier: 'premium', packageId: PACKAGE } })).toEqual(['open', 'own'])
  expect(relationTo(test, 'yearly', subscription({ tier: 'test', card }), packages)).toBe('open')
})

test('without a card a larger package of the same tier is offered, and a smaller one is part of what there is', () => {
  const OTHER = PACKAGE.replace('01', '02')
  const packages = [
    { ...sold, monthlyPrice: 1000, messagesLimit: 5 },
    { ...sold, id: OTHER, monthlyPrice: 90_000 },
  ]
  const to = (packageId: string, known = packages) =>
    offered(packages, 'off').map((each) => relationTo(each, 'monthly', subscription({ tier: 'premium', packageId }), known))
  expect(to(PACKAGE)).toEqual(['own', 'open'])
  expect(to(OTHER)).toEqual(['included', 'own'])
  // What is hidden is not known here.
  expect(to(PACKAGE.replace('01', '03'))).toEqual(['open', 'open'])
})

test('a payment that fails while the app is open is known without a reload', async () => {
  let failed = false
  const told: (() => void)[] = []
  const api = () => Promise.resolve(subscription({ tier: 'premium', card: { ...card, hasFailed: failed } }))
  const socket = {
    on: (_type: string, hear: () => void) => {
      told.push(hear)
      return () => void told.splice(told.indexOf(hear), 1)
    },
  }
  const hasFailed = () => plansStore.getState().subscription?.card?.hasFailed
  const stop = followSubscription({ api, socket } as unknown as Env)
  await expect.poll(hasFailed).toBe(false)
  failed = true
  for (const hear of told) hear()
  await expect.poll(hasFailed).toBe(true)
  stop()
  expect(told).toEqual([])
})

test('several parts of a screen that follow the subscription ask for it once', async () => {
  let asked = 0
  const told: (() => void)[] = []
  const api = async () => {
    asked += 1
    return subscription({})
  }
  const socket = {
    on: (_type: string, hear: () => void) => {
      told.push(hear)
      return () => void told.splice(told.indexOf(hear), 1)
    },
  }
  const env = { api, socket } as unknown as Env
  const ends = [followSubscription(env), followSubscription(env)]
  expect(asked).toBe(1)
  for (const hear of told) hear()
  expect(asked).toBe(2)
  ends[0]?.()
  expect(told).toHaveLength(1)
  ends[1]?.()
  expect(told).toHaveLength(0)
  followSubscription(env)()
  expect(asked).toBe(3)
})

test('an answer that is older than what is shown is not shown, and one that is merely slow is', async () => {
  const held: ((subscription: Subscription) => void)[] = []
  const api = (endpoint: unknown) =>
    endpoint === paymentsApi.subscription ? new Promise((resolve) => held.push(resolve)) : Promise.resolve([])
  const env = { api } as unknown as Env
  const reads = [readPlans(env), readPlans(env), readSubscription(env)]
  const [first, second, third] = held
  const shown = () => plansStore.getState().subscription?.tier
  // Another question is under way already, as with a poll that is faster than the connection.
  first?.(subscription({ tier: 'test' }))
  await reads[0]
  expect(shown()).toBe('test')
  third?.(subscription({ tier: 'premium' }))
  await reads[2]
  plansStore.setState({ packages: null })
  second?.(subscription({ tier: 'master' }))
  await reads[1]
  expect([shown(), plansStore.getState().packages]).toEqual(['premium', []])
})
