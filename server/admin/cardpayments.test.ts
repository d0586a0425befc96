import { expect, test, vi } from 'vitest'
import { cardPaymentsApi } from '../../contract/money/cardpayments.ts'
import { paymentsApi } from '../../contract/money/payments.ts'
import { cardsOf } from '../testing/cards.ts'
import { startWorld } from '../testing/world.ts'

vi.setConfig({ testTimeout: 60_000 })
const world = await startWorld()
const { buys, disputes } = cardsOf(world)
const ada = await world.person('ada')
await world.sql('update users set is_admin = true where id = $1', [ada.id])

type Page = Awaited<ReturnType<typeof find>>
const find = async (named?: string, before?: number) =>
  await ada.does(cardPaymentsApi.list, { ...(named !== undefined && { named }), ...(before !== undefined && { before }) })
const of = async (named: string) => (await find(named)).payments

test('an administrator finds a payment by account, customer, invoice, payment and dispute, and sees what became of it', async () => {
  const [alice, bob] = [await world.person('alice', 'free'), await world.person('bob', 'free')]
  await buys(alice, 'premium')
  await buys(bob, 'test')
  await disputes(alice)
  const [one, ...others] = await of(alice.username)
  if (!one) throw new Error('The payment is missing')
  expect(others).toEqual([])
  const dispute = { kind: 'dispute', amountCents: 100_000, reference: expect.stringMatching(/^dp_/) }
  expect(one).toMatchObject({
    payer: { id: alice.id, username: alice.username },
    tier: 'premium',
    amountCents: 100_000,
    returns: [dispute],
  })
  const [card] = await world.sql('select customer_id from card_accounts where user_id = $1', [alice.id])
  const names = [
    alice.id,
    `@${alice.username.toUpperCase()}`,
    String(card?.['customer_id']),
    one.invoice,
    one.reference ?? '',
    one.returns[0]?.reference ?? '',
  ]
  for (const named of names) expect(await of(named)).toEqual([one])
  for (const nobody of ['in_x', 'cus_x', 'pi_x', 're_x', 'dp_x', ada.id, "' or true --", '%', 'x'.repeat(255)])
    expect(await of(nobody)).toEqual([])
  await bob.does(paymentsApi.refund, {})
  expect((await of(bob.id))[0]?.returns).toMatchObject([{ kind: 'refund', amountCents: 100 }])
})

test('the list goes on where a page ends, without a gap and without a repetition', async () => {
  const alice = await world.person('carol', 'free')
  await world.sql(
    `insert into ledger_entries (key, kind, user_id, source, provider_id, tier, billing_period, amount_cents, starts_at, ends_at, created_at)
     select 'card:in_page' || n, 'payment', $1, 'card', 1, 'test', 'monthly', n, now(), now() + interval '1 month', now() from generate_series(1, 45) n`,
    [alice.id],
  )
  const amounts: number[] = []
  for (let before: number | undefined, hasMore = true; hasMore; ) {
    const page: Page = await find(alice.id, before)
    amounts.push(...page.payments.map(({ amountCents }) => amountCents))
    before = page.payments.at(-1)?.place
    hasMore = page.hasMore
  }
  expect(amounts).toEqual(Array.from({ length: 45 }, (_, at) => 45 - at))
})

test('nobody else reads it', async () => {
  const eve = await world.person('eve', 'premium')
  expect(await eve.tries(cardPaymentsApi.list, {})).toBeRefused(403, 'admin_required')
})
