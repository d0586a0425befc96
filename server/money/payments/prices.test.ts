import { expect, test, vi } from 'vitest'
import { familyApi } from '../../../contract/account/family.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { writePackageRights } from '../../ground/db/planrights.ts'
import { cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { creditPeriod } from '../ledger/ledger.ts'

vi.setConfig({ testTimeout: 60_000 })
const world = await startWorld({ variables: { MASTER_MONTHLY_CENTS: '250000', MASTER_YEARLY_CENTS: '2000000' } })
const { free, tierOf, stateOf, holds, entriesOf, pays, buys, passes, forgetsCards } = cardsOf(world)

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

/** Two packages of one tier, of which the second allows more and costs more. */
async function twoOfOneTier(): Promise<{ small: string; large: string }> {
  const rows = await world.sql(
    `insert into premium_packages (id, name, description, tier, monthly_price, yearly_price, messages_limit, display_order, created_at, updated_at)
     values (gen_random_uuid(), 'Small', 'x', 'premium', 1000, 10000, 5, 20, now(), now()),
       (gen_random_uuid(), 'Large', 'x', 'premium', 90000, 900000, -1, 21, now(), now()) returning id`,
  )
  await writePackageRights(world.env.db)
  const [small = '', large = ''] = rows.map(({ id }) => String(id))
  return { small, large }
}
const buysPackage = async (who: Person, packageId: string) =>
  pays((await who.does(paymentsApi.checkout, { planType: 'premium', packageId })).url)

test('a larger package of the same tier is charged and given at once, a smaller one follows at the end of the paid time', async () => {
  const { small, large } = await twoOfOneTier()
  const alice = await free()
  await buysPackage(alice, small)
  expect(await alice.does(paymentsApi.usage, {})).toMatchObject({ messagesLimit: 5 })
  const toLarge = { tier: 'premium', packageId: large } as const
  expect(await alice.does(paymentsApi.preview, toLarge)).toEqual({ dueNowCents: 89_000 })
  expect(await alice.does(paymentsApi.upgrade, toLarge)).toEqual({ success: true })
  expect(await entriesOf(alice)).toMatchObject([{ cents: 1000 }, { cents: 89_000 }])
  expect([(await stateOf(alice)).packageId, await alice.does(paymentsApi.usage, {})]).toMatchObject([
    large,
    { messagesLimit: null },
  ])
  await holds()
  const toSmall = { tier: 'premium', packageId: small } as const
  expect(await alice.does(paymentsApi.preview, toSmall)).toEqual({ dueNowCents: 0 })
  await alice.does(paymentsApi.upgrade, toSmall)
  expect([(await stateOf(alice)).packageId, (await stateOf(alice)).card?.packageId]).toEqual([large, small])
  await passes(32)
  await alice.returns()
  expect([(await stateOf(alice)).packageId, (await entriesOf(alice)).at(-1)]).toMatchObject([small, { cents: 1000 }])
  await holds()
})

test('whose plan has no card behind it buys a larger package of the same tier, and no smaller one', async () => {
  const { small, large } = await twoOfOneTier()
  const alice = await free()
  const paysCoin = (packageId: string) =>
    world.env.db.transaction((tx) =>
      creditPeriod(tx, world.env.clock(), {
        ...{ key: `coin:${packageId}`, userId: alice.id, source: 'coin', tier: 'premium', packageId },
        ...{ billingPeriod: 'monthly', amountCents: 1000 },
      }),
    )
  await paysCoin(small)
  await buysPackage(alice, large)
  expect((await stateOf(alice)).packageId).toBe(large)
  await forgetsCards()
  await alice.does(paymentsApi.refund, {})
  expect((await stateOf(alice)).packageId).toBe(small)
  const bob = await world.person('bob', 'free')
  await buysPackage(bob, large)
  await bob.does(paymentsApi.upgrade, { tier: 'free' })
  expect(await bob.tries(paymentsApi.checkout, { planType: 'premium', packageId: small })).toBeRefused(409, 'already_subscribed')
  await holds()
})
