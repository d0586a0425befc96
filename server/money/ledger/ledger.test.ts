import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import type { Tier } from '../../../contract/money/plans.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { checkLedger, sumLedger } from './audit.ts'
import { checkChain, findEntryByHash, newestEntry } from './entryChain.ts'
import { creditPeriod, followPlans, grantTier, type PaidPeriod, writeReturn } from './ledger.ts'
import { monthsAfter } from './standing.ts'

const world = await startWorld()
const { db, clock } = world.env
const DAY = 24 * 60 * 60
const plans = followPlans()
const PACKAGE = '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01'

const month = (who: Person, more: Partial<PaidPeriod> = {}): PaidPeriod => ({
  ...{ key: `coin:${randomUUID()}`, userId: who.id, source: 'coin', tier: 'premium', packageId: PACKAGE },
  ...{ billingPeriod: 'monthly', amountCents: 100_000 },
  ...more,
})
const credits = (period: PaidPeriod) => db.transaction((tx) => creditPeriod(tx, clock(), period))
const refunds = (refersTo: string, amountCents: number, key = `refund:${randomUUID()}`) =>
  db.transaction((tx) => writeReturn(tx, clock(), 'refund', { key, refersTo, amountCents }))
const grants = (who: Person, tier: Tier, endDate?: Date) =>
  db.transaction((tx) => grantTier(tx, clock(), { userId: who.id, tier, endDate }))
const tierOf = async (who: Person) => (await who.does(accountApi.user, {})).subscriptionTier
const endOf = async (who: Person) =>
  (await world.sql('select subscription_end_date as end from users where id = $1', [who.id]))[0]?.['end']
const holds = async () => expect((await checkLedger(db, clock())).differences).toEqual([])

test('what was paid is credited once, however often it is told at the same time, and gives one month', async () => {
  const alice = await world.person('alice', 'free')
  const paid = month(alice)
  const answers = await Promise.all(Array.from({ length: 20 }, () => credits(paid)))
  expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1)
  expect(await tierOf(alice)).toBe('premium')
  expect(await endOf(alice)).toEqual(monthsAfter(answers[0]?.startsAt ?? clock(), 1))
  expect(new Set(answers.map(({ endsAt }) => endsAt?.getTime())).size).toBe(1)
  await holds()
})

test('what was paid counts though our clock is behind the provider’s, and what begins later is given as it begins, also by a server that was off', async () => {
  const alice = await world.person('alice', 'free')
  const startsAt = new Date(clock().getTime() + 20_000)
  const paid = await credits(
    month(alice, { source: 'card', providerId: 1, period: { startsAt, endsAt: monthsAfter(startsAt, 1) } }),
  )
  expect([await tierOf(alice), await endOf(alice)]).toEqual(['premium', paid.endsAt])
  await holds()

  const bob = await world.person('bob', 'free')
  const later = new Date(clock().getTime() + 3 * DAY * 1000)
  await credits(month(bob, { source: 'card', providerId: 1, period: { startsAt: later, endsAt: monthsAfter(later, 1) } }))
  const before = followPlans()
  while (await before(world.env));
  expect(await tierOf(bob)).toBe('free')
  world.passes(3 * DAY)
  while (await before(world.env));
  await bob.returns()
  expect(await tierOf(bob)).toBe('premium')
  await holds()

  const carol = await world.person('carol', 'free')
  const soon = new Date(clock().getTime() + DAY * 1000)
  await credits(month(carol, { source: 'card', providerId: 1, period: { startsAt: soon, endsAt: monthsAfter(soon, 12) } }))
  world.passes(60 * DAY)
  const after = followPlans()
  while (await after(world.env));
  await carol.returns()
  expect(await tierOf(carol)).toBe('premium')
  await holds()
})

test('a month that is paid while another one runs begins when that ends, and nothing paid is lost', async () => {
  const alice = await world.person('alice', 'free')
  const first = await credits(month(alice))
  const second = await credits(month(alice))
  expect(second.startsAt).toEqual(first.endsAt)
  expect(await endOf(alice)).toEqual(second.endsAt)
  await holds()
})

test('a larger plan counts at once, and what is left of the smaller one after it', async () => {
  const alice = await world.person('alice', 'free')
  await credits(month(alice, { tier: 'test', packageId: null, amountCents: 100, billingPeriod: 'yearly' }))
  await credits(month(alice))
  expect(await tierOf(alice)).toBe('premium')
  world.passes(32 * DAY)
  await plans(world.env)
  await alice.returns()
  expect(await tierOf(alice)).toBe('test')
  await holds()
})

