import { drizzle } from 'drizzle-orm/node-postgres'
import { expect, test } from 'vitest'
import { LIMITS } from '../../contract/ground/limits.ts'
import type { Env } from '../env.ts'
import { startWorld } from '../testing/world.ts'
import { subscriptionStats, sumPlans } from './figures.ts'
import { readRevenue, sumDays } from './revenue.ts'
import { listUsers } from './users.ts'

const world = await startWorld()

const PEOPLE = 2000

/** Each account pays for the second time, at a moment of its own. */
const FILL = [
  `insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at, subscription_tier, subscription_end_date)
   select gen_random_uuid(), 'person_' || n, 'Person ' || n, '', '', $1, $1::timestamptz - n * interval '1 minute', 'premium', $1::timestamptz + interval '1 month'
   from generate_series(1, ${PEOPLE}) n`,
  `insert into ledger_entries (key, kind, user_id, source, tier, billing_period, amount_cents, starts_at, ends_at, created_at)
   select 'card:' || u.id || ':' || n, 'payment', u.id, 'card', 'premium', 'monthly', 1000, at, at + interval '30 days', at
   from users u, generate_series(1, 2) n,
     lateral (select $1::timestamptz - n * interval '30 days' + extract(epoch from $1::timestamptz - u.created_at) * interval '2 seconds' as at) t
   where u.username like 'person_%'`,
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
await world.sql('vacuum analyze')

test('a look at the income reads a row for each day, however much was paid', async () => {
  expect(await world.sql('select count(*)::int as count from ledger_entries')).toEqual([{ count: 2 * PEOPLE }])
  expect(await blocksOf(readRevenue, ['ledger_entries'])).toBeLessThan(5)
  expect(await blocksOf(readRevenue, ['income'])).toBeLessThan(20)
  expect(await readRevenue(world.env)).toMatchObject({ premiumSubscribers: PEOPLE, premiumMRR: PEOPLE * 10 })
})

test('how many have each plan is read from a row a plan, not from the accounts', async () => {
  expect(await blocksOf(subscriptionStats, ['users'])).toBeLessThan(PEOPLE / 50)
  expect(await blocksOf(subscriptionStats, ['plan_counts'])).toBeLessThan(10)
  expect(await blocksOf(readRevenue, ['users'])).toBeLessThan(PEOPLE / 50)
  expect(await subscriptionStats(world.env)).toMatchObject({ premium: PEOPLE, total: PEOPLE })
})

test.each(['joined', 'name', 'seen'] as const)('the last page of the users by %s reads as little as the first', async (sort) => {
  const at = (page: number) => blocksOf((env) => listUsers(env, { page, sort, search: '' }), ['users', 'presence', 'plan_rights'])
  expect(await at(PEOPLE / LIMITS.adminPage)).toBeLessThan((await at(1)) + 50)
})

test.each([{}, { tier: 'premium' }, { state: 'active' }, { state: 'admin' }, { state: 'inactive', tier: 'premium' }] as const)(
  'the users of %j are counted without a look at each',
  async (filter) => {
    const look = (env: Env) => listUsers(env, { page: 1, search: '', sort: 'joined', ...filter })
    expect(await blocksOf(look, ['users', 'plan_rights'])).toBeLessThan(300)
  },
)
