import { expect, test } from 'vitest'
import { coinsApi } from '../../../contract/money/coins.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { CARD, cardsOf } from '../../testing/cards.ts'
import { accountKeys, startBitcoin, startPriceSources } from '../../testing/chain.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld, type World } from '../../testing/world.ts'

let place: World | undefined
const bitcoin = await startBitcoin(() => place?.env.clock() ?? new Date(), accountKeys(41).bitcoin)
const sources = await startPriceSources()
const TERMS = { TERMS_URL: 'https://example.org/terms', TERMS_VERSION: '2026-11', TERMS_WITHDRAWAL: 'on' }
const world = await startWorld({ variables: { ...TERMS, ...bitcoin.variables, ...sources.variables } })
place = world
const { free, pays, stateOf, tierOf, holds } = cardsOf(world)

const AGREED = { termsVersion: '2026-11', withdrawal: true }
const keptOf = ({ id }: Person) =>
  world.sql(
    `select purchase, terms_version as version, terms_url as url, has_withdrawal as withdrawal, tier, billing_period as period,
      amount_cents::int as cents, consented_at as at from purchase_consents where user_id = $1 order by consented_at, purchase`,
    [id],
  )
const nothingBegan = async (who: Person) => {
  expect(await keptOf(who)).toEqual([])
  expect(await world.sql('select from card_accounts where user_id = $1 and checkout_id is not null', [who.id])).toEqual([])
  expect(await world.sql('select from crypto_payments where user_id = $1', [who.id])).toEqual([])
}

test('without consent to the terms of today nothing is bought, by no way: the refusal says which of both it is', async () => {
  const alice = await free()
  const coin = { packageId: 'test', currency: 'bitcoin', billingPeriod: 'monthly' } as const
  const wrongs = [
    [undefined, 'terms_required'],
    [{ ...AGREED, withdrawal: false }, 'terms_required'],
    [{ ...AGREED, termsVersion: '2025-01' }, 'terms_changed'],
  ] as const
  for (const [consent, code] of wrongs) {
    const given = consent ? { consent } : {}
    expect(await alice.tries(paymentsApi.checkout, { planType: 'premium', ...given })).toBeRefused(409, code)
    expect(await alice.tries(paymentsApi.upgrade, { tier: 'premium', ...given })).toBeRefused(409, code)
    expect(await alice.tries(coinsApi.createPayment, { ...coin, ...given })).toBeRefused(409, code)
  }
  await nothingBegan(alice)
  expect((await stateOf(alice)).terms).toEqual({ url: TERMS.TERMS_URL, version: '2026-11', asksWithdrawal: true })
})

test('version, address, time and the words about a withdrawal are kept with a checkout, a change and a request in coins', async () => {
  const alice = await free()
  const { url, sessionId } = await alice.does(paymentsApi.checkout, { planType: 'test', consent: AGREED })
  await pays(url, CARD.good)
  world.passes(60)
  expect(await alice.tries(paymentsApi.upgrade, { tier: 'premium' })).toBeRefused(409, 'terms_required')
  await alice.does(paymentsApi.upgrade, { tier: 'premium', consent: AGREED })
  const [row] = await world.sql('select subscription_id as id from card_accounts where user_id = $1', [alice.id])
  const kept = { version: '2026-11', url: TERMS.TERMS_URL, withdrawal: true, period: 'monthly', at: expect.any(Date) }
  expect(await keptOf(alice)).toEqual([
    { ...kept, purchase: `card:${sessionId}`, tier: 'test', cents: 100 },
    { ...kept, purchase: `card:${row?.['id']}`, tier: 'premium', cents: 100_000 },
  ])
  expect(await tierOf(alice)).toBe('premium')
  await holds()
  const bob = await world.person('bob', 'free')
  const coin = { packageId: 'test', currency: 'bitcoin', billingPeriod: 'monthly', consent: AGREED } as const
  const { id } = await bob.does(coinsApi.createPayment, coin)
  world.passes(60)
  // To ask again for what waits takes the place of what was agreed to before.
  expect((await bob.does(coinsApi.createPayment, coin)).id).toBe(id)
  expect(await keptOf(bob)).toEqual([{ ...kept, purchase: `coin:${id}`, tier: 'test', cents: 100 }])
})

