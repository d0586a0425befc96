import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundle, ended, start as startProgram, stopAll } from '../../testing/program.ts'
import { startWorld } from '../../testing/world.ts'
import { standAlone } from './alone.ts'

// The server of this process is no second one: only a program that starts takes the lock.
const world = await startWorld()
const { databaseUrl } = world
const SENTENCE =
  'Another Conclave server runs on this database. Frames do not cross between servers yet, so a second one would leave chats still. Stop the other one first'

const locks = `from pg_locks where locktype = 'advisory' and objid = 7302117 and objsubid = 1
  and database = (select oid from pg_database where datname = current_database())`
const waiting = async () => (await world.sql(`select 1 ${locks} and not granted`)).length
const holder = async () => (await world.sql(`select pid ${locks} and granted`))[0]?.['pid']
const dropHolder = () => world.sql(`select pg_terminate_backend(pid) ${locks} and granted`)
const start = () => startProgram('alone-test', { DATABASE_URL: databaseUrl })

beforeAll(() => bundle('alone-test'))
afterAll(stopAll)

test('a second server refuses and says why, and waits for one that is stopping', async () => {
  const first = await start()
  expect(first.output).toMatch(/ready at/)
  expect(await start()).toMatchObject({ exit: 1, output: `${SENTENCE}\n` })
  expect(first.exit).toBeNull()

  const third = start()
  await expect.poll(waiting, { timeout: 30_000 }).toBe(1)
  first.child.kill('SIGTERM')
  expect(await ended(first.child)).toBe(0)
  expect((await third).output).toMatch(/ready at/)

  // Nobody needs to wait for one that was killed.
  const { child } = await third
  child.kill('SIGKILL')
  await ended(child)
  const next = await start()
  expect(next.output).toMatch(/ready at/)

  // It takes the lock again where nobody else waits for it, and ends where somebody has it.
  const before = await holder()
  await dropHolder()
  await expect.poll(async () => ![undefined, before].includes(await holder()), { timeout: 30_000 }).toBe(true)
  const last = start()
  await expect.poll(waiting, { timeout: 30_000 }).toBe(1)
  await dropHolder()
  expect((await last).output).toMatch(/ready at/)
  expect(await ended(next.child)).toBe(1)
  expect(next.output).toContain(`${SENTENCE}\n`)
  const { child: left } = await last
  left.kill('SIGTERM')
  expect(await ended(left)).toBe(0)
  expect(await holder()).toBeUndefined()
}, 90_000)

test('a connection that only PostgreSQL believes in is no other server', async () => {
  const { port, cut } = await between()
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.port = String(port)
  url.hostname = '127.0.0.1'
  const alone = await standAlone(url.href)
  const before = await holder()
  expect(before).toBeDefined()
  cut()
  await expect.poll(async () => ![undefined, before].includes(await holder()), { timeout: 10_000 }).toBe(true)
  await alone.release()
  await expect.poll(holder).toBeUndefined()
})

test('a held lock keeps no dead row from the vacuum', async () => {
  const alone = await standAlone(databaseUrl)
  const backend = await world.sql('select backend_xmin, backend_xid from pg_stat_activity where pid = $1', [await holder()])
  expect(backend).toEqual([{ backend_xmin: null, backend_xid: null }])
  await alone.release()
})

/** Stands between a server and PostgreSQL. `cut` ends what comes from the server, of which PostgreSQL hears nothing. */
async function between() {
  const url = new URL(databaseUrl)
  const socketPath = path.join(url.searchParams.get('host') ?? '', `.s.PGSQL.${url.port}`)
  const sockets = new Set<Socket>()
  const upstream = new Set<Socket>()
  const proxy = createServer((socket) => {
    const postgres = connect(socketPath)
    socket.on('error', () => undefined).on('data', (chunk) => postgres.write(chunk))
    postgres.on('error', () => undefined).on('data', (chunk) => socket.write(chunk))
    sockets.add(socket)
    upstream.add(postgres)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  afterAll(() => {
    proxy.close()
    for (const socket of [...sockets, ...upstream]) socket.destroy()
  })
  const address = proxy.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    cut: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}
