import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { openNumber, sealNumber } from '../../chat/rooms/token.ts'
import { checkProviderDaily } from '../../money/check/checks.ts'
import { cardsOf } from '../../testing/cards.ts'
import { takeCopy } from '../../testing/restored.ts'
import { idOf, removesFile, uploadsFile } from '../../testing/sealed.ts'
import { startWorld } from '../../testing/world.ts'
import { markRestored, takeLock } from './store.ts'

const world = await startWorld()
const client = new pg.Client({ connectionString: world.databaseUrl })
await client.connect()
afterAll(() => client.end())

const mark = (from: Date, skips = { receipts: 1000, addresses: 100 }) => markRestored(client, { from, skips })

test('what was paid after the copy is found again within a minute of the start, though the check of that day was made', async () => {
  const { free, buys, tierOf } = cardsOf(world)
  const [walk, alice] = [checkProviderDaily(), await free()]
  const walks = async () => {
    world.passes(11 * 60)
    while (await walk(world.env));
  }
  await walks()
  const restores = await takeCopy(world)
  await buys(alice, 'premium')
  await restores()
  await walks()
  expect(await tierOf(alice)).toBe('free')
  await mark(new Date())
  await walks()
  expect(await tierOf(alice)).toBe('premium')
}, 60_000)

test('numbers of receipts and addresses of coins that may have been given since are passed over, in each year since; nothing else counts further', async () => {
  const year = new Date().getUTCFullYear()
  await world.sql("delete from receipt_counters; insert into receipt_counters values ('ledger', 7)")
  await world.sql('insert into receipt_counters values ($1, 5), ($2, 3)', [`TEST-${year - 1}`, String(year - 1)])
  await world.sql("insert into crypto_indexes (chain, next_index) values ('bitcoin', 4)")
  const counters = () => world.sql('select name, value::int from receipt_counters order by name')
  await mark(new Date(`${year - 1}-12-31T23:00:00Z`), { receipts: 0, addresses: 0 })
  expect(await counters()).toHaveLength(3)
  await mark(new Date(`${year - 1}-12-31T23:00:00Z`))
  expect(Object.fromEntries((await counters()).map(({ name, value }) => [name, value]))).toEqual({
    ...{ ledger: 7, [year - 1]: 1003, [`TEST-${year - 1}`]: 1005 },
    ...{ [year]: 1000, [`TEST-${year}`]: 1000 },
  })
  expect(await world.sql('select next_index::int as next from crypto_indexes')).toEqual([{ next: 104 }])
})

test('the key of the room list’s counters goes, so that a counter of before is refused and the list is read anew; other keys stay', async () => {
  await world.sql("insert into server_secrets values ('inbox', 'a'), ('salt', 'b') on conflict do nothing")
  await mark(new Date())
  expect(await world.sql("select name from server_secrets where name in ('inbox', 'salt')")).toEqual([{ name: 'salt' }])
  const alice = await world.person('alice')
  const since = (await alice.does(roomsApi.list, {})).counter ?? ''
  const number = openNumber(world.env.inboxKey, alice.id, since) ?? 0
  expect(await alice.tries(roomsApi.list, { since })).toMatchObject({ status: 200 })
  expect(await alice.tries(roomsApi.list, { since: sealNumber(new Uint8Array(32), alice.id, number) })).toBeRefused(410)
})

test('while a backup runs no file is deleted, because it may still have to be copied', async () => {
  const alice = await world.person('alice')
  const id = idOf(await uploadsFile(alice))
  const backup = new pg.Client({ connectionString: world.databaseUrl })
  await backup.connect()
  await takeLock(backup)
  expect(await removesFile(alice, id)).toMatchObject({ status: 200 })
  const sweeps = async () => {
    world.passes(60)
    await world.jobs.runDue()
    return (await world.env.bucket.get(id))?.destroy() !== undefined
  }
  expect(await sweeps()).toBe(true)
  await backup.end()
  await expect.poll(sweeps).toBe(false)
})
