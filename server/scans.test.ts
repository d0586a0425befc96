import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { PLANS } from '../contract/money/plans.ts'
import { listContacts } from './chat/contacts/contacts.ts'
import { listMessages } from './chat/messages/pages.ts'
import { unreadCount } from './chat/notifications/notifications.ts'
import { readLog } from './chat/rooms/rooms.ts'
import type { SignedInUser } from './env.ts'
import { startWorld } from './testing/world.ts'

const world = await startWorld()

// What an append reads is counted in chat/rooms/append.test.ts, what a mark reads in stable.test.ts.
test('none of the lists, pages and counts of every day reads through all messages, and a page of contacts is two queries', async () => {
  const { alice, bob } = await world.people()
  const chatRoomId = await alice.talksTo(bob)
  await world.sql(
    `insert into chat_rooms (id, created_by, created_at) select 'r' || n, $1, now() from generate_series(1, 50) n`,
    [alice.id],
  )
  await world.sql(
    `insert into messages (room, seq, id, sender_id, content, message_type, is_encrypted, created_at)
     select number, seq, gen_random_uuid(), $1, 'x', 'text', false, now() from chat_rooms, generate_series(1, 400) seq where name is null and id not like 'dm%'`,
    [alice.id],
  )
  await alice.says(chatRoomId, 'hello')
  await world.sql('analyze')

  const [database] = await world.sql('select current_database() as name')
  const pool = new pg.Pool({ connectionString: inject('clusterUrl').replace('/template?', `/${database?.['name']}?`) })
  onTestFinished(() => pool.end())
  const queries: { sql: string; params: unknown[] }[] = []
  const logger = { logQuery: (sql: string, params: unknown[]) => void queries.push({ sql, params }) }
  const db = drizzle(pool, { logger })
  const env = { ...world.env, db }
  const [session] = await world.sql("select encode(token_hash, 'hex') as hash from sessions where user_id = $1", [bob.id])
  const user: SignedInUser = {
    ...{ id: bob.id, username: 'bob', displayName: 'bob', subscriptionTier: 'premium', rights: PLANS.premium.rights },
    ...{
      isAdmin: false,
      hasKeys: false,
      deviceId: null,
      namedDeviceId: null,
      isAsleep: false,
      isProofDue: false,
      confirmedAt: null,
      sessionHash: (session?.['hash'] as string) ?? '',
    },
  }
  const asked = { limit: 50 }
  // The first reading of an account compares everything once.
  await listContacts(env, user, asked, () => undefined)
  queries.length = 0
  await listContacts(env, user, asked, () => undefined)
  expect(queries).toHaveLength(2)
  await listMessages(env, user, { chatRoomId, limit: 50 })
  await listMessages(env, user, { chatRoomId, after: 0, limit: 50 })
  await readLog(env, user, chatRoomId, 0, 200)
  await unreadCount(env, user)

  const touching = queries.filter(({ sql }) => /\bmessages\b/.test(sql))
  expect(touching.length).toBeGreaterThanOrEqual(4)
  for (const { sql, params } of touching) {
    // The product's own connections would hide a scan: they plan none where any index will do.
    const { rows } = await pool.query<Record<string, string>>(`explain ${sql}`, params)
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).not.toMatch(/Seq Scan on messages/)
  }
  // The check itself is checked: it detects a sequential scan.
  const { rows } = await pool.query<Record<string, string>>("explain select * from messages where content = 'x'")
  expect(rows[0]?.['QUERY PLAN']).toMatch(/Seq Scan on messages/)
})
