import { drizzle } from 'drizzle-orm/node-postgres'
import { expect, onTestFinished, test } from 'vitest'
import { roomsApi } from '../contract/chat/rooms.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { PLANS } from '../contract/money/plans.ts'
import { listContacts } from './chat/contacts/contacts.ts'
import { listNotifications } from './chat/notifications/notifications.ts'
import { readList } from './chat/rooms/readList.ts'
import type { Env, SignedInUser } from './env.ts'
import { connect } from './ground/db/connect.ts'
import { writePresence } from './people/presence/store.ts'
import { plants, settles } from './testing/crowded.ts'
import type { Person } from './testing/person.ts'
import { startWorld } from './testing/world.ts'

const world = await startWorld()

const BLOCKS = `
  select sum(pg_stat_get_xact_blocks_fetched(oid))::int as blocks from pg_class where relnamespace = 'public'::regnamespace`

/** Counts the blocks that a call reads, the second time. What it writes is taken back. */
async function counter() {
  const database = connect(world.databaseUrl)
  const client = await database.pool.connect()
  onTestFinished(async () => {
    client.release()
    await database.close()
  })
  const read = async () => (await client.query<{ blocks: number }>(BLOCKS)).rows[0]?.blocks ?? 0
  const env = { ...world.env, db: drizzle(client) }
  return async (call: (env: Env) => Promise<unknown>, change = 'select 1') => {
    let blocks = 0
    for (let time = 0; time < 2; time++) {
      await client.query('begin')
      await client.query(change)
      const before = await read()
      await call(env)
      blocks = (await read()) - before
      await client.query('rollback')
    }
    return blocks
  }
}

const userOf = async ({ id }: Person): Promise<SignedInUser> => {
  const [session] = await world.sql("select encode(token_hash, 'hex') as hash from sessions where user_id = $1", [id])
  return {
    ...{ id, username: 'somebody', displayName: 'Somebody', subscriptionTier: 'premium', rights: PLANS.premium.rights },
    ...{
      isAdmin: false,
      hasKeys: true,
      deviceId: null,
      namedDeviceId: null,
      isAsleep: false,
      isProofDue: false,
      confirmedAt: null,
    },
    sessionHash: String(session?.['hash']),
  }
}

test('a page, what is new, notifications, contacts and an arrival read as little with 5,000 rooms as with 10', async () => {
  const people: { who: Person; rooms: string[] }[] = []
  for (const count of [10, 1000, LIMITS.contactsMax]) {
    const who = await world.person('somebody')
    people.push({ who, rooms: await plants(world, who, count) })
  }
  for (const { who } of people) await settles(world, who)
  await world.sql('vacuum analyze')
  const blocksOf = await counter()
  const here = people.map(({ who }) => who.id)
  const read: Record<string, number[]> = {}
  for (const { who, rooms } of people) {
    const user = await userOf(who)
    const since = (await who.does(roomsApi.list, {})).counter ?? ''
    const change = `update chat_participants set muted_until = now() where chat_room_id = '${rooms[0]}' and user_id = '${who.id}'`
    const note = async (call: string, blocks: Promise<number>) => {
      read[call] = [...(read[call] ?? []), await blocks]
    }
    await note(
      'page',
      blocksOf((env) => readList(env, user, { limit: 10 })),
    )
    await note(
      'nothing new',
      blocksOf((env) => readList(env, user, { limit: 10, since })),
    )
    await note(
      'one change',
      blocksOf((env) => readList(env, user, { limit: 10, since }), change),
    )
    await note(
      'notifications',
      blocksOf((env) => listNotifications(env, user, { before: undefined, limit: 9 })),
    )
    await note(
      'contacts',
      blocksOf((env) => listContacts(env, user, { limit: 10 }, () => undefined)),
    )
    await note(
      'arrival',
      blocksOf((env) => writePresence(env.db, env.node, [who.id], [true], { now: env.clock(), here })),
    )
  }
  for (const [call, [least = 0, ...more]] of Object.entries(read))
    for (const blocks of more) expect(blocks, `${call}: ${least} blocks with 10 rooms`).toBeLessThanOrEqual(1.5 * least)
}, 300_000)
