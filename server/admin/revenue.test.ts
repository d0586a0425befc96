import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { adminApi } from '../../contract/admin/admin.ts'
import { paymentsApi } from '../../contract/money/payments.ts'
import type { Tier } from '../../contract/money/plans.ts'
import { checkLedger } from '../money/ledger/audit.ts'
import { creditPeriod, followPlans, grantTier, writeReturn } from '../money/ledger/ledger.ts'
import type { Person } from '../testing/person.ts'
import { startWorld } from '../testing/world.ts'
import { sumDays } from './revenue.ts'

const world = await startWorld()
const { db, clock, card } = world.env
const DAY = 24 * 60 * 60

const ada = await world.person('ada', 'free')
await world.sql('update users set is_admin = true where id = $1', [ada.id])
const read = () => ada.does(adminApi.revenueStats, {})

interface Paid {
  key: string
  userId: string
  tier: Tier
  cents: number
  isYearly: boolean
  startsAt: Date
  endsAt: Date | null
  at: Date
  refunds: { cents: number; at: Date }[]
}

async function credits(who: Person, tier: 'test' | 'premium', billingPeriod: 'monthly' | 'yearly', cents: number): Promise<Paid> {
  const [key, at] = [`coin:${randomUUID()}`, clock()]
  const { startsAt, endsAt } = await db.transaction((tx) =>
    creditPeriod(tx, at, {
      ...{ key, userId: who.id, source: 'coin', tier, packageId: null, billingPeriod, amountCents: cents },
    }),
  )
  return { ...{ key, userId: who.id, tier, cents, isYearly: billingPeriod === 'yearly' }, startsAt, endsAt, at, refunds: [] }
}
async function refunds(paid: Paid, cents: number) {
  const at = clock()
  await db.transaction((tx) => writeReturn(tx, at, 'refund', { key: randomUUID(), refersTo: paid.key, amountCents: cents }))
  paid.refunds.push({ cents, at })
}
const grants = (who: Person, tier: Tier) => db.transaction((tx) => grantTier(tx, clock(), { userId: who.id, tier }))

test('a year counts a twelfth, a month whole, what was paid back not at all, and what was given neither', async () => {
  const [alice, bob, carol, dave] = await Promise.all(['alice', 'bob', 'carol', 'dave'].map((name) => world.person(name, 'free')))
  if (!alice || !bob || !carol || !dave) throw new Error('Nobody is there')
  await credits(alice, 'premium', 'yearly', 800_000)
  const paid = await credits(bob, 'premium', 'monthly', 100_000)
  await credits(carol, 'test', 'monthly', 100)
  await grants(dave, 'enterprise')
  const stats = await read()
  expect(stats).toMatchObject({ premiumSubscribers: 2, granted: 1 })
  expect(stats.premiumMRR).toBeCloseTo(800_000 / 1200 + 1000, 8)
  expect(stats.monthlyRecurringRevenue).toBeCloseTo(800_000 / 1200 + 1001, 8)
  expect(stats.averageRevenuePerUser).toBeCloseTo(stats.monthlyRecurringRevenue / 5, 8)
  expect(stats.months).toHaveLength(12)
  expect(stats.months.at(-1)).toMatchObject({ paid: 9001, refunded: 0, recurring: stats.monthlyRecurringRevenue })
  expect(stats.months.slice(0, -1).every(({ recurring, paid }) => recurring === 0 && paid === 0)).toBe(true)
  await refunds(paid, 40_000)
  expect((await read()).premiumMRR).toBeCloseTo(800_000 / 1200 + 600, 8)
  await refunds(paid, 60_000)
  expect(await read()).toMatchObject({ premiumSubscribers: 1 })
  // With the account its periods end.
  await world.sql('update users set deleted_at = now() where id = $1', [alice.id])
  world.passes(1)
  expect(await read()).toMatchObject({ premiumSubscribers: 0, premiumMRR: 0 })
})

test('the provider is called connected only while it answers', async () => {
  const check = () => ada.does(adminApi.cardProvider, {})
  expect(await check()).toMatchObject({ provider: 'sandbox', state: 'connected' })
  const { client } = card
  const failing = (type: string) => async () => {
    const real = await client()
    const list = () => Promise.reject(Object.assign(new Error(type), { type }))
    return Object.assign(Object.create(real), { subscriptions: { list } })
  }
  try {
    card.client = failing('StripeConnectionError')
    expect(await check()).toMatchObject({ state: 'unreachable' })
    card.client = failing('StripeAuthenticationError')
    expect(await check()).toMatchObject({ state: 'refused' })
    card.client = failing('StripeInvalidRequestError')
    expect((await ada.tries(adminApi.cardProvider, {})).status).toBe(500)
  } finally {
    card.client = client
  }
})

test('a refund by the button leaves no income', async () => {
  const alice = await world.person('alice', 'free')
  const before = await read()
  const { url } = await alice.does(paymentsApi.checkout, { planType: 'premium' })
  const form = new URLSearchParams({ card: '4242424242424242', act: 'pay' })
  await fetch(new URL(new URL(url).pathname, world.url), { method: 'POST', body: form, redirect: 'manual' })
  expect(await read()).toMatchObject({ premiumSubscribers: before.premiumSubscribers + 1, premiumMRR: before.premiumMRR + 1000 })
  await alice.does(paymentsApi.refund, {})
  expect(await read()).toMatchObject({ premiumSubscribers: before.premiumSubscribers, premiumMRR: before.premiumMRR })
})

