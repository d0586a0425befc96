import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { build } from 'esbuild'
import { beforeAll, expect, inject, test } from 'vitest'
import { accountApi } from '../contract/account/account.ts'
import { startProvider } from '../server/money/payments/provider.ts'
import { cardsOf } from '../server/testing/cards.ts'
import { startWorld } from '../server/testing/world.ts'
import { PROGRAM } from './programs.ts'

const world = await startWorld()
const [row] = await world.sql('select current_database() as name')
const databaseUrl = inject('clusterUrl').replace('/template?', `/${row?.['name']}?`)

beforeAll(() => build({ ...PROGRAM, entryPoints: { 'account-test': path.join(import.meta.dirname, 'account.ts') } }))

/** Runs the command line as an operator types it, while the server beside it goes on. */
const account = (...words: string[]) => accountWith({}, ...words)

async function accountWith(
  settings: Record<string, string>,
  ...words: string[]
): Promise<{ output: string; status: number | null }> {
  const program = spawn(process.execPath, [path.join(import.meta.dirname, '../dist/account-test.mjs'), ...words], {
    env: { ...process.env, DATABASE_URL: databaseUrl, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, complained, [status]] = await Promise.all([text(program.stdout), text(program.stderr), once(program, 'close')])
  return { output: `${said}${complained}`.trim(), status: status as number | null }
}

test('the command line gives plans, with and without an end, and says what is wrong by name', async () => {
  const alice = await world.person('alice', 'free')
  const shownTier = async () => (await alice.does(accountApi.user, {})).subscriptionTier

  expect(await account('set-tier', 'Alice', 'premium')).toEqual({ output: 'alice is given premium', status: 0 })
  expect(await shownTier()).toBe('premium')
  expect((await account('set-tier', 'alice', 'test', '2999-12-31')).output).toBe(
    'alice is given test until 2999-12-31T00:00:00.000Z',
  )
  expect(await shownTier()).toBe('test')
  expect((await account('list')).output).toBe('alice  test  until 2999-12-31T00:00:00.000Z')
  await world.sql("update users set subscription_end_date = '2020-01-01Z' where id = $1", [alice.id])
  expect((await account('list')).output).toBe('alice  free  test until 2020-01-01T00:00:00.000Z')

  expect(await account('set-tier', 'alice', 'gold')).toEqual({
    output: 'There is no plan "gold". The plans are free, test, premium, master, enterprise',
    status: 1,
  })
  expect((await account('set-tier', 'alice', 'premium', '2999-02-30')).output).toBe('"2999-02-30" is no date, such as 2027-01-31')
  expect(await shownTier()).toBe('free')
}, 60_000)

test('a card is ended where the server takes cards, or not at all: other settings are refused by name', async () => {
  const [bob, carol] = [await world.person('bob', 'free'), await world.person('carol', 'free')]
  const { buys, stateOf } = cardsOf(world)
  await buys(bob, 'premium')
  const stripe = { STRIPE_SECRET_KEY: 'sk_test_1', STRIPE_WEBHOOK_SECRET: 'whsec_1' }
  for (const [settings, words] of [
    [{ CARD_PROVIDER: 'off' }, 'no provider'],
    [stripe, 'Stripe in test mode'],
  ] as const) {
    const output = `The server takes cards at the sandbox, this command at ${words}. Run it with CARD_PROVIDER=sandbox`
    expect(await accountWith(settings, 'set-tier', 'bob', 'enterprise')).toEqual({ output, status: 1 })
    expect(await stateOf(bob)).toMatchObject({ tier: 'premium', card: { renews: true } })
    expect((await accountWith(settings, 'set-tier', 'carol', 'enterprise')).status).toBe(0)
  }
  expect(await accountWith({}, 'set-tier', 'bob', 'enterprise')).toEqual({ output: 'bob is given enterprise', status: 0 })
  expect(await stateOf(bob)).toMatchObject({ tier: 'enterprise', card: { renews: false } })
  await startProvider(
    world.env.db,
    world.env.clock(),
    { provider: 'stripe', secretKey: 'sk_test_1', webhookSecret: 'whsec_1' },
    'acct_1',
  )
  const [row] = await world.sql(
    "update card_accounts set provider_id = 2, status = 'active', renews = true where user_id = $1 returning user_id",
    [bob.id],
  )
  expect(row).toBeDefined()
  expect((await account('set-tier', 'bob', 'free')).output).toBe(
    'The server takes cards at Stripe in test mode (acct_1), this command at the sandbox. Run it with the server’s STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET',
  )
  expect(await stateOf(carol)).toMatchObject({ tier: 'enterprise' })
}, 60_000)

test('a database that no server of this version has started with is named', async () => {
  await world.sql('drop function rights_of(uuid, timestamptz)')
  expect(await account('list')).toEqual({
    output: 'The database is of an older version: start the server once, it brings the database up to date',
    status: 1,
  })
}, 60_000)
