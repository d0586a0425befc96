import { drizzle } from 'drizzle-orm/node-postgres'
import { expect, test } from 'vitest'
import { LIMITS } from '../../contract/ground/limits.ts'
import type { Env } from '../env.ts'
import { startWorld } from '../testing/world.ts'
import { readAnalytics, subscriptionStats, sumPlans, writeFigures } from './figures.ts'
import { listPackages } from './packages.ts'
import { readRevenue, sumDays } from './revenue.ts'
import { findHolders } from './store-packages.ts'
import { listUsers } from './users.ts'

const world = await startWorld()

/** So many that their rows are more blocks than a page of them may read. */
const PEOPLE = 10_000

/** Each account pays for the second time, at a moment of its own. */
const FILL = [
  `insert into premium_packages (id, name, description, tier, created_at, updated_at)
   select ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'Package ' || n, 'x', 'premium', $1, $1 from generate_series(1, 20) n`,
  `insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at, subscription_tier, subscription_end_date)
   select gen_random_uuid(), 'person_' || n, 'Person ' || n, '', '', $1, $1::timestamptz - n * interval '1 minute', 'premium', $1::timestamptz + interval '1 month'
   from generate_series(1, ${PEOPLE}) n`,
  `insert into ledger_entries (key, kind, user_id, source, provider_id, tier, billing_period, amount_cents, package_id, starts_at, ends_at, created_at)
   select 'card:' || u.id || ':' || n, 'payment', u.id, 'card', 1, 'premium', 'monthly', 1000,
     case when n = 1 then '00000000-0000-4000-8000-000000000001'::uuid end, at, at + interval '30 days', at
   from users u, generate_series(1, 2) n,
     lateral (select $1::timestamptz - n * interval '30 days' + extract(epoch from $1::timestamptz - u.created_at) * interval '400 milliseconds' as at) t
   where u.username like 'person_%'`,
  `insert into objects (id, owner_id, kind, state, size_bytes, created_at)
   select gen_random_uuid(), id, 'file', 'used', 100, $1 from users where username like 'person_%'`,
  `update presence set last_seen = $1::timestamptz - hashtext(user_id::text) * interval '1 second'`,
]

const BLOCKS = `
  select coalesce(sum(pg_stat_get_xact_blocks_fetched(c.oid)), 0)::int as blocks
  from pg_class c left join pg_index i on i.indexrelid = c.oid
  where c.relnamespace = 'public'::regnamespace and coalesce(i.indrelid, c.oid)::regclass::text = any ($1)`

/** The blocks that a look reads of these tables, indexes included. */
async function blocksOf(look: (env: Env) => Promise<unknown>, tables: string[]): Promise<number> {
  const client = await world.pool.connect()
  try {
    await client.query('begin')
    const read = async () => Number((await client.query(BLOCKS, [tables])).rows[0]?.blocks)
    const env = { ...world.env, db: drizzle(client) }
    // A connection reads a page of each index when it plans for the first time.
    await look(env)
    const before = await read()
    await look(env)
    return (await read()) - before
  } finally {
    await client.query('rollback')
    client.release()
  }
}

for (const statement of FILL) await world.sql(statement, [world.env.clock()])
while (await sumDays(world.env));
await sumPlans(world.env)
// An analyze that the database has begun itself keeps rows from counting as visible to all, and an index is not enough then.
const HIDDEN =
  "select count(*)::int as tables from pg_class where relname in ('users', 'listed_users') and relallvisible < relpages"
do await world.sql('vacuum analyze')
while ((await world.sql(HIDDEN))[0]?.['tables'] !== 0)

test('a look at the income reads a row for each day, however much was paid', async () => {
  expect(await world.sql('select count(*)::int as count from ledger_entries')).toEqual([{ count: 2 * PEOPLE }])
  expect(await blocksOf(readRevenue, ['ledger_entries'])).toBeLessThan(10)
  expect(await blocksOf(readRevenue, ['income'])).toBeLessThan(20)
  expect(await readRevenue(world.env)).toMatchObject({ premiumSubscribers: PEOPLE, premiumMRR: PEOPLE * 10 })
})

test('how many have each plan is read from a row a plan, not from the accounts', async () => {
  expect(await blocksOf(subscriptionStats, ['users'])).toBeLessThan(PEOPLE / 50)
  expect(await blocksOf(subscriptionStats, ['plan_counts'])).toBeLessThan(10)
  expect(await blocksOf(readRevenue, ['users'])).toBeLessThan(PEOPLE / 50)
  expect(await subscriptionStats(world.env)).toMatchObject({ premium: PEOPLE, total: PEOPLE })
})

test('the sums of days read nothing of the files', async () => {
  await writeFigures(world.env)
  expect(await blocksOf(readAnalytics, ['objects'])).toBe(0)
  expect(await readAnalytics(world.env)).toMatchObject({ storageBytes: PEOPLE * 100 })
})

test('the packages read an entry for each that was bought, not all of them', async () => {
  expect(await blocksOf(listPackages, ['ledger_entries', 'card_accounts', 'crypto_payments'])).toBeLessThan(200)
  expect((await listPackages(world.env)).filter(({ isBought }) => isBought)).toMatchObject([{ name: 'Package 1' }])
  const holders = (env: Env) => findHolders(env.db, '00000000-0000-4000-8000-000000000001')
  expect(await blocksOf(holders, ['users'])).toBeLessThan(5)
})

const OF_LISTS = ['users', 'listed_users', 'presence', 'plan_rights']

test.each(['joined', 'name', 'seen'] as const)('the last page of the users by %s reads as little as the first', async (sort) => {
  const at = (page: number) => blocksOf((env) => listUsers(env, { page, sort, search: '' }), OF_LISTS)
  expect(await at(PEOPLE / LIMITS.adminPage)).toBeLessThan((await at(1)) + 50)
  expect(await at(1)).toBeLessThan(450)
})

test.each([
  ...[{}, { tier: 'premium' }, { tier: 'test' }, { state: 'active' }, { state: 'admin' }, { state: 'inactive', tier: 'premium' }],
  ...[{ search: 'person_99' }, { search: 'PERSON' }, { search: 'nobody' }, { search: '9', tier: 'premium', sort: 'seen' }],
] as const)('the users of %j are found without a look at the row of each', async (filter) => {
  const look = (env: Env) => listUsers(env, { page: 1, search: '', sort: 'joined', ...filter })
  expect(await blocksOf(look, ['users', 'plan_rights'])).toBeLessThan(300)
  const short = await world.sql("select sum(relpages)::int as pages from pg_class where relname like 'listed_users%'")
  expect(await blocksOf(look, ['listed_users'])).toBeLessThan(Number(short[0]?.['pages']) * 2)
})