test('a payment that is paid back in whole ends its period, one that is paid back in part does not, and neither twice', async () => {
  const alice = await world.person('alice', 'free')
  const paid = month(alice)
  await credits(paid)
  expect(await refunds(paid.key, 40_000, 'refund:part')).toBe(true)
  expect(await refunds(paid.key, 40_000, 'refund:part')).toBe(false)
  expect(await tierOf(alice)).toBe('premium')
  expect(await refunds(paid.key, 60_000)).toBe(true)
  expect(await tierOf(alice)).toBe('free')
  expect(await refunds('coin:nothing', 1)).toBe(false)
  await holds()
})

test('what the operator gives replaces what was given, and takes nothing that was paid', async () => {
  const alice = await world.person('alice', 'free')
  await grants(alice, 'enterprise')
  await credits(month(alice))
  await grants(alice, 'free')
  expect([await tierOf(alice), await endOf(alice)]).toEqual(['premium', expect.any(Date)])
  await grants(alice, 'test')
  expect(await tierOf(alice)).toBe('premium')
  await grants(alice, 'master')
  expect([await tierOf(alice), await endOf(alice)]).toEqual(['master', null])
  await holds()
})

test('a package counts by its own number of messages, and shows as its tier', async () => {
  const [alice, bob] = [await world.person('alice', 'free'), await world.person('bob', 'free')]
  const chatRoomId = await alice.talksTo(bob)
  await credits(month(alice))
  await world.sql('update plan_rights set messages_per_month = 1 where plan = $1', [`package:${PACKAGE}`])
  await alice.says(chatRoomId, 'one')
  expect(await alice.posts(chatRoomId, 'two')).toBeRefused(403, 'message_limit_reached')
  expect(await tierOf(alice)).toBe('premium')
  await world.sql('update plan_rights set messages_per_month = -1 where plan = $1', [`package:${PACKAGE}`])
})

test('no entry of the ledger can be changed or deleted', async () => {
  const changes = ['update ledger_entries set amount_cents = 0', 'delete from ledger_entries', 'truncate ledger_entries']
  const ofChain = ["update ledger_chain set hash = ''", 'delete from ledger_chain', 'truncate ledger_chain']
  for (const statement of [...changes, ...ofChain])
    await expect(world.sql(statement)).rejects.toThrow('The ledger is only appended to')
})

test('the check finds an entry that was changed, moved, taken away or added past the trigger, and by a kept hash a tail that was cut off', async () => {
  const people = await Promise.all(['one', 'two', 'three'].map((name) => world.person(name, 'free')))
  await Promise.all(people.flatMap((who) => Array.from({ length: 5 }, () => credits(month(who)))))
  await holds()
  const { hash, count } = await newestEntry(db)
  expect([count, await findEntryByHash(db, Buffer.from(hash ?? '', 'hex'))]).toEqual([count, count])
  const [newest] = await world.sql('select place::int as place, seq::int as seq from ledger_chain order by seq desc limit 1')
  const { place, seq } = newest as { place: number; seq: number }
  const isBroken = `entry ${seq} of the ledger was changed, added or taken away after it was written`
  const copy = `select key || 'x', kind, user_id, source, tier, amount_cents, starts_at, created_at from ledger_entries where place = ${place}`
  const tampers = [
    [`update ledger_entries set amount_cents = 1 where place = ${place}`, [isBroken]],
    [`update ledger_entries set ends_at = ends_at + interval '40 days' where place = ${place}`, [isBroken]],
    [`update ledger_entries set created_at = created_at + interval '1 ms' where place = ${place}`, [isBroken]],
    [`delete from ledger_entries where place = ${place}`, [isBroken]],
    [`update ledger_chain set hash = sha256('x') where seq = ${seq}`, [isBroken]],
    [
      `insert into ledger_entries (key, kind, user_id, source, tier, amount_cents, starts_at, created_at) ${copy}`,
      ['1 entries of the ledger are not in its chain'],
    ],
    // Nothing shows but the hash that was kept elsewhere.
    [`delete from ledger_entries where place = ${place}; delete from ledger_chain where seq = ${seq}`, []],
  ] as const
  for (const [tamper, expected] of tampers) {
    await db
      .transaction(async (tx) => {
        for (const table of ['ledger_entries', 'ledger_chain']) await tx.execute(`alter table ${table} disable trigger user`)
        for (const statement of tamper.split(';')) await tx.execute(statement)
        expect(await checkChain(tx), tamper).toEqual(expected)
        expect(await findEntryByHash(tx, Buffer.from(hash ?? '', 'hex'))).toBe(tamper.includes('ledger_chain') ? undefined : seq)
        throw new Error('undone')
      })
      .catch((error: Error) => expect(error.message).toBe('undone'))
  }
  await holds()
})

