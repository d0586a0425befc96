import { once } from 'node:events'
import { createConnection, createServer, type Socket } from 'node:net'
import { afterAll, expect, inject, onTestFinished, test } from 'vitest'
import { portOf, startWorld } from '../../testing/world.ts'
import { announceChange, type Change, followChanges } from './changes.ts'
import { connect } from './connect.ts'

const { databaseUrl } = await startWorld()
const { db, close } = connect(databaseUrl)
afterAll(close)
const socketFolder = new URL(inject('clusterUrl')).searchParams.get('host') ?? ''
const [alice, bob] = [crypto.randomUUID(), crypto.randomUUID()]

/** Starts a follower and collects the changes that it receives. */
async function follower(url: string) {
  const received: Change[] = []
  const states: string[] = []
  const stop = await followChanges(url, {
    onChange: (change) => received.push(change),
    onPresence: () => undefined,
    onOpen: () => states.push('open'),
    onLost: () => states.push('lost'),
  })
  return { received, states, stop }
}

test('a change is heard after COMMIT, and one that was taken back never', async () => {
  const { received, stop } = await follower(databaseUrl)
  await db
    .transaction(async (tx) => {
      await announceChange(tx, [alice], 'plan')
      throw new Error('taken back')
    })
    .catch(() => undefined)
  await db.transaction(async (tx) => {
    await announceChange(tx, [bob], 'sessions')
    await announceChange(db, [bob], 'name')
    await expect.poll(() => received).toEqual([{ userId: bob, what: 'name' }])
  })
  await expect.poll(() => received).toHaveLength(2)
  expect(received[1]).toEqual({ userId: bob, what: 'sessions' })
  await stop()
})

test('an announcement holds the account and the kind of change, and nothing else', async () => {
  const { pool, close } = connect(databaseUrl)
  const client = await pool.connect()
  const payloads: unknown[] = []
  client.on('notification', ({ payload }) => payloads.push(payload))
  await client.query('listen conclave_accounts')
  await announceChange(db, [alice], 'block')
  await expect.poll(() => payloads).toEqual([JSON.stringify({ userId: alice, what: 'block' })])
  client.release(true)
  await close()
})

test('what others write into the channel is passed over', async () => {
  const { received, stop } = await follower(databaseUrl)
  for (const text of ['', 'x', 'null', '{}', `{"userId":"${alice}","what":"else"}`, `{"userId":"' or 1=1","what":"plan"}`])
    await db.execute(`select pg_notify('conclave_accounts', '${text.replaceAll("'", "''")}')`)
  await announceChange(db, [alice], 'plan')
  await expect.poll(() => received).toEqual([{ userId: alice, what: 'plan' }])
  await stop()
})

test('a lost connection is told once and made again, as often as it takes, and what comes then is heard', async () => {
  const proxy = await openProxy()
  const { received, states, stop } = await follower(proxy.url)
  await announceChange(db, [alice], 'plan')
  await expect.poll(() => received).toHaveLength(1)
  proxy.cut()
  await expect.poll(() => states).toEqual(['open', 'lost'])
  await announceChange(db, [alice], 'rights')
  await expect.poll(() => proxy.refused()).toBeGreaterThan(2)
  expect(states).toEqual(['open', 'lost'])
  proxy.restore()
  await expect.poll(() => states, { timeout: 10_000 }).toEqual(['open', 'lost', 'open'])
  await announceChange(db, [bob], 'plan')
  await expect
    .poll(() => received)
    .toEqual([
      { userId: alice, what: 'plan' },
      { userId: bob, what: 'plan' },
    ])
  await stop()
  proxy.cut()
})

test('a database that is away at the start does not keep the server from starting, and stopping ends the attempts', async () => {
  const proxy = await openProxy()
  proxy.cut()
  const { states, stop } = await follower(proxy.url)
  await expect.poll(() => states).toEqual(['lost'])
  await stop()
  proxy.restore()
  expect(states).toEqual(['lost'])
  proxy.cut()
})

/** Opens a TCP proxy to the database. Once it is cut, it closes each connection at once, until it is restored. */
async function openProxy() {
  const sockets = new Set<Socket>()
  let isCut = false
  let refused = 0
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    if (isCut) {
      refused += 1
      return socket.destroy()
    }
    const upstream = createConnection(`${socketFolder}/.s.PGSQL.5432`).on('error', () => undefined)
    sockets.add(socket.on('close', () => upstream.destroy()))
    upstream.on('close', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return {
    url: `postgres://conclave@127.0.0.1:${portOf(server.address())}${new URL(databaseUrl).pathname}`,
    /** How many connections it has closed since it was cut first. */
    refused: () => refused,
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
    restore() {
      isCut = false
    },
  }
}