test('a checkout that nobody paid leaves no consent once another one is begun; what was paid keeps its own for ever', async () => {
  const alice = await free()
  await alice.does(paymentsApi.checkout, { planType: 'premium', consent: AGREED })
  world.passes(60)
  const { url, sessionId } = await alice.does(paymentsApi.checkout, { planType: 'test', consent: AGREED })
  expect((await keptOf(alice)).map(({ purchase }) => purchase)).toEqual([`card:${sessionId}`])
  await pays(url, CARD.good)
  world.passes(60)
  await alice.does(paymentsApi.upgrade, { tier: 'free' })
  await alice.does(paymentsApi.keep, {})
  await alice.does(paymentsApi.upgrade, { tier: 'premium', consent: AGREED })
  expect((await keptOf(alice)).map(({ tier }) => tier)).toEqual(['test', 'premium'])
})

test('to end a plan, to keep it, and to take a change back need no consent: nothing is bought by them', async () => {
  const alice = await free()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'test', consent: AGREED })
  await pays(url, CARD.asksAlways, 'confirmed')
  const { checkoutUrl } = await alice.does(paymentsApi.upgrade, { tier: 'premium', consent: AGREED })
  expect(checkoutUrl).toContain('/sandbox/invoice/')
  expect(await alice.does(paymentsApi.upgrade, { tier: 'test' })).toEqual({ success: true })
  expect(await alice.does(paymentsApi.upgrade, { tier: 'free' })).toEqual({ success: true })
  expect(await alice.does(paymentsApi.keep, {})).toEqual({})
})

test('the consent to a plan that was chosen for the end stays beside that to a change that never came, and none is written that nobody gave', async () => {
  const alice = await free()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium', consent: AGREED })
  await pays(url, CARD.asksAlways, 'confirmed')
  world.passes(60)
  await alice.does(paymentsApi.upgrade, { tier: 'test', consent: AGREED })
  world.passes(60)
  await alice.does(paymentsApi.upgrade, { tier: 'premium', billingPeriod: 'yearly', consent: AGREED })
  await alice.does(paymentsApi.upgrade, { tier: 'premium', billingPeriod: 'monthly' })
  const told = (await keptOf(alice)).map(({ tier, period }) => [tier, period])
  expect(told).toEqual([
    ['premium', 'monthly'],
    ['test', 'monthly'],
    ['premium', 'yearly'],
  ])
})

test('Eve’s page of before the terms changed is refused by name, and what it knows anew is bought', async () => {
  const eve = await world.person('eve', 'free')
  const { terms } = world.env.config
  world.env.config.terms = { url: 'https://example.org/terms/2', version: '2027-01', asksWithdrawal: false }
  try {
    const old = await eve.tries(paymentsApi.upgrade, { tier: 'test', consent: AGREED })
    expect(old).toBeRefused(409, 'terms_changed')
    await nothingBegan(eve)
    expect((await stateOf(eve)).terms?.version).toBe('2027-01')
    await eve.does(paymentsApi.upgrade, { tier: 'test', consent: { termsVersion: '2027-01' } })
    expect(await keptOf(eve)).toMatchObject([{ version: '2027-01', url: 'https://example.org/terms/2', withdrawal: false }])
  } finally {
    world.env.config.terms = terms
  }
})

test('where the operator has no terms nobody is asked, and nothing is kept', async () => {
  const none = await startWorld()
  const alice = await none.person('alice', 'free')
  await alice.does(paymentsApi.checkout, { planType: 'premium', consent: AGREED })
  expect((await alice.does(paymentsApi.subscription, {})).terms).toBeUndefined()
  expect(await none.sql('select from purchase_consents')).toEqual([])
})
