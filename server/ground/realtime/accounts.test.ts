import { afterAll, expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { endSessions } from '../../account/account/operator.ts'
import { makeAdmin } from '../../admin/operator.ts'
import { setTier } from '../../money/ledger/ledger.ts'
import type { TestSocket } from '../../testing/socket.ts'
import { startWorld } from '../../testing/world.ts'
import { announceChange } from '../db/changes.ts'
import { connect } from '../db/connect.ts'

const world = await startWorld()
// A connection of another process on the same database, such as the command line.
const { db: elsewhere, close } = connect(world.databaseUrl)
afterAll(close)
const gives = (username: string, tier: string, endDate?: Date) =>
  elsewhere.transaction((tx) => setTier(tx, world.env.clock(), { username, tier, endDate }))

/** Waits for a pong, by which time all earlier frames have arrived. */
async function settles(line: TestSocket): Promise<string[]> {
  line.says({ type: 'ping', data: {} })
  await line.hears('pong')
  return line.frames.map(({ type }) => type)
}

// This test comes first, before the recheck of every 10 s has run.
test('what was changed while the database cut the listening connection is told as soon as it is back', async () => {
  const ivan = await world.person('ivan', 'free')
  const line = await ivan.opensSocket()
  const cut = await world.sql(
    "select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen conclave_accounts' and datname = current_database()",
  )
  expect(cut).toHaveLength(1)
  // An announcement would be lost here, because the connection is cut.
  await world.sql("update users set subscription_tier = 'premium' where id = $1", [ivan.id])
  await expect.poll(() => line.frames.map(({ type }) => type), { timeout: 6000 }).toContain('account')
  expect((await line.hears('account')).data).toEqual({ what: 'plan' })
  expect(world.log()).toContain('the connection that listens for changes to accounts was lost')
  await gives('ivan', 'free')
  expect((await line.hears('account')).data).toEqual({ what: 'plan' })
  line.hangsUp()
})

test('a plan that another process gives reaches the open pages at once, and nobody else', async () => {
  const [alice, bob] = [await world.person('alice', 'free'), await world.person('bob', 'free')]
  const [first, second, his] = [await alice.opensSocket(), await alice.opensSocket(), await bob.opensSocket()]
  await gives('alice', 'premium')
  for (const line of [first, second]) expect((await line.hears('account')).data).toEqual({ what: 'plan' })
  expect(await alice.does(accountApi.user, {})).toMatchObject({ subscriptionTier: 'premium' })
  expect(await settles(his)).toEqual(['hello', 'pong'])
  // The change is sent once, not again at the next recheck.
  await world.gateway.recheck()
  expect((await settles(first)).filter((type) => type === 'account')).toHaveLength(1)
  for (const line of [first, second, his]) line.hangsUp()
})

test('a right that another process gives reaches the open pages', async () => {
  const carol = await world.person('carol')
  const line = await carol.opensSocket()
  expect(await makeAdmin(elsewhere, 'CAROL')).toBe('carol')
  expect((await line.hears('account')).data).toEqual({ what: 'rights' })
  expect(await carol.does(accountApi.user, {})).toMatchObject({ isAdmin: true })
  expect(await makeAdmin(elsewhere, 'nobody')).toBeUndefined()
  line.hangsUp()
})

test('sessions that another process ends lose their sockets at once; others of the account hear of it', async () => {
  const dave = await world.person('dave')
  const other = await dave.addsBrowser()
  const [his, there] = [await dave.opensSocket(), await other.opensSocket()]
  // Sessions that end on this node close their sockets as well.
  await other.does(accountApi.logout, {})
  expect((await there.closed).code).toBe(4401)
  await his.hears('account', ({ data }) => data.what === 'sessions')
  expect(await endSessions(elsewhere, 'dave')).toEqual({ username: 'dave', count: 1 })
  expect((await his.closed).code).toBe(4401)
  expect(await endSessions(elsewhere, 'nobody')).toBeUndefined()
})

test('a blocked account loses its sockets at once', async () => {
  const frank = await world.person('frank')
  const line = await frank.opensSocket()
  await elsewhere.transaction(async (tx) => {
    await tx.execute(`update users set is_active = false where id = '${frank.id}'`)
    await announceChange(tx, [frank.id], 'block')
  })
  expect((await line.closed).code).toBe(4401)
  expect(await frank.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
})

test('a socket whose device was removed elsewhere is told by which list', async () => {
  const grace = await world.person('grace')
  const laptop = await grace.addsBrowser()
  const line = await laptop.opensSocket()
  // Acts as another node: stores the manifest and deletes the session.
  await world.sql("update manifests set content = 'the newest list' where user_id = $1", [grace.id])
  await elsewhere.transaction(async (tx) => {
    await tx.execute(`delete from sessions where user_id = '${grace.id}' and device_id = '${laptop.deviceId}'`)
    await announceChange(tx, [grace.id], 'sessions')
  })
  expect((await line.hears('signed_out')).data.manifest?.content).toBe('the newest list')
  expect((await line.closed).code).toBe(4401)
})

test('a plan that ends by time, and a name that nobody announced, are told at the next look', async () => {
  const heidi = await world.person('heidi', 'free')
  const first = await heidi.opensSocket()
  await gives('heidi', 'premium', new Date(world.env.clock().getTime() + 60_000))
  // Its announcement has come then, and is none for the next socket.
  await first.hears('account')
  first.hangsUp()
  const line = await heidi.opensSocket()
  await world.gateway.recheck()
  expect(await settles(line)).toEqual(['hello', 'pong'])
  world.passes(61)
  await world.sql("update users set display_name = 'Heidi' where id = $1", [heidi.id])
  await world.gateway.recheck()
  expect((await line.hears('account')).data).toEqual({ what: 'plan' })
  expect((await line.hears('account')).data).toEqual({ what: 'name' })
  line.hangsUp()
})

test('a socket is at the device that has signed for its session last', async () => {
  const ivy = await world.person('ivy')
  const { deviceId } = await ivy.addsBrowser()
  const line = await ivy.opensSocket()
  const isThere = () => [ivy.deviceId, deviceId].map((id) => world.env.hub.isDeviceHere(ivy.id, id))
  expect(isThere()).toEqual([true, false])
  await ivy.proves(deviceId)
  await world.gateway.recheck()
  expect(isThere()).toEqual([false, true])
  line.hangsUp()
})
