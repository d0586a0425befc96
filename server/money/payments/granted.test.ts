import { expect, test } from 'vitest'
import { familyApi } from '../../../contract/account/family.ts'
import { stepUpApi } from '../../../contract/account/stepup.ts'
import { adminApi } from '../../../contract/admin/admin.ts'
import { auditApi } from '../../../contract/admin/audit.ts'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { giveTier } from '../../admin/operator.ts'
import { CARD, cardsOf } from '../../testing/cards.ts'
import { startWorld } from '../../testing/world.ts'
import { creditPeriod, followPlans } from '../ledger/ledger.ts'

const world = await startWorld()
const { sandbox, free, tierOf, stateOf, holds, entriesOf, pays, buys, passes } = cardsOf(world)

async function administrator() {
  const ada = await world.person('ada', 'free')
  await world.sql('update users set is_admin = true where id = $1', [ada.id])
  await ada.does(stepUpApi.confirm, { password: ada.authSecret, kdf: 1 })
  return ada
}

test('a plan that an administrator gives ends the card subscription at the provider in the same act, and no card is billed again', async () => {
  const [ada, alice] = [await administrator(), await free()]
  await buys(alice, 'premium')
  await ada.does(adminApi.setTier, { id: alice.id, tier: 'enterprise' })
  expect([await tierOf(alice), (await stateOf(alice)).card?.renews]).toEqual(['enterprise', false])
  await passes(40)
  await alice.returns()
  expect(await tierOf(alice)).toBe('enterprise')
  expect((await entriesOf(alice)).map(({ kind }) => kind)).toEqual(['payment', 'grant'])
  const [row] = await world.sql("select after from audit_log where act = 'subscription' order by seq desc limit 1")
  expect(row?.['after']).toContain('isCardEnded')
  await holds()
})

test('a plan that is given over a paid year takes nothing of it: the guarantee, the income and the year stay, also when the gift ends', async () => {
  const [ada, alice] = [await administrator(), await free()]
  await buys(alice, 'premium', undefined, 'yearly')
  const { endDate } = await stateOf(alice)
  const monthly = async () => (await ada.does(adminApi.revenueStats, {})).monthlyRecurringRevenue
  const before = await monthly()
  await ada.does(adminApi.setTier, { id: alice.id, tier: 'enterprise' })
  expect([await tierOf(alice), await monthly()]).toEqual(['enterprise', before])
  expect(await stateOf(alice)).toMatchObject({ refundableCents: 800_000, card: { tier: 'premium', renews: false } })
  await ada.does(adminApi.setTier, { id: alice.id, tier: 'free' })
  expect(await stateOf(alice)).toMatchObject({ tier: 'premium', endDate, refundableCents: 800_000 })
  const rows = await world.sql("select after from audit_log where act = 'subscription' and subject_id = $1 order by seq", [
    alice.id,
  ])
  expect(rows.map(({ after }) => JSON.parse(String(after)).given)).toEqual(['enterprise', 'free'])
  await holds()
  expect(await alice.does(paymentsApi.refund, {})).toEqual({ refundedCents: 800_000 })
  expect(await tierOf(alice)).toBe('free')
  expect(before - (await monthly())).toBeGreaterThan(600)
  await holds()
})

test('who pays in the moment in which a plan is given keeps the period and the guarantee, and is billed no more', async () => {
  const [ada, alice] = [await administrator(), await free()]
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  sandbox.delivery = { ...sandbox.delivery, isHeld: true }
  await pays(url)
  await ada.does(adminApi.setTier, { id: alice.id, tier: 'premium' })
  sandbox.delivery = { ...sandbox.delivery, isHeld: false }
  await sandbox.deliver()
  expect(await stateOf(alice)).toMatchObject({ tier: 'premium', refundableCents: 100_000, card: { renews: false } })
  await passes(40)
  await alice.returns()
  expect([await tierOf(alice), (await entriesOf(alice)).map(({ kind }) => kind)]).toEqual(['premium', ['payment', 'grant']])
  await holds()
})

test('the command line ends it as well, also an upgrade that waits and a checkout that is open; a wrong word ends nothing', async () => {
  const [alice, bob] = [await free(), await world.person('bob', 'free')]
  await buys(alice, 'test', CARD.asksAlways)
  const { checkoutUrl = '' } = await alice.does(paymentsApi.upgrade, { tier: 'premium' })
  const { url } = await bob.does(paymentsApi.checkout, { planType: 'premium' })
  await expect(giveTier(world.env, { username: alice.username, tier: 'gold', endDate: undefined })).rejects.toThrow('no plan')
  expect((await stateOf(alice)).card).toMatchObject({ tier: 'test', renews: true })
  for (const { username } of [alice, bob]) await giveTier(world.env, { username, tier: 'master', endDate: undefined })
  for (const page of [checkoutUrl, url]) expect(await (await pays(page, CARD.good)).text()).toContain('is over')
  expect([await tierOf(alice), await tierOf(bob)]).toEqual(['master', 'master'])
  await holds()
})

