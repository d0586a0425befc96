import { type Ground, inDatabase } from './ground.ts'
import { median } from './numbers.ts'
import { startProduct } from './program.ts'
import { type Row, row } from './row.ts'
import { seedUsers } from './seed.ts'
import { openWire, requestOf, timed } from './wire.ts'

const MONTHS = 12
const AT_MOST_MS = 50

/** What administrators ask for, by the path of the call. */
const ASKED: [name: string, path: string][] = [
  ['a page of users, newest first', 'users'],
  ['the last page of users, by name', 'users?sort=name&page=5000'],
  ['a page in the middle of the users, by name', 'users?sort=name&page=2500'],
  ['a page of users, last seen first', 'users?sort=seen'],
  ['a page in the middle of the users, last seen first', 'users?sort=seen&page=2500'],
  ['a search that one name has', 'users?search=person_99999'],
  ['a search that every name has', 'users?search=person'],
  ['a search that no name has', 'users?search=nobody'],
  ['users of a plan', 'users?tier=premium'],
  ['users of a plan that few have', 'users?tier=test'],
  ['administrators', 'users?state=admin'],
  ['how many have each plan', 'subscription-stats'],
  ['the revenue of twelve months', 'revenue-stats'],
  ['the sums of days', 'analytics'],
  ['the packages', 'packages'],
]

/** Measures the dashboard of administrators: 100,000 accounts, each of which has paid for twelve months and sent five files. */
export async function measureAdmin(ground: Ground): Promise<Row[]> {
  const people = ground.isQuick ? 200 : 100_000
  const [rounds, asks] = ground.isQuick ? [1, 3] : [5, 10]
  const databaseUrl = await ground.freshDatabase()
  const [ada] = await seedUsers(databaseUrl, 1)
  if (!ada) throw new Error('No user was seeded')
  await inDatabase(databaseUrl, `update users set is_admin = true where id = '${ada.id}'`)
  await inDatabase(databaseUrl, accounts(people))
  await inDatabase(databaseUrl, payments)
  for (const statement of [seen, files, packages]) await inDatabase(databaseUrl, statement)
  await inDatabase(databaseUrl, 'vacuum analyze')
  const server = await startProduct(databaseUrl)
  const wire = await openWire(server.port)
  const times = new Map(ASKED.map(([name]) => [name, [] as number[]]))
  for (let round = -1; round < rounds; round++) {
    for (let at = 0; at < asks; at++) {
      for (const [name, path] of ASKED) {
        const { ms, body } = await timed(wire, requestOf('GET', `/api/admin/${path}`, ada.cookie))
        if (body.includes('"code"')) throw new Error(`${path} was answered ${body.toString()}`)
        // The first round warms up.
        if (round >= 0) times.get(name)?.push(ms)
      }
    }
  }
  wire.close()
  await server.stop()
  const note = `${people.toLocaleString('en')} accounts, ${(people * MONTHS).toLocaleString('en')} payments`
  return ASKED.map(([name]) => row('admin', name, median(times.get(name) ?? []), 'ms', { atMost: AT_MOST_MS, note }))
}

const accounts = (people: number) => `
  insert into users (id, username, display_name, password_hash, password_salt, usage_reset_date, created_at, subscription_tier,
    subscription_end_date)
  select gen_random_uuid(), 'person_' || n, 'Person ' || n, '\\x00', '\\x00', now(), now() - n * interval '1 minute', 'premium',
    now() + interval '10 days' from generate_series(1, ${people}) n`

const payments = `
  insert into ledger_entries (key, kind, user_id, source, provider_id, tier, billing_period, amount_cents, starts_at, ends_at, created_at)
  select 'card:' || u.id || ':' || n, 'payment', u.id, 'card', 1, 'premium', 'monthly', 100000,
    now() - n * interval '1 month' + interval '10 days', now() - (n - 1) * interval '1 month' + interval '10 days',
    now() - n * interval '1 month' + interval '10 days'
  from users u, generate_series(1, ${MONTHS}) n where u.username like 'person_%'`

const seen = `
  insert into presence as p (user_id, nodes, last_seen)
  select id, case when n % 10 = 0 then array[id] else '{}' end, now() - n * interval '17 seconds'
  from users, lateral (select substring(username from '[0-9]+$')::int as n) t where username like 'person_%'
  on conflict (user_id) do update set nodes = excluded.nodes, last_seen = excluded.last_seen`

const files = `
  insert into objects (id, owner_id, kind, state, size_bytes, created_at)
  select gen_random_uuid(), u.id, 'file', 'used', 100000 + n, now() from users u, generate_series(1, 5) n where u.username like 'person_%'`

const packages = `
  insert into premium_packages (id, name, description, tier, created_at, updated_at)
  select gen_random_uuid(), 'Package ' || n, 'x', 'premium', now(), now() from generate_series(1, 90) n`
