import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { RECEIPT_LIMITS, receiptsApi } from '../../../contract/money/receipts.ts'
import { cardsOf } from '../../testing/cards.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { creditPeriod, writeReturn } from '../ledger/ledger.ts'
import { dropOldReceipts, writeReceipts } from './receipts.ts'

const SELLER = { SELLER_NAME: 'Example Ltd', SELLER_ADDRESS: '1 High Street | London', SELLER_TAX_ID: 'GB123456789' }
const world = await startWorld({ variables: { CARD_TAX: 'on', ...SELLER } })
const { db, clock } = world.env
const cards = cardsOf(world)
// All of this file comes to pass within a year.
world.passes((Date.UTC(clock().getUTCFullYear() + 1, 0, 2) - Date.now()) / 1000)
const YEAR = clock().getUTCFullYear()
const BUSINESS = { name: 'Bob & Söhne', address: 'Hauptstr. 1\n10115 Berlin', taxId: 'DE999999999' }

const listOf = async (who: Person) => (await who.does(receiptsApi.list, {})).receipts
const paysByCoin = async (who: Person, amountCents = 1000) => {
  const key = `coin:${randomUUID()}`
  const plan = {
    userId: who.id,
    source: 'coin' as const,
    tier: 'test' as const,
    packageId: null,
    billingPeriod: 'monthly' as const,
  }
  await db.transaction((tx) =>
    creditPeriod(tx, clock(), { key, ...plan, amountCents, reference: '0xpaid', coin: { currency: 'bitcoin', units: 12_345n } }),
  )
  return key
}
const returns = (refersTo: string, amountCents?: number) =>
  db.transaction((tx) =>
    writeReturn(tx, clock(), 'refund', { key: randomUUID(), refersTo, ...(amountCents !== undefined && { amountCents }) }),
  )
const numbersOf = async (series: string) =>
  (await world.sql('select number from receipts where number like $1 order by seq', [`${series}-%`])).map(({ number }) => number)