test('where the provider does not answer, nothing is given and nothing has ended', async () => {
  const [ada, alice] = [await administrator(), await free()]
  await buys(alice, 'test')
  const { run } = sandbox
  sandbox.run = () => Promise.reject(new TypeError('fetch failed'))
  expect(await ada.tries(adminApi.setTier, { id: alice.id, tier: 'premium' })).toBeRefused(503, 'card_unavailable')
  sandbox.run = run
  expect([await tierOf(alice), (await stateOf(alice)).card?.renews]).toEqual(['test', true])
})

test('an administrator whose rights end while the provider answers gives nothing, and what has ended there stands in the trail', async () => {
  const [ada, alice] = [await administrator(), await free()]
  await buys(alice, 'test')
  const { run } = sandbox
  sandbox.run = async (operation) => {
    await world.sql('update users set is_admin = false where id = $1', [ada.id])
    return await run(operation)
  }
  expect(await ada.tries(adminApi.setTier, { id: alice.id, tier: 'premium' })).toBeRefused(403, 'admin_required')
  sandbox.run = run
  expect([await tierOf(alice), (await stateOf(alice)).card?.renews]).toEqual(['test', false])
  const rows = await world.sql('select act, before, after from audit_log where subject_id = $1', [alice.id])
  expect(rows).toEqual([{ act: 'subscription', before: '{"isCardEnded":false}', after: '{"isCardEnded":true}' }])
  expect((await alice.does(auditApi.own, {})).map(({ act }) => act)).toEqual(['subscription'])
})

test('Eve, who is no administrator, ends nobody’s card subscription', async () => {
  const [alice, eve] = [await free(), await world.person('eve', 'free')]
  await buys(alice, 'test')
  expect(await eve.tries(adminApi.setTier, { id: alice.id, tier: 'premium' })).toBeRefused(403)
  expect((await stateOf(alice)).card).toMatchObject({ tier: 'test', renews: true })
})

test('what an older version let a gift take of a paid period is given again after a start', async () => {
  const [ada, alice] = [await administrator(), await free()]
  await buys(alice, 'premium')
  await ada.does(adminApi.setTier, { id: alice.id, tier: 'free' })
  await world.sql(
    "update users set subscription_tier = 'free', subscription_package_id = null, subscription_end_date = null where id = $1",
    [alice.id],
  )
  expect(await tierOf(alice)).toBe('free')
  await followPlans()(world.env)
  expect(await tierOf(alice)).toBe('premium')
  await holds()
})

test('who has nothing to downgrade is told why, and the plan stays: one that was given, was paid by coin, or comes from a circle', async () => {
  const [mia, bob, carol] = [
    await world.person('mia', 'free'),
    await world.person('bob', 'free'),
    await world.person('carol', 'free'),
  ]
  await giveTier(world.env, { username: mia.username, tier: 'master', endDate: undefined })
  await giveTier(world.env, { username: bob.username, tier: 'premium', endDate: new Date('2031-01-31') })
  const { invitationToken } = await mia.does(familyApi.invite, { inviteeUsername: carol.username })
  await carol.does(familyApi.accept, { token: invitationToken ?? '' })
  const dora = await world.person('dora', 'free')
  const coin = { key: 'coin:dora', userId: dora.id, source: 'coin', tier: 'premium', packageId: null, amountCents: 1 } as const
  await world.env.db.transaction((tx) => creditPeriod(tx, world.env.clock(), { ...coin, billingPeriod: 'monthly' }))
  const told = [
    [mia, 'operator', 'Whoever runs the server can end it', 'master'],
    [bob, 'operator', 'ends by itself', 'premium'],
    [carol, 'family', 'Leave the circle', 'premium'],
    [dora, 'coin', 'ends by itself', 'premium'],
  ] as const
  for (const [who, source, words, tier] of told) {
    expect((await stateOf(who)).source).toBe(source)
    const answer = await who.tries(paymentsApi.upgrade, { tier: 'free' })
    expect(answer).toBeRefused(409, 'no_subscription')
    expect(answer.body).toMatchObject({ error: expect.stringContaining(words) })
    expect(await tierOf(who)).toBe(tier)
  }
  expect(await (await world.person('eve', 'free')).does(paymentsApi.upgrade, { tier: 'free' })).toEqual({ success: true })
})
