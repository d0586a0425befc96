import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { build } from 'esbuild'
import { beforeAll, expect, inject, test } from 'vitest'
import { accountApi } from '../contract/account/account.ts'
import { startWorld } from '../server/testing/world.ts'
import { PROGRAM } from './programs.ts'

const world = await startWorld()
const [row] = await world.sql('select current_database() as name')
const databaseUrl = inject('clusterUrl').replace('/template?', `/${row?.['name']}?`)

beforeAll(() => build({ ...PROGRAM, entryPoints: { 'account-test': path.join(import.meta.dirname, 'account.ts') } }))

/** Runs the command line as an operator types it. */
function account(...words: string[]): { output: string; status: number | null } {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [path.join(import.meta.dirname, '../dist/account-test.mjs'), ...words],
    { env: { ...process.env, DATABASE_URL: databaseUrl }, encoding: 'utf8' },
  )
  return { output: `${stdout}${stderr}`.trim(), status }
}

test('the command line gives plans, with and without an end, and says what is wrong by name', async () => {
  const alice = await world.person('alice', 'free')
  const shownTier = async () => (await alice.does(accountApi.user, {})).subscriptionTier

  expect(account('set-tier', 'Alice', 'premium')).toEqual({ output: 'alice is now premium', status: 0 })
  expect(await shownTier()).toBe('premium')
  expect(account('set-tier', 'alice', 'test', '2999-12-31').output).toBe('alice is now test until 2999-12-31T00:00:00.000Z')
  expect(await shownTier()).toBe('test')
  expect(account('list').output).toBe('alice  test  until 2999-12-31T00:00:00.000Z')
  await world.sql("update users set subscription_end_date = '2020-01-01Z' where id = $1", [alice.id])
  expect(account('list').output).toBe('alice  free  test until 2020-01-01T00:00:00.000Z')

  expect(account('set-tier', 'alice', 'gold')).toEqual({
    output: 'There is no plan "gold". The plans are free, test, premium, master, enterprise',
    status: 1,
  })
  expect(account('set-tier', 'alice', 'premium', '2999-02-30').output).toBe('"2999-02-30" is no date, such as 2027-01-31')
  expect(await shownTier()).toBe('free')
}, 60_000)

test('a database that no server of this version has started with is named', async () => {
  await world.sql('drop function rights_of(uuid, timestamptz)')
  expect(account('list')).toEqual({
    output: 'The database is of an older version: start the server once, it brings the database up to date',
    status: 1,
  })
}, 60_000)
