import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import path from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import pino from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { makeApp } from '../../app.ts'
import { makeBatch } from '../../chat/rooms/batch.ts'
import { createHub } from '../../ground/realtime/hub.ts'
import { newBrowser } from '../../testing/browser.ts'
import type { Person } from '../../testing/person.ts'
import type { TestSocket } from '../../testing/socket.ts'
import { portOf, startWorld } from '../../testing/world.ts'
import { keepPresence } from './presence.ts'

const world = await startWorld()
const LEASE_SECONDS = 30

async function pair(): Promise<{ alice: Person; bob: Person }> {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  await alice.talksTo(bob)
  return { alice, bob }
}

/** What a person's list shows of somebody, by both routes. */
async function sees(who: Person, other: Person) {
  const [row] = (await who.contacts()).filter(({ contactUserId }) => contactUserId === other.id)
  const [listed] = (await who.does(roomsApi.list, {})).rooms.filter(({ people }) => people[0]?.id === other.id)
  const { isOnline, lastSeen } = row?.contactUser ?? {}
  expect(listed?.people[0]).toMatchObject({ isOnline, lastSeen })
  return { isOnline, lastSeen }
}

const opens = async (who: Pick<Person, 'opensSocket'>): Promise<TestSocket> => {
  const line = await who.opensSocket()
  onTestFinished(() => line.hangsUp())
  return line
}

/** One more server on the same database, in this process. */
async function secondNode() {
  const { env, pool, databaseUrl } = world
  const own = { hub: createHub(), node: randomUUID(), batch: makeBatch({ pool, clock: env.clock }) }
  const log = pino({ level: 'silent' })
  const { http, presence } = await makeApp({ ...env, ...own }, { log, database: { pool, url: databaseUrl } })
  await http.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => http.close())
  const url = `http://127.0.0.1:${portOf(http.server.address())}`
  const opensSocket = async (who: Person) => {
    const browser = newBrowser(url)
    browser.cookie = who.cookie
    return await opens(browser)
  }
  return { presence, opensSocket, close: () => http.close(), node: own.node }
}

test('somebody with two devices and several tabs is online until the last tab of the last device is closed', async () => {
  const { alice, bob } = await pair()
  const hers = await opens(alice)
  const laptop = await bob.addsBrowser()
  const lines = [await opens(bob), await opens(bob), await opens(laptop)]
  expect((await hers.hears('presence')).data).toEqual({ userId: bob.id, isOnline: true, lastSeen: null })
  for (const line of lines) {
    expect(await sees(alice, bob)).toEqual({ isOnline: true, lastSeen: null })
    line.hangsUp()
    await line.closed
  }
  const { data } = await hers.hears('presence')
  expect(data).toEqual({ userId: bob.id, isOnline: false, lastSeen: expect.any(String) })
  expect(await sees(alice, bob)).toEqual({ isOnline: false, lastSeen: data.lastSeen })
  expect(hers.frames.filter(({ type }) => type === 'presence')).toHaveLength(2)
})

