import { expect, test } from 'vitest'
import { adminApi } from '../../contract/admin/admin.ts'
import { paymentsApi } from '../../contract/money/payments.ts'
import { makeMetrics } from '../ground/metrics/metrics.ts'
import { cardsOf } from '../testing/cards.ts'
import { startWorld } from '../testing/world.ts'

const metrics = makeMetrics()
const world = await startWorld({ metrics })
const { sandbox, free, buys } = cardsOf(world)

async function administrator() {
  const ada = await world.person('ada')
  await world.sql('update users set is_admin = true where id = $1', [ada.id])
  return ada
}

/** A metric's value; undefined where it is not written. */
const measured = (name: string): number | undefined => {
  const line = metrics
    .text()
    .split('\n')
    .find((each) => each.startsWith(`${name} `) || each.startsWith(`${name}{`))
  return line === undefined ? undefined : Number(line.split(' ').at(-1))
}

test('administrators see the newest event, how many were refused, and the last ten errors without the provider’s words', async () => {
  const [ada, alice] = [await administrator(), await free()]
  expect((await ada.does(adminApi.system, {})).cards).toEqual({
    ...{ lastEventAt: null, refusedEvents: 0, lastRefusedAt: null, errors: [] },
  })
  await buys(alice, 'premium')
  await sandbox.deliver()
  const forged = { method: 'POST', headers: { 'content-type': 'application/json', 'stripe-signature': 't=1,v1=00' }, body: '{}' }
  for (let time = 0; time < 2; time++) expect((await fetch(world.url + paymentsApi.webhook.path, forged)).status).toBe(400)
  const client = await world.env.card.client()
  for (let number = 0; number < 12; number++)
    await expect(client.subscriptions.retrieve(`sub_${number}`)).rejects.toThrow('No such subscription')
  const { cards } = await ada.does(adminApi.system, {})
  expect(cards).toMatchObject({ refusedEvents: 2, lastRefusedAt: expect.any(String), lastEventAt: expect.any(String) })
  expect(cards?.errors).toHaveLength(10)
  expect(cards?.errors[0]).toEqual({
    ...{ at: expect.any(String), type: 'invalid_request_error', code: 'resource_missing', param: 'id' },
    requestId: expect.stringMatching(/^req_/),
  })
  expect(JSON.stringify(cards)).not.toContain('No such')
})

test('the last checks stand beside each other, and whoever is no administrator does not see them', async () => {
  const [ada, eve] = [await administrator(), await world.person('eve')]
  await world.jobs.runDue()
  const { checks } = await ada.does(adminApi.system, {})
  expect(checks.map(({ name, differing }) => [name, differing])).toEqual([
    ['ledger', expect.any(Number)],
    ['provider', 0],
  ])
  expect(await eve.tries(adminApi.system, {})).toBeRefused(403)
})

test('alarms have the age of events, checks and waiting reviews, how many subscriptions run, and what differs', async () => {
  const names = ['conclave_card_event_age_seconds', 'conclave_coin_review_age_seconds', 'conclave_card_subscriptions']
  const alice = await free()
  await buys(alice, 'premium')
  await sandbox.deliver()
  world.passes(60)
  await world.jobs.runDue()
  expect(measured('conclave_card_subscriptions')).toBeGreaterThan(0)
  // Nothing waits, so there is no age.
  expect(measured('conclave_coin_review_age_seconds')).toBeUndefined()
  await world.sql(
    `insert into crypto_payments (id, user_id, tier, billing_period, currency, amount, usd_cents, rate, payment_address, expires_at, created_at, scanned_height, next_look_at)
     values ($1, $1, 'premium', 'monthly', 'bitcoin', '1', 1, '1', 'bc1q', $2, $2, 0, $3)`,
    [alice.id, world.env.clock(), new Date(world.env.clock().getTime() + 1e10)],
  )
  await world.sql(
    `insert into crypto_reviews (id, payment_id, reason, about, asset, units, created_at) values ($1, $1, 'late', 'x', 'bitcoin', '1', $2)`,
    [alice.id, world.env.clock()],
  )
  world.passes(60)
  await world.jobs.runDue()
  const before = names.map(measured)
  world.passes(2 * 60 * 60)
  // Ages grow where the job does not run.
  const [events = 0, reviews = 0] = names.map(measured)
  expect(events - (before[0] ?? 0)).toBeGreaterThanOrEqual(7199)
  expect(reviews).toBeGreaterThanOrEqual(7199)
  expect(metrics.text()).toMatch(/^conclave_check_age_seconds{check="provider"} 7\d\d\d$/m)
  expect(metrics.text()).toMatch(/^conclave_check_differences{check="provider"} 0$/m)
  expect(metrics.text()).not.toMatch(new RegExp(alice.id))
})
