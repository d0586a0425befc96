import { expect, test, vi } from 'vitest'
import { familyApi } from '../../../contract/account/family.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { writePackageRights } from '../../ground/db/planrights.ts'
import { cardsOf } from '../../testing/cards.ts'
import { startWorld } from '../../testing/world.ts'

vi.setConfig({ testTimeout: 60_000 })
const world = await startWorld({ variables: { MASTER_MONTHLY_CENTS: '250000', MASTER_YEARLY_CENTS: '2000000' } })
const { free, tierOf, stateOf, holds, entriesOf, pays, buys } = cardsOf(world)

test('Master is sold at the price of the settings, gives its family circle, and ends like every plan', async () => {
  const alice = await free()
  expect((await stateOf(alice)).masterPrice).toEqual({ monthlyCents: 250_000, yearlyCents: 2_000_000 })
  expect(await alice.tries(familyApi.members, {})).toBeRefused(403, 'master_required')
  const { checkoutUrl = '' } = await alice.does(paymentsApi.upgrade, { tier: 'master', billingPeriod: 'yearly' })
  expect(await (await fetch(checkoutUrl)).text()).toContain('Pay $20,000.00')
  await pays(checkoutUrl)
  expect(await tierOf(alice)).toBe('master')
  expect(await entriesOf(alice)).toEqual([{ kind: 'payment', tier: 'master', cents: 2_000_000 }])
  expect(await alice.does(familyApi.members, {})).toEqual([])
  await holds()
  await alice.does(paymentsApi.refund, {})
  expect(await tierOf(alice)).toBe('free')
  expect(await alice.tries(familyApi.members, {})).toBeRefused(403, 'master_required')
  await holds()
})

test('from Premium to Master costs the difference, as the preview says; back to Premium waits for the end of the paid time', async () => {
  const alice = await free()
  await buys(alice, 'premium')
  expect(await alice.does(paymentsApi.preview, { tier: 'master' })).toEqual({ dueNowCents: 150_000 })
  expect(await alice.does(paymentsApi.upgrade, { tier: 'master' })).toEqual({ success: true })
  expect(await tierOf(alice)).toBe('master')
  await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  expect([await tierOf(alice), (await stateOf(alice)).card?.tier]).toEqual(['master', 'premium'])
  await holds()
})

test('Eve names no price of Master, and no package as one', async () => {
  const eve = await free()
  const lies = { tier: 'master', price: 1, amount: 1, amountCents: 1, masterPrice: { monthlyCents: 1 } }
  const { body } = await eve.tries(paymentsApi.upgrade, lies)
  const { checkoutUrl = '' } = paymentsApi.upgrade.output.parse(body)
  expect(await (await fetch(checkoutUrl)).text()).toContain('Pay $2,500.00')
  const [sold] = await eve.does(paymentsApi.packages, {})
  const packageId = sold?.id ?? ''
  expect(await eve.tries(paymentsApi.upgrade, { tier: 'master', packageId })).toBeRefused(409, 'plan_not_sold')
  expect(await eve.tries(paymentsApi.checkout, { planType: 'master' })).toBeRefused(400, 'invalid_input')
  expect([await tierOf(eve), await entriesOf(eve)]).toEqual(['free', []])
})

test('a package that is sold by the year alone is bought by card for a year', async () => {
  const alice = await free()
  const [row] = await world.sql(
    `insert into premium_packages (id, name, description, tier, monthly_price, yearly_price, messages_limit, display_order, created_at, updated_at)
     values (gen_random_uuid(), 'By the year', 'For offices', 'premium', 0, 600000, -1, 9, now(), now()) returning id`,
  )
  const packageId = String(row?.['id'])
  await writePackageRights(world.env.db)
  expect(await alice.tries(paymentsApi.upgrade, { tier: 'premium', packageId })).toBeRefused(409, 'plan_not_sold')
  const wish = { tier: 'premium', packageId, billingPeriod: 'yearly' } as const
  const { checkoutUrl = '' } = await alice.does(paymentsApi.upgrade, wish)
  expect(await (await fetch(checkoutUrl)).text()).toContain('Pay $6,000.00')
  await pays(checkoutUrl)
  expect((await stateOf(alice)).card).toMatchObject({ packageId, billingPeriod: 'yearly' })
  expect(await tierOf(alice)).toBe('premium')
  await holds()
})
