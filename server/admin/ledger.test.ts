import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../contract/account/account.ts'
import { adminApi } from '../../contract/admin/admin.ts'
import { auditApi } from '../../contract/admin/audit.ts'
import { ledgerApi, RECEIPT_LIMITS, receiptsApi } from '../../contract/money/receipts.ts'
import { checkLedger } from '../money/ledger/audit.ts'
import { checkChain } from '../money/ledger/entryChain.ts'
import { creditPeriod, writeReturn } from '../money/ledger/ledger.ts'
import { writeReceipts } from '../money/receipts/receipts.ts'
import { cardsOf } from '../testing/cards.ts'
import { startWorld } from '../testing/world.ts'

const world = await startWorld({ variables: { CARD_TAX: 'on' } })
const { db, clock } = world.env
const cards = cardsOf(world)
const ada = await world.person('ada', 'free')
await world.sql('update users set is_admin = true where id = $1', [ada.id])
const day = () => clock().toISOString().slice(0, 10)
const reads = (from = day(), to = day(), after = 0) => ada.does(ledgerApi.entries, { from, to, after })
const holds = async () => expect((await checkLedger(db, clock())).differences).toEqual([])

test('income is what was paid without its tax, and a refund in parts takes the tax back to the cent', async () => {
  const alice = await world.person('alice', 'free')
  await cards.buys(alice, 'premium')
  const revenue = () => ada.does(adminApi.revenueStats, {})
  const paid = await revenue()
  expect(paid.monthlyRecurringRevenue).toBeCloseTo(833.33, 8)
  expect(paid.months.at(-1)).toMatchObject({ paid: 833.33, refunded: 0 })
  const [payment] = await world.sql("select key from ledger_entries where kind = 'payment' and user_id = $1", [alice.id])
  for (const amountCents of [33_333, 33_333, 33_334])
    await db.transaction((tx) =>
      writeReturn(tx, clock(), 'refund', { key: randomUUID(), refersTo: String(payment?.['key']), amountCents }),
    )
  const taxes = await world.sql("select tax_cents::int as tax from ledger_entries where kind = 'refund' order by place")
  expect(taxes.map(({ tax }) => tax)).toEqual([5556, 5555, 5556])
  const back = await revenue()
  expect([back.monthlyRecurringRevenue, back.months.at(-1)?.refunded]).toEqual([0, 833.33])
  await holds()
})

test('the hash of an entry covers its tax', async () => {
  expect(await checkChain(db)).toEqual([])
  await db
    .transaction(async (tx) => {
      await tx.execute('alter table ledger_entries disable trigger user')
      await tx.execute("update ledger_entries set tax_cents = 1 where kind = 'payment'")
      expect(await checkChain(tx)).toHaveLength(1)
      throw new Error('undone')
    })
    .catch((error: Error) => expect(error.message).toBe('undone'))
})

test('an export has gross, tax, coin, rate and receipt of each entry of its days, and no account that was deleted', async () => {
  const [alice, bob] = [await world.person('alice', 'free'), await world.person('bob', 'free')]
  world.passes(24 * 60 * 60)
  const paymentId = randomUUID()
  await world.sql(
    `insert into crypto_payments (id, user_id, tier, billing_period, currency, amount, usd_cents, rate, payment_address, expires_at, created_at,
       scanned_height, next_look_at)
     values ($1, $2, 'test', 'monthly', 'bitcoin', '12345', 100, '6500000000000', 'bc1qexport', $3, $3, 0, $3)`,
    [paymentId, bob.id, clock()],
  )
  await db.transaction((tx) =>
    creditPeriod(tx, clock(), {
      ...{ key: `coin:${paymentId}`, userId: bob.id, source: 'coin', tier: 'test', packageId: null, billingPeriod: 'monthly' },
      ...{ amountCents: 100, reference: 'f00d', coin: { currency: 'bitcoin', units: 12_345n } },
    }),
  )
  await alice.returns()
  await cards.buys(alice, 'premium')
  await writeReceipts(world.env)
  await bob.returns()
  await bob.does(accountApi.remove, { password: bob.authSecret, kdf: 1 })
  await ada.returns()
  const { entries, hasMore } = await reads()
  expect(hasMore).toBe(false)
  expect(entries).toMatchObject([
    {
      ...{
        key: `coin:${paymentId}`,
        kind: 'payment',
        userId: null,
        source: 'coin',
        provider: null,
        isTest: null,
        taxCents: null,
      },
      ...{ coin: 'bitcoin', coinUnits: '12345', rate: '6500000000000', reference: 'f00d' },
      receipt: `${clock().getUTCFullYear()}-000001`,
    },
    {
      ...{ kind: 'payment', userId: alice.id, source: 'card', provider: 'sandbox', isTest: true, amountCents: 100_000 },
      ...{ taxCents: 16_667, coin: null, receipt: expect.stringMatching(/^TEST-/) },
    },
  ])
  const before = new Date(clock().getTime() - 24 * 60 * 60_000).toISOString().slice(0, 10)
  expect((await reads(before, before)).entries.every(({ at }) => at.startsWith(before))).toBe(true)
})

