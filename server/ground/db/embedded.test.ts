import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { bundle, ended, type Started, start as startProgram, stopAll } from '../../testing/program.ts'
import { defaultDataFolder, findBinaries, serverAccount } from './binaries.ts'
import { runningUrl } from './embedded.ts'
import { isPostgres } from './postmaster.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const base = mkdtempSync(path.join(tmpdir(), 'conclave-start-'))
// If root runs this test, another account runs PostgreSQL and must pass through this folder.
chmodSync(base, 0o711)
// The path is longer than a Unix socket's address may be, and has characters that a shell or a list would misread.
const long = path.join(base, `it's "a, long" path ${'x'.repeat(80)}`)
// Three tests follow each other in one folder, because a new database takes seconds.
const folder = path.join(base, 'short')

beforeAll(() => bundle('embedded-test'))

const start = (dataFolder: string, more: Record<string, string> = {}) =>
  startProgram('embedded-test', { CONCLAVE_DATA: dataFolder, DATABASE_URL: '', ...more })
const postmaster = (dataFolder: string) =>
  Number(readFileSync(path.join(dataFolder, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
const connect = async (dataFolder: string, database: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: await runningUrl(dataFolder, database) })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
/** Kills a PostgreSQL process that serves a connection, and waits until PostgreSQL has ended the others for it. */
const crash = async (dataFolder: string): Promise<void> => {
  const [client, other] = [await connect(dataFolder, 'conclave'), await connect(dataFolder, 'conclave')]
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const isEnded = new Promise((resolve) => other.once('end', resolve))
  process.kill(rows[0]?.pid ?? 0, 'SIGKILL')
  await isEnded
}
/** True if the server holds the lock on its data. */
const isOwned = async (dataFolder: string): Promise<boolean> => {
  const client = await connect(dataFolder, 'postgres')
  const { rowCount } = await client.query(
    "select from pg_locks join pg_database on oid = database where datname = 'postgres' and locktype = 'advisory'",
  )
  await client.end()
  return rowCount === 1
}
const health = async ({ output }: Started) => (await fetch(`${/http\S+/.exec(output)?.[0]}/api/health`)).status

afterAll(() => stopAll().then(() => rmSync(base, { recursive: true, force: true })))

test('one start owns the data: a second one says so, a killed one leaves it to the next, and a stop leaves nothing behind', async () => {
  const [one, two] = await Promise.all([start(long), start(long)])
  const [first, second] = one.exit === null ? [one, two] : [two, one]
  expect(first.output).toMatch(/Conclave is ready at http:\/\/localhost:\d+/)
  expect(second.exit).toBe(1)
  expect(second.output).toMatch(/^(Creating the database \(once\)\.\.\.\n)?Another Conclave is running on the data in [^\n]*\n$/)
  expect(await health(first)).toBe(200)

  const old = postmaster(long)
  first.child.kill('SIGKILL')
  await ended(first.child)
  expect(isPostgres(old)).toBe(true)
  const third = await start(long)
  expect(third.output).toMatch(/ready at/)
  expect(isPostgres(old)).toBe(false)

  const last = postmaster(long)
  third.child.kill('SIGTERM')
  expect(await ended(third.child)).toBe(0)
  expect(isPostgres(last)).toBe(false)
  expect(readdirSync(long).sort()).toEqual(['objects', 'postgres', 'postgres.log'])
}, 60_000)

test('a PostgreSQL that is killed comes back while the server runs, and only its owner can reach it', async () => {
  const server = await start(folder)
  expect(statSync(path.join(folder, 'socket')).mode & 0o777).toBe(0o700)
  expect(statSync(path.join(folder, 'postgres')).mode & 0o077).toBe(0)
  expect(readFileSync(path.join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')[5]).toBe('')
  const old = postmaster(folder)
  process.kill(old, 'SIGKILL')
  await expect.poll(() => health(server), { timeout: 30_000, interval: 100 }).toBe(200)
  await expect.poll(() => postmaster(folder), { timeout: 30_000 }).not.toBe(old)
  server.child.kill('SIGTERM')
  expect(await ended(server.child)).toBe(0)
}, 60_000)

// Elsewhere than on Linux nobody finds what outlives it.
test.runIf(process.platform === 'linux')(
  'a PostgreSQL whose first process is killed comes back, also where another one of it hangs; meanwhile health says that it is away',
  async () => {
    const server = await start(folder)
    const client = await connect(folder, 'conclave')
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const hung = rows[0]?.pid ?? 0
    const old = postmaster(folder)
    process.kill(hung, 'SIGSTOP')
    onTestFinished(() => void (isPostgres(hung) && process.kill(hung, 'SIGKILL')))
    process.kill(old, 'SIGKILL')
    await expect.poll(() => health(server), { interval: 5 }).toBe(503)
    await expect.poll(() => health(server), { timeout: 30_000 }).toBe(200)
    expect(postmaster(folder)).not.toBe(old)
    expect(isPostgres(hung)).toBe(false)
    server.child.kill('SIGTERM')
    expect(await ended(server.child)).toBe(0)
  },
  60_000,
)

test('a crash inside PostgreSQL ends every connection; the data still belongs to the server that runs', async () => {
  const server = await start(folder)
  const owned = postmaster(folder)
  await crash(folder)
  await expect.poll(() => health(server), { timeout: 30_000, interval: 100 }).toBe(200)
  await expect.poll(() => isOwned(folder), { timeout: 30_000 }).toBe(true)
  const second = await start(folder)
  expect(second.output).toMatch(/^(Creating the database \(once\)\.\.\.\n)?Another Conclave is running on the data in /)
  expect(postmaster(folder)).toBe(owned)
  server.child.kill('SIGTERM')
  expect(await ended(server.child)).toBe(0)
}, 60_000)

test('the number of a process that is someone else by now does not stop the start', async () => {
  const server = await start(folder)
  const file = path.join(folder, 'postgres/postmaster.pid')
  const text = readFileSync(file, 'utf8')
  server.child.kill('SIGTERM')
  await ended(server.child)
  expect(existsSync(file)).toBe(false)
  writeFileSync(file, text.replace(/^\d+/, String(process.pid)))
  const again = await start(folder)
  expect(again.output).toMatch(/ready at/)
  again.child.kill('SIGTERM')
  await ended(again.child)
}, 60_000)

test('what cannot be used is said in one line, and the start ends', async () => {
  const taken = createServer()
  await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done))
  const address = taken.address()
  const port = typeof address === 'object' && address ? String(address.port) : ''
  const unused = path.join(base, 'unused')
  const isTaken = `PORT ${port} is taken by another program. Stop it, or set PORT to another number\n`
  expect(await start(unused, { PORT: port })).toMatchObject({ exit: 1, output: isTaken })
  expect(existsSync(unused)).toBe(false)
  // This port is looked at when the database runs, which then stops.
  const isLate = expect.stringMatching(/^(Creating the database \(once\)[.]{3}\n)?METRICS_PORT must be a free port[^\n]*\n$/)
  expect(await start(unused, { METRICS_PORT: port })).toMatchObject({ exit: 1, output: isLate })
  expect(existsSync(path.join(unused, 'postgres/PG_VERSION'))).toBe(true)
  expect(existsSync(path.join(unused, 'postgres/postmaster.pid'))).toBe(false)
  taken.close()
  expect(await start(unused, { PORT: 'x' })).toMatchObject({
    exit: 1,
    output: expect.stringMatching(/^PORT must be a number[^\n]*\n$/),
  })
  if (process.getuid?.() === 0) {
    const closed = path.join(base, 'closed')
    mkdirSync(closed, { mode: 0o700 })
    const refused = await start(path.join(closed, 'data'))
    expect(refused).toMatchObject({
      exit: 1,
      output: expect.stringMatching(/^CONCLAVE_DATA must be a folder that the account \w+ may enter[^\n]*\n$/),
    })
  }
  const away = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' }
  expect(await start(unused, away)).toMatchObject({
    exit: 1,
    output: expect.stringMatching(/^The database does not answer[^\n]*\n$/),
  })
}, 60_000)

// Another account than root runs PostgreSQL itself and passes through no folder of root's.
test.skipIf(!serverAccount())('a default data folder that root has made for itself alone still lets PostgreSQL in', () => {
  const account = serverAccount()
  const home = defaultDataFolder(root)
  const { mode } = statSync(home)
  try {
    chmodSync(home, 0o700)
    findBinaries(root, base, account)
    expect(statSync(home).mode & 0o111).toBe(0o111)
  } finally {
    chmodSync(home, mode)
  }
})