test('whom a killed server has left as online is away after half a minute, last seen while it lived, and the others are told', async () => {
  const { alice, bob } = await pair()
  const hers = await opens(alice)
  const server = spawn(process.execPath, ['--import', 'tsx', path.resolve(import.meta.dirname, '../../testing/killable.ts')], {
    env: { ...process.env, DATABASE_URL: world.databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void server.kill('SIGKILL'))
  const [line] = await once(server.stdout, 'data')
  const browser = newBrowser(String(line).trim())
  browser.cookie = bob.cookie
  await browser.opensSocket()
  expect((await hers.hears('presence')).data).toMatchObject({ userId: bob.id, isOnline: true })
  server.kill('SIGKILL')
  await once(server, 'exit')
  const diedAt = world.env.clock().getTime()
  await world.presence.beat()
  expect(await sees(alice, bob)).toMatchObject({ isOnline: true })
  const { counter } = await alice.does(roomsApi.list, {})
  world.passes(LEASE_SECONDS + 1)
  await world.presence.beat()
  const { isOnline, lastSeen } = (await hers.hears('presence')).data
  expect(isOnline).toBe(false)
  expect(Math.abs(diedAt - Date.parse(lastSeen ?? ''))).toBeLessThan(15_000)
  expect(await sees(alice, bob)).toEqual({ isOnline, lastSeen })
  // Whoever was away meanwhile is answered the row.
  const { rooms } = await alice.does(roomsApi.list, { since: counter ?? '' })
  expect(rooms).toMatchObject([{ people: [{ id: bob.id, isOnline: false }] }])
  expect(await world.sql('select id from server_nodes')).toEqual([{ id: world.env.node }])
})

test('a server that starts or stops beside another one sets nobody offline there, and people of both see each other', async () => {
  const { alice, bob } = await pair()
  const hers = await opens(alice)
  const here = await opens(bob)
  await hers.hears('presence')
  const other = await secondNode()
  expect(await sees(alice, bob)).toMatchObject({ isOnline: true })
  const there = await other.opensSocket(bob)
  const { data } = await hers.hears('presence')
  expect(data).toMatchObject({ userId: bob.id, isOnline: true })
  // He leaves one of the two.
  here.hangsUp()
  await here.closed
  await expect.poll(() => world.sql('select nodes from presence where user_id = $1', [bob.id])).toEqual([{ nodes: [other.node] }])
  expect(await sees(alice, bob)).toMatchObject({ isOnline: true })
  expect((await hers.hears('presence')).data).toMatchObject({ userId: bob.id, isOnline: true })
  expect(hers.frames.filter((frame) => frame.type === 'presence' && !frame.data.isOnline)).toEqual([])
  there.hangsUp()
  expect((await hers.hears('presence', (frame) => !frame.data.isOnline)).data.lastSeen).toEqual(expect.any(String))
  // The other one stops while he is there.
  await other.opensSocket(bob)
  await hers.hears('presence')
  await other.close()
  await hers.hears('presence', (frame) => !frame.data.isOnline)
  expect(await world.sql('select id from server_nodes')).toEqual([{ id: world.env.node }])
})

test('a server that the others have taken for dead brings its people back', async () => {
  const { alice, bob } = await pair()
  const other = await secondNode()
  const hers = await opens(alice)
  await other.opensSocket(bob)
  await hers.hears('presence')
  world.passes(LEASE_SECONDS + 1)
  await world.presence.beat()
  expect((await hers.hears('presence')).data.isOnline).toBe(false)
  await other.presence.beat()
  expect((await hers.hears('presence')).data.isOnline).toBe(true)
  expect(await sees(alice, bob)).toMatchObject({ isOnline: true })
  await world.presence.beat()
  expect(await sees(alice, bob)).toMatchObject({ isOnline: true })
  expect(await sees(bob, alice)).toMatchObject({ isOnline: true })
})

test('somebody who left while the database did not take it is away after the next beat, not for as long as the server lives', async () => {
  const { alice, bob } = await pair()
  const hers = await opens(alice)
  const line = await opens(bob)
  await hers.hears('presence')
  await world.sql('alter table presence rename to presence_away')
  line.hangsUp()
  await line.closed
  await expect.poll(() => world.log()).toContain('42P01')
  await world.sql('alter table presence_away rename to presence')
  expect(await sees(alice, bob)).toMatchObject({ isOnline: true })
  await world.presence.beat()
  expect((await hers.hears('presence')).data).toMatchObject({ userId: bob.id, isOnline: false })
  expect(await sees(alice, bob)).toMatchObject({ isOnline: false })
})

test('no message waits for somebody who comes or goes, and nobody who comes waits for a message', async () => {
  const { alice, bob } = await pair()
  const [room] = (await alice.does(roomsApi.list, {})).rooms
  await (await opens(alice)).hears('hello')
  await expect.poll(() => world.sql('select 1 as one from presence where user_id = $1', [alice.id])).toEqual([{ one: 1 }])
  const client = new pg.Client({ connectionString: world.databaseUrl })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query('select from presence where user_id = $1 for update', [alice.id])
  expect(await alice.says(room?.chatRoomId ?? '', 'while her presence is written')).toMatchObject({ seq: 1 })
  await client.query('rollback; begin')
  // The lock that an append takes of its sender.
  await client.query('select from users where id = $1 for no key update', [bob.id])
  await opens(bob)
  await expect.poll(() => sees(alice, bob)).toMatchObject({ isOnline: true })
  await client.query('rollback')
})

test('a change of presence is one statement', async () => {
  const { bob } = await pair()
  const queries: string[] = []
  const pool = new pg.Pool({ connectionString: world.databaseUrl })
  onTestFinished(() => pool.end())
  const db = drizzle(pool, { logger: { logQuery: (query) => void queries.push(query) } })
  const presence = keepPresence({ ...world.env, db, hub: { ...world.env.hub, isHere: () => true } })
  await presence.moved(bob.id)
  expect(queries).toHaveLength(1)
  // A thousand who come back after a restart are one too.
  await Promise.all(Array.from({ length: 1000 }, () => presence.moved(randomUUID())))
  expect(queries.length).toBeLessThanOrEqual(3)
  expect(await world.sql("select nodes <> '{}' as online from presence where user_id = $1", [bob.id])).toEqual([{ online: true }])
})

test('Eve sees nothing of strangers, of somebody who has not accepted her, or of who has removed her: by no route, no frame, no counter', async () => {
  const { alice, bob } = await pair()
  const eve = await world.person('eve')
  const { chatRoomId } = await eve.adds(bob)
  const eves = await opens(eve)
  await world.settles()
  const { counter } = await eve.does(roomsApi.list, {})
  for (let turn = 0; turn < 2; turn++) {
    const line = await opens(bob)
    await expect.poll(() => sees(alice, bob)).toMatchObject({ isOnline: true })
    expect(await sees(eve, bob)).toEqual({ isOnline: false, lastSeen: null })
    line.hangsUp()
    await expect.poll(() => sees(alice, bob)).toMatchObject({ isOnline: false, lastSeen: expect.any(String) })
  }
  expect(await sees(eve, bob)).toEqual({ isOnline: false, lastSeen: null })
  expect((await eve.does(roomsApi.list, { ids: chatRoomId })).rooms[0]?.people[0]).toMatchObject({
    isOnline: false,
    lastSeen: null,
  })
  expect(JSON.stringify(await eve.does(contactsApi.list, {}))).not.toMatch(/"isOnline":true|"lastSeen":"/)
  const since = await eve.does(roomsApi.list, { since: counter ?? '' })
  expect(since.rooms.map((row) => row.chatRoomId)).toEqual([])
  expect(eves.frames.filter(({ type }) => type === 'presence')).toEqual([])

  // Bob has seen Alice online. She removes him: to him she seems to leave, and he hears nothing of her any more.
  const [hers, his] = [await opens(alice), await opens(bob)]
  await expect.poll(() => sees(bob, alice)).toMatchObject({ isOnline: true })
  const [contact] = await alice.contacts()
  await alice.does(contactsApi.remove, { contactId: contact?.id ?? '' })
  expect((await his.hears('presence', (frame) => !frame.data.isOnline)).data).toEqual({
    ...{ userId: alice.id, isOnline: false, lastSeen: expect.any(String) },
  })
  const count = his.frames.filter(({ type }) => type === 'presence').length
  hers.hangsUp()
  await hers.closed
  await expect.poll(() => world.sql('select nodes from presence where user_id = $1', [alice.id])).toEqual([{ nodes: [] }])
  his.says({ type: 'ping', data: {} })
  await his.hears('pong')
  expect(his.frames.filter(({ type }) => type === 'presence')).toHaveLength(count)
  expect(await sees(bob, alice)).toEqual({ isOnline: false, lastSeen: null })
})
