import { sql } from 'drizzle-orm'
import { expect, inject, test } from 'vitest'
import { connect } from './connect.ts'

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
