import { beforeEach, expect, test } from 'vitest'
import { type CoinPayment, coinsApi } from '../../../contract/money/coins.ts'
import { accountKeys, startBitcoin, startPriceSources } from '../../testing/chain.ts'
import { serveHere } from '../../testing/madechain.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld, type World } from '../../testing/world.ts'

let place: World | undefined
const clock = () => place?.env.clock() ?? new Date()
const bitcoin = await startBitcoin(clock, accountKeys(53).bitcoin)
const sources = await startPriceSources()
/** A public node in front of the chain, which counts what it is asked. */
let asked: string[] = []
let tooMany: { headers: Record<string, string> } | undefined
const node = await serveHere(async ({ url = '' }) => {
  asked.push(url)
  if (tooMany) return { status: 429, json: 'Too many requests', ...tooMany }
  const answer = await fetch(bitcoin.variables['BITCOIN_ESPLORA_URL'] + url)
  return answer.ok ? await answer.text() : undefined
})
const variables = { ...bitcoin.variables, ...sources.variables, BITCOIN_ESPLORA_URL: node }
const world = await startWorld({ variables })
place = world

const asks = (who: Person): Promise<CoinPayment> =>
  who.does(coinsApi.createPayment, { packageId: 'test', currency: 'bitcoin', billingPeriod: 'monthly' })
async function runs(seconds: number) {
  world.passes(seconds)
  asked = []
  await world.jobs.runDue()
  return asked
}
const looksAt = ({ paymentAddress }: CoinPayment) => asked.filter((url) => url === `/address/${paymentAddress}/txs`).length
const tips = () => asked.filter((url) => url === '/blocks/tip/height').length

beforeEach(async () => {
  tooMany = undefined
  // Nothing of the test before is due, and no pause of the node goes on.
  world.passes(2 * 60 * 60)
  await world.sql("update crypto_payments set status = 'expired', next_look_at = $1::timestamptz + interval '9 years'", [clock()])
  // The daily work asks too.
  await world.jobs.runDue()
})

test('a round looks at each request that is due once, and asks for the tip once for all of them', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => world.person('alice', 'free')))
  const requests = await Promise.all(people.map(asks))
  await runs(31)
  expect(requests.map(looksAt)).toEqual(Array.from({ length: 12 }, () => 1))
  expect([tips(), asked.length]).toEqual([1, 13])
  // A block that came after the tip was read is read as it is.
  const [first, second] = requests as [CoinPayment, CoinPayment]
  await bitcoin.pay(second.paymentAddress, 15_625n)
  await bitcoin.mine(3)
  await runs(31)
  expect(tips()).toBe(1)
  expect((await people[1]?.does(coinsApi.payments, {}))?.[0]).toMatchObject({
    id: second.id,
    status: 'confirmed',
    blockConfirmations: 3,
  })
  expect((await people[0]?.does(coinsApi.payments, {}))?.[0]).toMatchObject({ id: first.id, status: 'pending' })
})

test('a transaction in a block above the tip of the round counts from a newer tip', async () => {
  const alice = await world.person('alice', 'free')
  const request = await asks(alice)
  const height = await bitcoin.height()
  await bitcoin.pay(request.paymentAddress, 15_625n)
  await bitcoin.mine(3)
  const seen = await world.env.coins
    .chainOf('bitcoin')
    ?.look(request.paymentAddress, { scannedHeight: 0, nativeUnits: 0n, arrivals: [] }, height)
  expect(seen).toMatchObject({ head: height + 3, scannedHeight: height + 3, arrivals: [{ height: height + 1 }] })
})

test('a request is looked at every 30 seconds for ten minutes, then each minute, then every two, and once at its end', async () => {
  const alice = await world.person('alice', 'free')
  const request = await asks(alice)
  const at: number[] = []
  for (let seconds = 30; seconds <= 31 * 60; seconds += 30) {
    await runs(30)
    if (looksAt(request) > 0) at.push(seconds / 60)
  }
  const pauses = (from: number, to: number) => at.filter((minute) => minute > from && minute <= to).length
  expect([pauses(0, 10), pauses(10, 20), pauses(20, 30)]).toEqual([20, 10, 5])
  // The end falls between two of these rounds.
  expect([30, 30.5]).toContain(at.at(-1))
  expect((await alice.does(coinsApi.payments, {}))[0]).toMatchObject({ status: 'expired' })
})

test('what has come is looked at every 30 seconds, however old its request is', async () => {
  const alice = await world.person('alice', 'free')
  const request = await asks(alice)
  await runs(21 * 60)
  await bitcoin.pay(request.paymentAddress, 9_000n)
  await runs(120)
  for (let time = 0; time < 4; time++) {
    await runs(30)
    expect(looksAt(request)).toBe(1)
  }
})

test('a page that asks each ten seconds makes no look between those of the job', async () => {
  const alice = await world.person('alice', 'free')
  const request = await asks(alice)
  await runs(31)
  asked = []
  for (let time = 0; time < 6; time++) {
    world.passes(10)
    await alice.does(coinsApi.checkPayment, { paymentId: request.id })
    await world.jobs.runDue()
  }
  expect(looksAt(request)).toBe(2)
})

test('a node that answers 429 is left alone for a while that grows, and for as long as it asks', async () => {
  const [alice, bob] = [await world.person('alice', 'free'), await world.person('bob', 'free')]
  await asks(alice)
  await asks(bob)
  tooMany = { headers: {} }
  const calls: number[] = []
  for (let seconds = 0; seconds < 20 * 60; seconds += 30) calls.push((await runs(30)).length)
  const times = calls.flatMap((count, place) => (count > 0 ? [place] : []))
  expect(Math.max(...calls)).toBe(1)
  const gaps = times.slice(1).map((each, place) => each - (times[place] ?? 0))
  expect(gaps.length).toBeGreaterThan(3)
  expect(gaps).toEqual([...gaps].sort((a, b) => a - b))
  expect(gaps.at(-1)).toBeGreaterThanOrEqual(10)
  // Nobody is given an address that cannot be looked at.
  asked = []
  const eve = await world.person('eve', 'free')
  const wish = { packageId: 'test', currency: 'bitcoin', billingPeriod: 'monthly' } as const
  expect(await eve.tries(coinsApi.createPayment, wish)).toBeRefused(409, 'currency_unavailable')
  expect(asked).toEqual([])
})

test.each([
  ['seconds', () => '900'],
  ['a date', () => new Date(clock().getTime() + 900_000).toUTCString()],
])('a node that names its pause in %s is asked when it is over, and what was paid meanwhile is found', async (_, wanted) => {
  const alice = await world.person('alice', 'free')
  const request = await asks(alice)
  world.passes(31)
  tooMany = { headers: { 'retry-after': wanted() } }
  asked = []
  await world.jobs.runDue()
  expect(asked).toHaveLength(1)
  tooMany = undefined
  await bitcoin.pay(request.paymentAddress, 15_625n)
  await bitcoin.mine(3)
  for (let minute = 1; minute < 15; minute++) expect(await runs(60)).toEqual([])
  await runs(90)
  expect((await alice.does(coinsApi.payments, {}))[0]).toMatchObject({ id: request.id, status: 'confirmed' })
})
