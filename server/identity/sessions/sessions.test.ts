import { createHash } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { type Change, followChanges } from '../../ground/db/changes.ts'
import { sessions } from '../../ground/db/schema/sessions.ts'
import { hashOfToken } from '../../ground/http/cookie.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { deleteExpiredSessions, endSessionsOf, originOf, startSession } from './sessions.ts'

const world = await startWorld()
const DAY = 24 * 60 * 60

test('a session that is used lives on, until its last day', async () => {
  const alice = await world.person('alice')
  for (let day = 0; day < 88; day += 8) {
    expect((await alice.tries(accountApi.user, {})).status, `day ${day}`).toBe(200)
    world.passes(8 * DAY)
  }
  world.passes(3 * DAY)
  expect(await alice.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
})

test('a session that nobody uses for two weeks is over', async () => {
  const bob = await world.person('bob')
  world.passes(LIMITS.sessionIdleSeconds - 60)
  expect((await bob.tries(accountApi.user, {})).status).toBe(200)
  world.passes(LIMITS.sessionIdleSeconds)
  expect(await bob.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
})

test('using a session writes at most once in five minutes', async () => {
  const carol = await world.person('carol')
  const lastUsed = async () =>
    (await world.sql('select last_used_at from sessions where user_id = $1', [carol.id]))[0]?.['last_used_at']
  const before = await lastUsed()
  world.passes(4 * 60)
  await carol.does(accountApi.user, {})
  expect(await lastUsed()).toEqual(before)
  world.passes(2 * 60)
  await carol.does(accountApi.user, {})
  expect(await lastUsed()).not.toEqual(before)
})

test('using a session marks its device as seen, and no other', async () => {
  const dora = await world.person('dora')
  await dora.addsBrowser()
  const seen = async () => await world.sql('select id, last_seen_at from devices where user_id = $1 order by added_at', [dora.id])
  const [hers, other] = await seen()
  world.passes(4 * 60)
  await dora.does(accountApi.user, {})
  expect(await seen()).toEqual([hers, other])
  world.passes(2 * 60)
  const now = world.env.clock()
  await dora.does(accountApi.user, {})
  const [later, same] = await seen()
  expect(Number(later?.['last_seen_at'])).toBeGreaterThanOrEqual(now.getTime())
  expect(same).toEqual(other)
})

test('the database holds no token, only its hash', async () => {
  const dave = await world.person('dave')
  const token = dave.cookie?.split('=')[1] ?? ''
  expect(token).toMatch(/^[\w-]{43}$/)
  const rows = await world.sql('select * from sessions where user_id = $1', [dave.id])
  expect(rows).toHaveLength(1)
  expect(rows[0]?.['token_hash']).toEqual(createHash('sha256').update(token).digest())
  expect(JSON.stringify(rows)).not.toContain(token)
})

test('a blocked account is signed out, and a made-up token opens nothing', async () => {
  const eve = await world.person('eve')
  await world.sql('update users set is_active = false where id = $1', [eve.id])
  expect(await eve.tries(accountApi.user, {})).toBeRefused(401, 'not_signed_in')
  for (const cookie of ['conclave_session=', `conclave_session=${'A'.repeat(43)}`, 'conclave_session=%00', 'x'.repeat(4000)]) {
    expect(await world.stranger().request('GET', '/api/user', { headers: { cookie } })).toBeRefused(401, 'not_signed_in')
  }
})

test('a session that is begun over a foreign onion service, which reaches the direct listener, is one of an onion service', () => {
  const host = (name: string) => originOf({ headers: { host: name }, ingress: 'direct' }).ingress
  expect([`${'a'.repeat(56)}.onion`, `${'a'.repeat(56)}.onion:80`, 'chat.example.org', 'x.onion.example.org'].map(host)).toEqual([
    ...['onion', 'onion', 'direct', 'direct'],
  ])
  expect(originOf({ headers: {}, ingress: 'onion' }).ingress).toBe('onion')
})

test('ending the other sessions keeps this one and closes the sockets of the others', async () => {
  const frank = await world.person('frank')
  const line = await frank.opensSocket()
  const { token } = await startSession(world.env, frank.id, { ...originOf({ headers: {}, ingress: 'direct' }), deviceId: null })
  const kept = await world.env.findSession(hashOfToken(token))
  await endSessionsOf(world.env, frank.id, kept?.sessionHash)
  // The socket closes at once, without waiting for the gateway's next check.
  await line.hears('signed_out')
  expect((await line.closed).code).toBe(4401)
  expect(await frank.tries(accountApi.user, {})).toBeRefused(401)
  expect(await world.env.findSession(hashOfToken(token))).toMatchObject({ id: frank.id })
})

test('who asks at the same time is answered as oneself, and Eve with a session that has ended is not answered', async () => {
  const people = await Promise.all(['grace', 'heidi', 'ivan'].map((name) => world.person(name)))
  const gone = await world.person('eve')
  await endSessionsOf(world.env, gone.id)
  const answers = await Promise.all(
    Array.from({ length: 40 }, async (_, at) => {
      const asking = people[at % 4] ?? gone
      return { asking, answer: await asking.tries(accountApi.user, {}) }
    }),
  )
  for (const { asking, answer } of answers) {
    if (asking === gone) expect(answer).toBeRefused(401, 'not_signed_in')
    else expect(answer).toMatchObject({ status: 200, body: { id: asking.id } })
  }
})

test('sessions that are over by time are deleted by the clock, their sockets close, and the others stay', async () => {
  const [judy, mike] = await Promise.all(['judy', 'mike'].map((name) => world.person(name)))
  if (!judy || !mike) throw new Error('Nobody is there')
  const count = async (person: Person) =>
    (await world.sql('select count(*)::int as count from sessions where user_id = $1', [person.id]))[0]?.['count']
  const other = await judy.addsBrowser()
  world.passes(LIMITS.sessionIdleSeconds - 60)
  // Their devices sign.
  await judy.contacts()
  await other.does(contactsApi.list, {})
  const [kept, line] = await Promise.all([judy.opensSocket(), other.opensSocket()])
  await world.jobs.runDue()
  expect([await count(judy), await count(mike)]).toEqual([2, 1])
  world.passes(60)
  const hash = hashOfToken(other.cookie?.split('=')[1] ?? '')
  await world.sql("update sessions set expires_at = $2 where token_hash = decode($1, 'hex')", [hash, world.env.clock()])
  // The end is announced, so that sockets close on every node at once, not at its next check.
  const announced: Change[] = []
  const stop = await followChanges(world.databaseUrl, {
    onChange: (change) => announced.push(change),
    onPresence: () => undefined,
    onOpen: () => undefined,
    onLost: () => undefined,
  })
  await deleteExpiredSessions(world.env)
  await expect.poll(() => announced).toEqual(expect.arrayContaining([{ userId: judy.id, what: 'sessions' }]))
  await stop()
  expect((await line.closed).code).toBe(4401)
  expect(await count(judy)).toBe(1)
  expect(await count(mike)).toBe(0)
  expect((await judy.tries(accountApi.user, {})).status).toBe(200)
  expect(kept.frames.map((frame) => frame.type)).not.toContain('signed_out')
  // A session that is in use ends too at its absolute limit.
  for (let day = 14; day < 90; day += 8) {
    world.passes(8 * DAY)
    await judy.tries(accountApi.user, {})
  }
  await world.jobs.runDue()
  expect(await count(judy)).toBe(0)
  expect((await kept.closed).code).toBe(4401)
})

test('more expired sessions than one piece holds are deleted piece by piece, and one that is being written to is left', async () => {
  const nina = await world.person('nina')
  await world.sql(
    `insert into sessions (token_hash, user_id, created_at, last_used_at, expires_at)
     select sha256(n::text::bytea), $1, $2, $2, $2 from generate_series(1, 1001) n`,
    [nina.id, new Date(world.env.clock().getTime() - 1000)],
  )
  const left = async () => await world.env.db.$count(sessions, eq(sessions.userId, nina.id))
  await world.env.db.transaction(async (tx) => {
    await tx.execute(sql`select from sessions where token_hash = sha256('1'::bytea) for update`)
    expect(await deleteExpiredSessions(world.env)).toBe(true)
    expect(await deleteExpiredSessions(world.env)).toBe(false)
    expect(await left()).toBe(2)
  })
  expect(await deleteExpiredSessions(world.env)).toBe(false)
  expect(await left()).toBe(1)
  expect((await nina.tries(accountApi.user, {})).status).toBe(200)
})