test('the check names an account whose plan is not what the ledger says', async () => {
  const eve = await world.person('eve', 'free')
  await world.sql("update users set subscription_tier = 'premium' where id = $1", [eve.id])
  const { differences } = await checkLedger(db, clock())
  expect(differences).toEqual([`${eve.username}: the ledger says free, the account has premium`])
  await world.sql("update users set subscription_tier = 'free' where id = $1", [eve.id])
  await world.sql("insert into plan_counts values ('free', '-infinity', 1)")
  expect((await checkLedger(db, clock())).differences).toEqual(['the count of the plan free is not that of the accounts'])
  await sumLedger(db)
  await holds()
})

test('the check names a day whose sums of income are not what the ledger says', async () => {
  const alice = await world.person('alice', 'free')
  await credits(month(alice))
  const day = clock().toISOString().slice(0, 10)
  await world.sql('insert into income (at, recurring, premium, subscribers, paid, refunded) values ($1, 0, 0, 0, 1, 0)', [
    clock(),
  ])
  expect((await checkLedger(db, clock())).differences).toEqual([`the sums of income of ${day} are not those of the ledger`])
  await sumLedger(db)
  await holds()
})

test('payments of two accounts do not wait for one another, and a payment that is undone leaves no income', async () => {
  const [alice, bob] = [await world.person('alice', 'free'), await world.person('bob', 'free')]
  const undone = db.transaction(async (tx) => {
    await creditPeriod(tx, clock(), month(alice))
    await credits(month(bob))
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect([await tierOf(alice), await tierOf(bob)]).toEqual(['free', 'premium'])
  await holds()
})

test('entries that are written by hand, many at once or of one account side by side, are in the sums of income', async () => {
  const [alice, bob] = [await world.person('alice', 'free'), await world.person('bob', 'free')]
  const client = await world.pool.connect()
  const pays = `
    insert into ledger_entries (key, kind, user_id, source, provider_id, tier, billing_period, amount_cents, starts_at, ends_at, created_at)
    select 'card:' || gen_random_uuid(), 'payment', id::uuid, 'card', 1, 'premium', 'monthly', 100, $2::timestamptz, $2::timestamptz + interval '1 month', $2
    from unnest($1::text[]) id, generate_series(1, $3)`
  try {
    await client.query('begin')
    await client.query(pays, [[alice.id, bob.id], clock(), 3])
    const beside = world.sql(pays, [[alice.id], clock(), 1])
    // Each by itself would count Alice as one who has begun to pay.
    await world.lockWaits()
    await client.query('commit')
    await beside
  } finally {
    client.release()
  }
  const { differences } = await checkLedger(db, clock())
  expect(differences.filter((line) => line.includes('income'))).toEqual([])
  await world.sql('update users set deleted_at = $2 where id = any ($1)', [[alice.id, bob.id], clock()])
  await holds()
})

test('months end on the last day of a shorter month, and years on the same day', () => {
  expect(monthsAfter(new Date('2027-01-31T10:00:00.000Z'), 1).toISOString()).toBe('2027-02-28T10:00:00.000Z')
  expect(monthsAfter(new Date('2028-02-29T10:00:00.000Z'), 12).toISOString()).toBe('2029-02-28T10:00:00.000Z')
})

test('after any payments, repetitions, refunds, grants, crashes and days each account has the plan that its entries give', async () => {
  const steps = Number(process.env['WALK_STEPS'] ?? 50)
  const people = [await world.person('one', 'free'), await world.person('two', 'free')]
  const keys: { key: string; cents: number }[] = []
  let seed = 20_261
  const next = (below: number): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed % below
  }
  const verbs = [
    async (who: Person) => {
      const isTest = next(3) === 0
      const paid = month(who, isTest ? { tier: 'test', packageId: null, amountCents: 100 } : {})
      await Promise.all(Array.from({ length: 1 + next(4) }, () => credits(paid)))
      keys.push({ key: paid.key, cents: paid.amountCents })
    },
    async () => {
      const paid = keys[next(Math.max(1, keys.length))]
      if (!paid) return
      keys.splice(keys.indexOf(paid), 1)
      await Promise.all([1, 2].map(() => refunds(paid.key, paid.cents, `refund:${paid.key}`)))
    },
    (who: Person) => grants(who, (['free', 'test', 'premium', 'master'] as const)[next(4)] ?? 'free'),
    async (who: Person) => {
      const crash = db.transaction(async (tx) => {
        await creditPeriod(tx, clock(), month(who))
        throw new Error('crash')
      })
      await expect(crash).rejects.toThrow('crash')
    },
    async () => {
      world.passes(next(20) * DAY)
      while (await plans(world.env));
    },
  ]
  for (let step = 0; step < steps; step++) {
    const who = people[next(2)]
    if (who) await verbs[next(verbs.length)]?.(who)
    await holds()
  }
})