test('of days that are over one row is left, and nothing that is shown changes', async () => {
  const alice = await world.person('alice', 'free')
  await refunds(await credits(alice, 'premium', 'monthly', 100_000), 30_000)
  world.passes(2 * DAY)
  await ada.returns()
  await credits(alice, 'test', 'yearly', 100)
  const before = await read()
  const days = () =>
    world.sql("select date_trunc('day', at) as day, count(*)::int as rows from income where at < $1 group by 1", [clock()])
  expect((await days()).some(({ rows }) => Number(rows) > 1)).toBe(true)
  await world.jobs.runDue()
  const today = new Date(clock().setUTCHours(0, 0, 0, 0))
  for (const { day, rows } of await days()) expect([day, rows === 1 || (day as Date) >= today]).toEqual([day, true])
  expect(await read()).toEqual(before)
})

const STEPS = Number(process.env['WALK_STEPS'] ?? 50)
const walk =
  'after any payments, refunds, grants, deleted accounts and months the revenue is what the ledger says, and past months stay as they were'

test(walk, { timeout: 20_000 + STEPS * 1000 }, async () => {
  await world.sql('update users set deleted_at = now() where id <> $1', [ada.id])
  world.passes(400 * DAY)
  await ada.returns()
  const people = await Promise.all(['one', 'two', 'three'].map((name) => world.person(name, 'free')))
  const follow = followPlans()
  const paid: Paid[] = []
  let seed = Number(process.env['WALK_SEED'] ?? 20_262)
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const verbs = [
    async (who: Person) => {
      const [tier, period] = [(['test', 'premium'] as const)[next(2)], (['monthly', 'yearly'] as const)[next(2)]]
      if (tier && period) paid.push(await credits(who, tier, period, next(200_000)))
    },
    async () => {
      const one = paid[next(Math.max(1, paid.length))]
      const left = one ? one.cents - one.refunds.reduce((sum, { cents }) => sum + cents, 0) : 0
      if (one && left > 0) await refunds(one, next(2) === 0 ? left : 1 + next(left))
    },
    (who: Person) => grants(who, (['free', 'premium', 'master'] as const)[next(3)] ?? 'free'),
    async () => {
      world.passes(next(40) * DAY)
      await ada.returns()
      // What was paid ahead begins by the job.
      while (await follow(world.env));
    },
    async (who: Person) => {
      if (next(4) > 0) return
      const at = clock()
      await world.sql('update users set deleted_at = $2 where id = $1', [who.id, at])
      for (const one of paid.filter(({ userId }) => userId === who.id))
        if (one.endsAt === null || one.endsAt > at) one.endsAt = at
      people[people.indexOf(who)] = await world.person('next', 'free')
    },
    async () => {
      await sumDays(world.env)
    },
  ]
  /** What recurs at that time, from the list of payments alone, in dollars. */
  const recurringAt = (at: Date, tier?: Tier, userId?: string) =>
    paid
      .filter((each) => (!tier || each.tier === tier) && (!userId || each.userId === userId))
      .filter((each) => each.at <= at && each.startsAt <= at && (each.endsAt === null || at < each.endsAt))
      .reduce((sum, { cents, refunds, isYearly }) => {
        const back = refunds.filter((each) => each.at <= at).reduce((all, each) => all + each.cents, 0)
        return sum + (cents - back) / (isYearly ? 1200 : 100)
      }, 0)
  const inMonth = (month: string, sums: { cents: number; at: Date }[]) =>
    sums.filter(({ at }) => at.toISOString().startsWith(month.slice(0, 7))).reduce((all, { cents }) => all + cents, 0) / 100
  const past = new Map<string, number>()
  for (let step = 0; step < STEPS; step++) {
    const who = people[next(people.length)]
    if (who) await verbs[next(verbs.length)]?.(who)
    const stats = await read()
    const now = clock()
    const said = `seed ${process.env['WALK_SEED'] ?? 20_262}, step ${step}`
    expect(stats.monthlyRecurringRevenue, said).toBeCloseTo(recurringAt(now), 6)
    expect(stats.premiumMRR, said).toBeCloseTo(recurringAt(now, 'premium'), 6)
    expect(stats.premiumSubscribers, said).toBe(people.filter(({ id }) => recurringAt(now, 'premium', id) > 1e-6).length)
    expect((await checkLedger(db, now)).differences, said).toEqual([])
    expect(stats.averageRevenuePerUser, said).toBeCloseTo(recurringAt(now) / 4, 6)
    for (const { month, recurring, paid: came, refunded } of stats.months.slice(0, -1)) {
      const end = new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 1) - 1)
      expect(recurring, `${said}, ${month}`).toBeCloseTo(recurringAt(end), 6)
      expect(came, `${said}, ${month}`).toBeCloseTo(inMonth(month, paid), 6)
      expect(refunded, `${said}, ${month}`).toBeCloseTo(
        inMonth(
          month,
          paid.flatMap(({ refunds }) => refunds),
        ),
        6,
      )
      expect(past.get(month) ?? recurring, `${said}, ${month} has changed`).toBe(recurring)
      past.set(month, recurring)
    }
  }
})
