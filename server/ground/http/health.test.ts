import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { portOf, startWorld } from '../../testing/world.ts'
import { connect } from '../db/connect.ts'

const world = await startWorld()
const ask = () => world.stranger().request('GET', '/api/health')

/** Points the server at the database of this address until the test ends. */
function withDatabaseAt(url: string): void {
  const { db } = world.env
  const other = connect(url)
  world.env.db = other.db
  onTestFinished(() => {
    world.env.db = db
    void other.close()
  })
}

/** Opens a port that accepts connections and sends nothing, as a suspended PostgreSQL does. */
async function silentPort(): Promise<{ port: number; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { port: portOf(server.address()), sockets }
}

const away = {
  error: 'The server runs, but its database does not answer',
  retryAfterSeconds: 2,
  details: { process: 'ok', database: 'away' },
}

test('health tells a database that is gone from a process that is', async () => {
  withDatabaseAt('postgres://nobody@127.0.0.1:1/nothing')
  const answer = await ask()
  expect(answer).toBeRefused(503, 'unavailable')
  expect(answer.body).toMatchObject(away)
  expect(answer.headers.get('retry-after')).toBe('2')
  expect((await world.stranger().request('GET', '/api/openapi.json')).status).toBe(200)
})

test('a database that is silent is told within 3 seconds, and asked once for all who ask', async () => {
  const { port, sockets } = await silentPort()
  withDatabaseAt(`postgres://nobody@127.0.0.1:${port}/nothing`)
  const startedMs = performance.now()
  for (const answer of await Promise.all(Array.from({ length: 20 }, ask))) expect(answer.body).toMatchObject(away)
  expect(performance.now() - startedMs).toBeLessThan(3000)
  expect(sockets.size).toBe(1)
})

test('whether the server works is told without a look-up of the session that asks', async () => {
  const alice = await world.person('alice')
  const { findSession } = world.env
  world.env.findSession = () => Promise.reject(new Error('A look-up that nobody needs'))
  onTestFinished(() => {
    world.env.findSession = findSession
  })
  expect(await alice.request('GET', '/api/health')).toMatchObject({ status: 200 })
})

test('a failure is logged with its route, code and time, once a second; what is refused only for those who debug', async () => {
  withDatabaseAt('postgres://nobody@127.0.0.1:1/nothing')
  const before = world.log().length
  // Two seconds after whatever was logged before, and as long as this lasts.
  const nowMs = performance.now() + 2000
  const clock = vi.spyOn(performance, 'now').mockReturnValue(nowMs)
  onTestFinished(() => clock.mockRestore())
  for (let at = 0; at < 5; at++) await ask()
  await world.stranger().request('GET', '/api/user')
  const lines: unknown[] = world
    .log()
    .slice(before)
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const [warn, debug] = [40, 20]
  const one = { reqId: expect.stringMatching(/^req-/), method: 'GET', ms: expect.any(Number) }
  const failure = { ...one, route: '/api/health', status: 503, code: 'unavailable' }
  const refusal = { ...one, level: debug, route: '/api/user', status: 401, code: 'not_signed_in' }
  expect(lines).toEqual([
    expect.objectContaining({ ...failure, level: warn }),
    ...Array(4).fill(expect.objectContaining({ ...failure, level: debug })),
    expect.objectContaining(refusal),
  ])
})