test('a large ledger comes page by page, each within a moment, and an export leaves one row of the trail', async () => {
  const carol = await world.person('carol', 'free')
  world.passes(24 * 60 * 60)
  await world.sql('alter table ledger_entries disable trigger user')
  await world.sql(
    `insert into ledger_entries (key, kind, user_id, source, tier, amount_cents, starts_at, created_at)
     select 'coin:many' || n, 'invoice', $1::uuid, 'coin', 'test', n, $2::timestamptz, $2::timestamptz from generate_series(1, 20000) n`,
    [carol.id, clock()],
  )
  await world.sql('alter table ledger_entries enable trigger user')
  await ada.returns()
  const [found, times] = [new Set<string>(), [] as number[]]
  let [after, isMore] = [0, true]
  while (isMore) {
    const began = performance.now()
    const { entries, hasMore } = await reads(day(), day(), after)
    times.push(performance.now() - began)
    for (const { key } of entries) found.add(key)
    after = entries.at(-1)?.place ?? 0
    isMore = hasMore
  }
  expect([found.size, times.length]).toEqual([20_000, 20_000 / RECEIPT_LIMITS.exportPage])
  expect(Math.max(...times)).toBeLessThan(5000)
  const { rows } = await ada.does(auditApi.list, { act: 'export-ledger' })
  expect(rows.filter(({ target }) => target === `${day()} ${day()}`)).toHaveLength(1)
  // Whoever asks for a later page alone has read it too.
  await reads('2020-01-01', '2020-01-02', 5)
  expect((await ada.does(auditApi.list, { act: 'export-ledger' })).rows[0]).toMatchObject({ target: '2020-01-01 2020-01-02' })
})

test('administrators find a receipt by its number, and never whose it is; Eve finds and exports nothing', async () => {
  const [alice, eve] = [await world.person('alice', 'free'), await world.person('eve', 'free')]
  await cards.buys(alice, 'test')
  const [receipt] = (await alice.does(receiptsApi.list, {})).receipts
  const number = receipt?.number ?? ''
  expect(await ada.does(ledgerApi.receipts, { number })).toEqual({ receipts: [receipt], hasMore: false })
  expect(await ada.does(ledgerApi.receipt, { number })).toEqual(receipt)
  expect(JSON.stringify(await ada.does(ledgerApi.receipts, {}))).not.toContain(alice.id)
  expect(await ada.does(ledgerApi.receipts, { number: '2020-000001' })).toEqual({ receipts: [], hasMore: false })
  expect(await ada.tries(ledgerApi.receipt, { number: '2020-000001' })).toBeRefused(404, 'not_found')
  for (const call of [
    eve.tries(ledgerApi.receipts, {}),
    eve.tries(ledgerApi.receipt, { number }),
    eve.tries(ledgerApi.entries, { from: day(), to: day() }),
  ])
    expect(await call).toBeRefused(403, 'admin_required')
  expect(await ada.tries(ledgerApi.entries, { from: 'yesterday', to: day() })).toBeRefused(400, 'invalid_input')
})
