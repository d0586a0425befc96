import { randomInt } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { expect, inject, test, vi } from 'vitest'
import { connect, isDatabaseAway } from './connect.ts'

test('connections that break before their transaction begins do not use up the pool', async () => {
  const { db, pool, close } = connect(inject('clusterUrl').replace('/template?', '/postgres?'))
  const cut = (client: { end: () => Promise<void> }) => void client.end()
  pool.on('acquire', cut)
  for (let time = 0; time < 20; time++) await expect(db.transaction(async () => 'never')).rejects.toThrow()
  pool.off('acquire', cut)
  expect(pool.totalCount).toBe(0)
  expect(await db.transaction(async (tx) => (await tx.execute(sql`select 1 as one`)).rows)).toEqual([{ one: 1 }])
  await close()
})

test('while nothing is asked, as many connections stay open as small flushes go out at once', async () => {
  const { pool, close } = connect(inject('clusterUrl').replace('/template?', '/postgres?'))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  await Promise.all(Array.from({ length: 6 }, () => pool.query('select pg_sleep(0.05)')))
  expect(pool.totalCount).toBe(6)
  vi.advanceTimersByTime(60_000)
  vi.useRealTimers()
  expect(pool.totalCount).toBe(4)
  await close()
})

test('one of two that wait for each other is told to try again', async () => {
  const { pool, close } = connect(inject('clusterUrl').replace('/template?', '/postgres?'))
  const [one, two] = [await pool.connect(), await pool.connect()]
  const [first, second] = [randomInt(2 ** 32), randomInt(2 ** 32)]
  const lock = (client: typeof one, key: number) => client.query('select pg_advisory_xact_lock($1)', [key])
  for (const client of [one, two]) await client.query('begin')
  await lock(one, first)
  await lock(two, second)
  const ends = await Promise.allSettled([lock(one, second), lock(two, first)])
  const failed = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  expect(failed).toMatchObject([{ code: '40P01' }])
  expect(failed.map(isDatabaseAway)).toEqual([true])
  for (const client of [one, two]) {
    await client.query('rollback')
    client.release()
  }
  await close()
})
