import { expect, onTestFinished, test, vi } from 'vitest'
import { limitsOf } from '../../../contract/money/offerLimits.ts'
import { offersApi } from '../../../contract/money/offers.ts'
import { accountKeys, startBitcoin, startPriceSources } from '../../testing/chain.ts'
import { startWorld, type World } from '../../testing/world.ts'
import { FRESH_SECONDS } from './forsale.ts'

const world = await startWorld({ variables: { MASTER_YEARLY_CENTS: '2000000' } })
const away = { PUBLIC_URL: 'http://chat.example.org' }
const off = await startWorld({ variables: away })

/** What a stranger is shown, once the time of what was read before is over. */
async function shown(at: World) {
  at.passes(FRESH_SECONDS)
  return (await at.stranger().does(offersApi.offers, {})).offers
}

test('a stranger without a cookie is told what is sold, the cheapest first: packages, Test, and Master where it has a price', async () => {
  expect(await shown(world)).toEqual([
    { name: 'Test', tier: 'test', monthlyCents: 100, yearlyCents: 1200, ...limitsOf('test') },
    { name: 'Premium', tier: 'premium', monthlyCents: 100_000, yearlyCents: expect.any(Number), ...limitsOf('premium') },
    { name: 'Master', tier: 'master', monthlyCents: null, yearlyCents: 2_000_000, ...limitsOf('premium') },
  ])
  const answer = await fetch(world.url + offersApi.offers.path)
  expect([answer.headers.get('cache-control'), answer.headers.get('set-cookie')]).toEqual(['public, max-age=10', null])
})

test('what is not sold has no price here: a hidden package, one without messages, and one without a price', async () => {
  const [before] = await world.sql("select id, monthly_price, yearly_price from premium_packages where tier = 'premium'")
  const names = async () => (await shown(world)).map(({ name }) => name)
  for (const change of ['is_active = false', 'messages_limit = 0', 'monthly_price = 0, yearly_price = 0']) {
    await world.sql(`update premium_packages set ${change} where id = $1`, [before?.['id']])
    expect(await names(), change).toEqual(['Test', 'Master'])
    await world.sql(
      'update premium_packages set is_active = true, messages_limit = -1, monthly_price = $2, yearly_price = $3 where id = $1',
      [before?.['id'], before?.['monthly_price'], before?.['yearly_price']],
    )
  }
  expect(await names()).toEqual(['Test', 'Premium', 'Master'])
})

test('a package of the Test tier takes the place of the built-in plan, also while it is hidden', async () => {
  await world.sql(
    `insert into premium_packages (id, name, description, tier, monthly_price, yearly_price, messages_limit, display_order, created_at, updated_at)
     values (gen_random_uuid(), 'Trial', 'A month', 'test', 300, 0, 30, 9, now(), now())`,
  )
  const trial = { name: 'Trial', tier: 'test', monthlyCents: 300, yearlyCents: null, ...limitsOf('test'), messagesPerMonth: 30 }
  expect(await shown(world)).toEqual([
    trial,
    expect.objectContaining({ name: 'Premium' }),
    expect.objectContaining({ name: 'Master' }),
  ])
  await world.sql("update premium_packages set is_active = false where name = 'Trial'")
  expect((await shown(world)).map(({ name }) => name)).toEqual(['Premium', 'Master'])
  await world.sql("delete from premium_packages where name = 'Trial'")
})

test('however many strangers ask at once the database is asked once, and a new price is told ten seconds later', async () => {
  const asked = vi.spyOn(world.pool, 'query')
  onTestFinished(() => asked.mockRestore())
  const queries = () => asked.mock.calls.filter((call) => JSON.stringify(call).includes('premium_packages')).length
  await shown(world)
  const ofOne = queries()
  expect(ofOne).toBeGreaterThan(0)
  await world.sql("update premium_packages set monthly_price = 50000 where tier = 'premium'")
  world.passes(FRESH_SECONDS - 1)
  expect((await world.stranger().does(offersApi.offers, {})).offers[1]?.monthlyCents).toBe(100_000)
  world.passes(1)
  asked.mockClear()
  const answers = await Promise.all(Array.from({ length: 20 }, () => world.stranger().does(offersApi.offers, {})))
  expect(new Set(answers.map(({ offers }) => offers[1]?.monthlyCents))).toEqual(new Set([50_000]))
  expect(queries()).toBe(ofOne)
})

test('a server that takes neither card nor coin sells nothing; one that takes a coin alone sells', async () => {
  expect(await shown(off)).toEqual([])
  const wallet = accountKeys(9).bitcoin
  const coins = { ...(await startBitcoin(world.env.clock, wallet)).variables, ...(await startPriceSources()).variables }
  const byCoin = await startWorld({ variables: { ...away, ...coins } })
  expect((await shown(byCoin)).map(({ name }) => name)).toEqual(['Test', 'Premium'])
})