const expected = (series: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${series}-${String(at + 1).padStart(6, '0')}`)

test('a card payment has a receipt at once, with tax, seller and buyer as they are then; its refund has one that names it', async () => {
  const bob = await world.person('bob', 'free')
  expect(await bob.does(receiptsApi.list, {})).toEqual({ receipts: [], hasMore: false })
  await bob.does(receiptsApi.saveDetails, BUSINESS)
  await cards.buys(bob, 'premium')
  const [paid] = await listOf(bob)
  expect(paid).toMatchObject({ number: `TEST-${YEAR}-000001`, isTest: true })
  expect(paid?.printed).toMatchObject({
    ...{ kind: 'payment', refersTo: null, plan: 'Premium', billingPeriod: 'monthly', source: 'card', coin: null },
    ...{ amountCents: 100_000, taxCents: 16_667, buyer: BUSINESS },
    seller: { name: 'Example Ltd', address: '1 High Street\nLondon', taxId: 'GB123456789' },
  })
  await bob.does(receiptsApi.saveDetails, { ...BUSINESS, name: 'Another' })
  await bob.does(paymentsApi.refund, {})
  await bob.does(receiptsApi.removeDetails, {})
  const [back, first] = await listOf(bob)
  expect(first).toEqual(paid)
  expect(back).toMatchObject({ number: `TEST-${YEAR}-000002`, isTest: true })
  expect(back?.printed).toMatchObject({ kind: 'refund', refersTo: paid?.number, amountCents: 100_000, taxCents: 16_667 })
  // The receipt that is taken back named this business.
  expect(back?.printed).toMatchObject({ buyer: BUSINESS, startsAt: paid?.printed.startsAt, endsAt: paid?.printed.endsAt })
  expect(await bob.does(receiptsApi.read, { number: back?.number ?? '' })).toEqual(back)
  expect(await bob.does(receiptsApi.details, {})).toEqual({ details: null })
  await cards.holds()
})

test('a coin payment has its coin and no tax in the series of real money, and what a dispute takes and gives again is told', async () => {
  const [alice, carol] = [await world.person('alice', 'free'), await world.person('carol', 'free')]
  const key = await paysByCoin(alice)
  await returns(key, 400)
  const receipts = await listOf(alice)
  expect(receipts.map(({ isTest, printed: { kind, refersTo } }) => [isTest, kind, refersTo])).toEqual([
    [false, 'refund', `${YEAR}-000001`],
    [false, 'payment', null],
  ])
  expect(receipts[1]?.printed).toMatchObject({ taxCents: null, buyer: null, reference: '0xpaid' })
  expect(receipts[1]?.printed.coin).toEqual({ currency: 'bitcoin', units: '12345', rate: null })

  // More came than was asked for: the rest bought nothing.
  const beyond = await paysByCoin(alice)
  await world.sql(
    `insert into crypto_payments (id, user_id, tier, billing_period, currency, amount, usd_cents, rate, payment_address, expires_at, created_at,
       scanned_height, next_look_at)
     values ($2, $1, 'test', 'monthly', 'bitcoin', '12000', 1000, '640000', 'asked', now(), now(), 0, now())`,
    [alice.id, beyond.slice('coin:'.length)],
  )
  expect((await listOf(alice))[0]?.printed.coin).toEqual({ currency: 'bitcoin', units: '12000', rate: '640000' })

  await cards.buys(carol, 'test')
  await cards.disputes(carol)
  await cards.disputes(carol, 'won')
  expect((await listOf(carol)).map(({ printed: { kind, taxCents } }) => [kind, taxCents])).toEqual([
    ['dispute_won', 17],
    ['dispute', 17],
    ['payment', 17],
  ])
  await cards.holds()
})

test('Eve reads no receipt of Alice, and is told the same as of one that is not there', async () => {
  const [alice, eve] = [await world.person('alice', 'free'), await world.person('eve', 'free')]
  await paysByCoin(alice)
  const [receipt] = await listOf(alice)
  const number = receipt?.number ?? ''
  expect(await eve.tries(receiptsApi.read, { number })).toBeRefused(404, 'not_found')
  const [other, none] = [await eve.tries(receiptsApi.read, { number }), await eve.tries(receiptsApi.read, { number: 'x' })]
  expect(other).toEqual(none)
  expect(await eve.does(receiptsApi.list, {})).toEqual({ receipts: [], hasMore: false })
  expect(await world.stranger().tries(receiptsApi.read, { number })).toBeRefused(401, 'not_signed_in')
})

test('the business is bounded, needs a name, and nobody reads that of another', async () => {
  const [alice, eve] = [await world.person('alice', 'free'), await world.person('eve', 'free')]
  await alice.does(receiptsApi.saveDetails, BUSINESS)
  expect(await eve.does(receiptsApi.details, {})).toEqual({ details: null })
  for (const bad of [
    { ...BUSINESS, name: ' ' },
    { ...BUSINESS, name: 'x'.repeat(RECEIPT_LIMITS.nameMax + 1) },
    { ...BUSINESS, address: 'x'.repeat(RECEIPT_LIMITS.addressMax + 1) },
    { ...BUSINESS, taxId: 'x'.repeat(RECEIPT_LIMITS.taxIdMax + 1) },
  ])
    expect(await alice.tries(receiptsApi.saveDetails, bad)).toBeRefused(400, 'invalid_input')
  expect(await alice.does(receiptsApi.details, {})).toEqual({ details: BUSINESS })
})

test('many who write at once, and one that is killed amid it, leave no number out and write none twice', async () => {
  const people = await Promise.all(['one', 'two', 'three'].map((name) => world.person(name, 'free')))
  for (let count = 0; count < 4; count++) for (const who of people) await paysByCoin(who)
  const last = people[2]
  // The writer waits for the third account with two numbers taken.
  const holder = await world.pool.connect()
  await holder.query('begin')
  await holder.query('select from users where id = $1 for update', [last?.id])
  const killed = writeReceipts(world.env).catch(() => 'killed')
  await world.lockWaits()
  await world.sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  expect(await killed).toBe('killed')
  await holder.query('rollback')
  holder.release()
  const before = (await numbersOf(String(YEAR))).length
  await Promise.all(Array.from({ length: 8 }, () => writeReceipts(world.env)))
  const numbers = await numbersOf(String(YEAR))
  expect(numbers).toHaveLength(before + 12)
  expect(numbers).toEqual(expected(String(YEAR), before + 12))
  const tests = await numbersOf(`TEST-${YEAR}`)
  expect(tests).toEqual(expected(`TEST-${YEAR}`, tests.length))
})

test('a list of many goes on by pages', async () => {
  const alice = await world.person('alice', 'free')
  for (let count = 0; count < RECEIPT_LIMITS.page + 3; count++) await paysByCoin(alice)
  const first = await alice.does(receiptsApi.list, {})
  const rest = await alice.does(receiptsApi.list, { before: first.receipts.at(-1)?.seq })
  expect([first.hasMore, rest.hasMore, rest.receipts.length]).toEqual([true, false, 3])
  expect(new Set([...first.receipts, ...rest.receipts].map(({ number }) => number)).size).toBe(RECEIPT_LIMITS.page + 3)
})

test('a deleted account leaves its receipts as they were, and nothing that leads to them; what comes later names nobody', async () => {
  const alice = await world.person('alice', 'free')
  await alice.does(receiptsApi.saveDetails, BUSINESS)
  const key = await paysByCoin(alice)
  const [receipt] = await listOf(alice)
  await alice.does(accountApi.remove, { password: alice.authSecret, kdf: 1 })
  expect(await world.sql('select from receipts where user_id = $1', [alice.id])).toEqual([])
  expect(await world.sql('select from business_details where user_id = $1', [alice.id])).toEqual([])
  expect((await world.sql('select printed from receipts where number = $1', [receipt?.number]))[0]?.['printed']).toEqual(
    receipt?.printed,
  )
  await returns(key)
  await writeReceipts(world.env)
  const [back] = await world.sql('select user_id, printed from receipts order by seq desc limit 1')
  expect(back).toMatchObject({ user_id: null, printed: { kind: 'refund', refersTo: receipt?.number, buyer: BUSINESS } })
})

test('a receipt cannot be changed; it goes after the years that the operator keeps them, and is never written again', async () => {
  await expect(world.sql("update receipts set printed = '{}'")).rejects.toThrow('only appended to')
  await expect(world.sql('truncate receipts')).rejects.toThrow('only appended to')
  const alice = await world.person('alice', 'free')
  await paysByCoin(alice)
  expect(await listOf(alice)).toHaveLength(1)
  world.passes(9.9 * 365 * 24 * 3600)
  await dropOldReceipts(world.env)
  expect((await world.sql('select count(*)::int as count from receipts'))[0]?.['count']).toBeGreaterThan(10)
  world.passes(365 * 24 * 3600)
  await dropOldReceipts(world.env)
  await writeReceipts(world.env)
  expect(await world.sql('select from receipts')).toEqual([])
  await alice.returns()
  await paysByCoin(alice)
  expect((await listOf(alice)).map(({ number }) => number)).toEqual([`${clock().getUTCFullYear()}-000001`])
})
