import { expect, test, vi } from 'vitest'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { CARD, cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

vi.setConfig({ testTimeout: 60_000 })
const world = await startWorld()
const { sandbox, tierOf, stateOf, holds, entriesOf, pays, buys, changesCard } = cardsOf(world)
const newEve = () => world.person('eve', 'free')

/** A package that is like the one that is sold but for this. Returns its id. */
async function packageThat(what: string, value: unknown, messages = -1): Promise<string> {
  const [row] = await world.sql(
    `insert into premium_packages (id, name, description, tier, monthly_price, yearly_price, messages_limit, display_order, created_at, updated_at)
     values (gen_random_uuid(), 'Special', 'For Eve', 'premium', 50, 50, ${messages}, 9, now(), now()) returning id`,
  )
  await world.sql(`update premium_packages set ${what} = $1 where id = $2`, [value, row?.['id']])
  return String(row?.['id'])
}

test('Eve buys no package that is hidden, as an archived one is, free, without a price or without messages, by no call', async () => {
  const eve = await newEve()
  const packages = [
    await packageThat('is_active', false),
    await packageThat('tier', 'free'),
    await packageThat('monthly_price', 0),
    await packageThat('monthly_price', 50, 0),
  ]
  for (const packageId of packages) {
    const wish = { tier: 'premium', packageId }
    expect(await eve.tries(paymentsApi.checkout, { planType: 'premium', packageId })).toBeRefused(409, 'plan_not_sold')
    for (const call of [paymentsApi.upgrade, paymentsApi.preview])
      expect(await eve.tries(call, wish)).toBeRefused(409, 'plan_not_sold')
  }
  expect([await tierOf(eve), await entriesOf(eve)]).toEqual(['free', []])
  await world.sql('delete from premium_packages where id = any($1)', [packages])
})

test('numbers, lists and long texts where a choice belongs are refused as such', async () => {
  const eve = await newEve()
  const wrong = [-1, 1e308, '', [], {}, null, 'x'.repeat(100_000), '00000000-0000-0000-0000-00000000000g']
  for (const value of wrong)
    for (const [call, body] of [
      [paymentsApi.checkout, { planType: value }],
      [paymentsApi.checkout, { planType: 'premium', billingPeriod: value }],
      [paymentsApi.checkout, { planType: 'premium', packageId: value }],
      [paymentsApi.upgrade, { tier: value }],
      [paymentsApi.upgrade, { tier: 'premium', embedded: value }],
      [paymentsApi.preview, { tier: 'premium', packageId: value }],
    ] as const)
      expect(await eve.tries(call, body as never)).toBeRefused(400, 'invalid_input')
  expect(await eve.tries(paymentsApi.upgrade, { tier: 'premium', paymentMethodId: 'x'.repeat(201) })).toBeRefused(400)
})

test('a way to pay that is somebody else’s or nobody’s is refused by name, changes nothing and is kept nowhere; the own one pays', async () => {
  const eve = await newEve()
  await buys(eve, 'test')
  await changesCard(eve, CARD.declined)
  const upgrades = (paymentMethodId: string) => eve.tries(paymentsApi.upgrade, { tier: 'premium', paymentMethodId })
  expect(await upgrades('pm_of_alice')).toBeRefused(402, 'card_refused')
  expect([await tierOf(eve), (await stateOf(eve)).card?.tier]).toEqual(['test', 'test'])
  expect((await upgrades('pm_card_visa')).status).toBe(200)
  expect(await tierOf(eve)).toBe('premium')
  const kept = await world.sql(
    'select to_jsonb(c) as row from card_accounts c union all select to_jsonb(l) from ledger_entries l',
  )
  expect(JSON.stringify(kept)).not.toMatch(/pm_/)
  await holds()
})

/** What the provider has taken of the account, less what it gave back, in cents. */
async function takenOf({ id }: Person): Promise<number> {
  const [row] = await world.sql(
    `select coalesce((select sum((i.body ->> 'amount_paid')::bigint) from sandbox_objects i
        where i.kind = 'invoice' and i.body ->> 'status' = 'paid' and i.customer = c.customer_id), 0)
      - coalesce((select sum((r.body ->> 'amount')::bigint) from sandbox_objects r
        where r.kind = 'refund' and r.customer = c.customer_id), 0) as cents
     from card_accounts c where c.user_id = $1`,
    [id],
  )
  return Number(row?.['cents'])
}

test('an upgrade, a cancellation, its undoing and a refund at the same time leave one plan, of which the ledger has every cent', async () => {
  for (let round = 0; round < 4; round++) {
    const eve = await newEve()
    await buys(eve, 'test')
    const calls = [
      eve.tries(paymentsApi.upgrade, { tier: 'premium' }),
      eve.tries(paymentsApi.upgrade, { tier: 'free' }),
      eve.tries(paymentsApi.upgrade, { tier: 'premium' }),
      eve.tries(paymentsApi.keep, {}),
      ...(round % 2 === 0 ? [] : [eve.tries(paymentsApi.refund, {}), eve.tries(paymentsApi.refund, {})]),
    ]
    const answers = await Promise.all(calls)
    for (const { status } of answers) expect([200, 409]).toContain(status)
    await sandbox.deliver()
    const sums = (await entriesOf(eve)).map(({ kind, cents }) => (kind === 'refund' ? -Number(cents) : Number(cents)))
    expect(sums.reduce((one, other) => one + other, 0)).toBe(await takenOf(eve))
    const { card } = await stateOf(eve)
    expect(await tierOf(eve)).toBe(card ? 'premium' : 'free')
    const live = await world.sql(
      `select from sandbox_objects s join card_accounts c on c.customer_id = s.customer
       where s.kind = 'subscription' and s.body ->> 'status' = 'active' and c.user_id = $1`,
      [eve.id],
    )
    expect(live).toHaveLength(card ? 1 : 0)
    await holds()
  }
})

test('a package that is renamed between two changes of plan is sold by both', async () => {
  for (const name of ['Premium', 'Премиум'.repeat(10)]) {
    await world.sql('update premium_packages set name = $1', [name])
    const alice = await newEve()
    await buys(alice, 'test')
    expect(await alice.does(paymentsApi.upgrade, { tier: 'premium' })).toEqual({ success: true })
    expect(await tierOf(alice)).toBe('premium')
  }
  await world.sql("update premium_packages set name = 'Premium'")
})

test('ten checkouts at the same time can be paid once', async () => {
  const eve = await newEve()
  const begun = await Promise.all(Array.from({ length: 10 }, () => eve.tries(paymentsApi.checkout, { planType: 'test' })))
  const urls = begun.flatMap(({ body }) => paymentsApi.checkout.output.safeParse(body).data?.url ?? [])
  expect(urls.length).toBe(10)
  await Promise.all(urls.map((url) => pays(url)))
  await sandbox.deliver()
  expect(await entriesOf(eve)).toEqual([{ kind: 'payment', tier: 'test', cents: 100 }])
  await holds()
})
