import { expect, test } from 'vitest'
import { auditApi } from '../../contract/admin/audit.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import { type AddressFilter, coinAddressesApi } from '../../contract/money/coinaddresses.ts'
import { RECEIPT_LIMITS } from '../../contract/money/receipts.ts'
import { accountKeys, startBitcoin, startPriceSources } from '../testing/chain.ts'
import { startWorld } from '../testing/world.ts'

const bitcoin = await startBitcoin(() => new Date(), accountKeys(47).bitcoin)
const sources = await startPriceSources()
const world = await startWorld({ variables: { ...bitcoin.variables, ...sources.variables } })
const [ada, alice, eve] = [
  await world.person('ada', 'free'),
  await world.person('alice', 'free'),
  await world.person('eve', 'free'),
]
await world.sql('update users set is_admin = true where id = $1', [ada.id])

/** Requests from that number on; each fifth received a bitcoin, and nothing in another token. */
async function gives(from: number, count: number) {
  await world.sql(
    `insert into crypto_payments (id, user_id, tier, billing_period, currency, amount, usd_cents, rate, payment_address, address_index,
       status, expires_at, created_at, scanned_height, next_look_at)
     select gen_random_uuid(), $1, 'test', 'monthly', 'bitcoin', '1', 100, '1', 'bc1qgiven' || n, n, 'expired', $2, $2::timestamptz
       + (n / 3) * interval '1 second', 0, $2::timestamptz + interval '9 years' from generate_series($3::int, $4) n`,
    [alice.id, world.env.clock(), from, from + count - 1],
  )
  await world.sql(
    `insert into crypto_arrivals (id, payment_id, chain, reference, index, asset, units, first_seen_at, is_in_time)
     select gen_random_uuid(), id, 'bitcoin', 'tx' || address_index, place, 'bitcoin', '50000000', now(), true
     from crypto_payments, generate_series(0, 1) place where address_index % 5 = 0 and address_index >= $1`,
    [from],
  )
}

/** All pages of a call. */
async function reads(call: typeof coinAddressesApi.list | typeof coinAddressesApi.export, only?: 'received') {
  const pages = []
  for (let where: Partial<AddressFilter> = {}; ; ) {
    const page = await ada.does(call, { ...where, ...(only && { only }) })
    pages.push(page.addresses)
    const last = page.addresses.at(-1)
    if (!page.hasMore || !last) return pages
    where = { beforeMs: Date.parse(last.at), beforeId: last.id }
  }
}

test('administrators read each address once, the newest first, with what came to it and without whose it is', async () => {
  await gives(0, 50)
  const pages = await reads(coinAddressesApi.list)
  expect(pages.map(({ length }) => length)).toEqual([LIMITS.adminPage, LIMITS.adminPage, 50 - 2 * LIMITS.adminPage])
  const all = pages.flat()
  expect(new Set(all.map(({ addressIndex }) => addressIndex)).size).toBe(50)
  expect(all.map(({ at }) => at)).toEqual(
    all
      .map(({ at }) => at)
      .sort()
      .reverse(),
  )
  const found = (await reads(coinAddressesApi.list, 'received')).flat()
  expect(new Set(found.map(({ addressIndex }) => addressIndex))).toEqual(new Set([0, 5, 10, 15, 20, 25, 30, 35, 40, 45]))
  expect(found[0]).toMatchObject({
    address: expect.any(String),
    currency: 'bitcoin',
    receivedUnits: '100000000',
    hasOther: false,
  })
  expect(JSON.stringify(all)).not.toMatch(new RegExp(`${alice.id}|alice`, 'i'))
  // What was replaced has not come; another token has, beside nothing of the currency.
  await world.sql("update crypto_arrivals set is_gone = true where reference = 'tx5'")
  await world.sql("update crypto_arrivals set asset = '0x0e', units = '9' where reference = 'tx10'")
  const now = (await reads(coinAddressesApi.list, 'received')).flat()
  expect(now.some(({ addressIndex }) => addressIndex === 5)).toBe(false)
  expect(now.find(({ addressIndex }) => addressIndex === 10)).toMatchObject({ receivedUnits: '0', hasOther: true })
})

test('an export of many addresses has each once, page by page, and leaves one row of the trail', async () => {
  await gives(1000, 9000)
  const pages = await reads(coinAddressesApi.export)
  expect(pages.map(({ length }) => length)).toEqual([RECEIPT_LIMITS.exportPage, RECEIPT_LIMITS.exportPage, 1050])
  expect(new Set(pages.flat().map(({ id }) => id)).size).toBe(9050)
  await reads(coinAddressesApi.export, 'received')
  const { rows } = await ada.does(auditApi.list, { act: 'export-addresses' })
  expect(rows.map(({ target }) => target)).toEqual(['received', 'all'])
  expect(rows[0]).toMatchObject({ subject: null, after: '{"shown":"received"}' })
  // Pages of the screen leave none.
  await reads(coinAddressesApi.list, 'received')
  expect((await ada.does(auditApi.list, { act: 'export-addresses' })).rows).toHaveLength(2)
})

test('the wallets say how many addresses in a row were never paid', async () => {
  await world.sql("insert into crypto_indexes (chain, next_index) values ('bitcoin', 10030)")
  expect(await ada.does(coinAddressesApi.wallets, {})).toEqual({
    wallets: [{ chain: 'bitcoin', given: 10_030, sinceLastPaid: 34, longestUnpaid: 954 }],
    readAt: expect.any(String),
  })
})

test('Eve reads no address, exports none, and a wrong place is refused by name', async () => {
  for (const call of [coinAddressesApi.wallets, coinAddressesApi.list, coinAddressesApi.export]) {
    expect(await eve.tries(call, {})).toBeRefused(403, 'admin_required')
    expect((await fetch(world.url + call.path, { method: call.method })).status).toBe(401)
  }
  for (const wrong of [{ beforeMs: -1 }, { beforeMs: 1e18 }, { beforeId: 'x' }, { only: 'unpaid' as never }])
    expect(await ada.tries(coinAddressesApi.list, wrong)).toBeRefused(400, 'invalid_input')
})
