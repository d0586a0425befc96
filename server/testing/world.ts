import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import pino from 'pino'
import { afterAll, inject, onTestFinished, TestRunner, vi } from 'vitest'
import type { Tier } from '../../contract/money/plans.ts'
import { type App, makeApp } from '../app.ts'
import { openFolder } from '../chat/files/folder.ts'
import { makeMarkBatch } from '../chat/messages/markBatch.ts'
import { makePushQueue } from '../chat/push/queue.ts'
import { makeRings } from '../chat/push/rings.ts'
import { newVapidKey } from '../chat/push/vapid.ts'
import { makeBatch } from '../chat/rooms/batch.ts'
import { gatherMembers } from '../chat/rooms/membership.ts'
import type { Env } from '../env.ts'
import { connect } from '../ground/db/connect.ts'
import { readSecret } from '../ground/db/secrets.ts'
import { makeLimits, noLimits } from '../ground/http/limits.ts'
import type { Pace } from '../ground/http/pace.ts'
import { measureFlushes, measureServer } from '../ground/metrics/measures.ts'
import type { Metrics } from '../ground/metrics/metrics.ts'
import { type OnionOptions, openOnion } from '../ground/onion/openOnion.ts'
import { makeMail } from '../ground/outbound/mail.ts'
import { makeOutbound } from '../ground/outbound/outbound.ts'
import { createHub } from '../ground/realtime/hub.ts'
import { openRelay } from '../ground/relay/openRelay.ts'
import { gatherSessions } from '../identity/sessions/liveSessions.ts'
import { openCoins } from '../money/coins/openCoins.ts'
import { openCard } from '../money/payments/openCard.ts'
import { type Listener, readConfig } from '../settings/config.ts'
import { type Browser, newBrowser } from './browser.ts'
import { newPerson, type Person } from './person.ts'

interface Options {
  /** Settings as environment variables, such as PUBLIC_URL and TRUST_PROXY. */
  variables?: Record<string, string>
  /** True for the real rate limits; false for none. */
  hasLimits?: boolean
  clientFolder?: string
  releaseFolder?: string
  metrics?: Metrics
  /** Adds calls for this test alone. */
  plant?: (app: FastifyInstance, env: Env) => void
  /** Limits on slow requests; the product's by default. */
  pace?: Pace
  /** A database that the test has made; a new one by default. */
  at?: string
  /** Starts the onion service that the variables want. */
  onion?: Partial<OnionOptions>
}

export interface World {
  /** The address without a slash at its end. */
  url: string
  env: Env
  /** The pool behind `env.db`. */
  pool: pg.Pool
  /** The database's address, for connections of another process. */
  databaseUrl: string
  gateway: App['gateway']
  /** Who is online here. It beats when a test calls `beat`, and every 10 s. */
  presence: App['presence']
  /** The calls. They are looked at when a test calls `look`, and every second. */
  calls: App['calls']
  /** The jobs, which run only when a test calls `runDue`. */
  jobs: App['jobs']
  /** Runs any statement and returns its rows. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>
  /** Resolves once so many statements wait for a lock. */
  lockWaits(count?: number): Promise<void>
  /**
   * Waits until whatever was open in the whole cluster has ended, other tests' transactions too: while something is open, the room list
   * answers the changes after it again.
   */
  settles(): Promise<void>
  /** Keeps the cluster's own vacuum away from the tables: it changes the statistics by which statements are planned. */
  stopsVacuum(): Promise<void>
  /** Moves the clock forward. */
  passes(seconds: number): void
  /** The server's log, at level debug. */
  log(): string
  /** Makes new accounts for Alice, Bob, Carol and Eve, signed in, on premium by default. */
  people(tier?: Tier): Promise<Record<'alice' | 'bob' | 'carol' | 'eve', Person>>
  person(name: string, tier?: Tier): Promise<Person>
  /** A client that is not signed in. */
  stranger(): Browser
  /** Opens one more listener, on a free port or a Unix socket. Returns the port; 0 for a Unix socket. */
  opens(listener: Listener, socketPath?: string): Promise<number>
}

/** Shorter than the product's, because nothing else is waited for. */
const PUSH_DELAY_MS = 50

/** Starts the real server on a free port, with its own database and clock. It ends with the test that has started it, or with the file. */
export async function startWorld({
  variables = {},
  hasLimits = false,
  clientFolder,
  releaseFolder,
  metrics,
  plant,
  pace,
  at,
  onion,
}: Options = {}): Promise<World> {
  const databaseUrl = at ?? (await freshDatabase())
  const database = connect(databaseUrl)
  let movedMs = 0
  const clock = () => new Date(Date.now() + movedMs)
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const log = pino({ level: 'silent' }, sink)
  const config = readConfig({ PORT: '0', NODE_ENV: 'test', ...variables })
  const env: Env = {
    config,
    db: database.db,
    clock,
    hub: createHub(),
    node: randomUUID(),
    batch: makeBatch({ pool: database.pool, clock, onFlush: metrics && measureFlushes(metrics) }),
    marks: makeMarkBatch({ pool: database.pool, clock }),
    push: makePushQueue(PUSH_DELAY_MS),
    rings: makeRings(clock),
    bucket: await openFolder(await mkdtemp(path.join(tmpdir(), 'conclave-objects-'))),
    card: await openCard(config.card, database.db, clock),
    outbound: makeOutbound({ isGuarded: config.isOutboundGuarded }),
    mail: makeMail(config.mail, (why) => log.warn(why, 'the mail server did not take a mail')),
    coins: openCoins(config.coins, clock),
    relay: openRelay(config.relay, clock),
    onion: openOnion(config, { dataFolder: await mkdtemp(path.join(tmpdir(), 'onion-')), log, ...onion }),
    limits: hasLimits ? makeLimits(clock) : noLimits,
    findSession: gatherSessions({ db: database.db, clock }),
    isMember: gatherMembers(database.db),
    saltKey: await readSecret(database.db, 'salt'),
    nameKey: await readSecret(database.db, 'names'),
    guaranteeKey: await readSecret(database.db, 'guarantees'),
    challengeKey: await readSecret(database.db, 'challenge'),
    inboxKey: await readSecret(database.db, 'inbox'),
    uploadKey: await readSecret(database.db, 'uploads'),
    vapidKey: await readSecret(database.db, 'vapid', newVapidKey),
  }
  if (metrics) measureServer(metrics, env, database)
  const { http, gateway, presence, calls, jobs, open } = await makeApp(env, {
    ...{ log, metrics, database },
    ...(clientFolder && { clientFolder }),
    ...(releaseFolder && { releaseFolder }),
    ...(pace && { pace }),
  })
  plant?.(http, env)
  await http.listen({ port: 0, host: '127.0.0.1' })
  log.level = 'debug'
  atEnd(async () => {
    await http.close()
    await database.close()
  })
  if (onion) await env.onion.start(open)

  const port = portOf(http.server.address())
  const url = `http://127.0.0.1:${port}`
  const [origin = url] = env.config.direct.origins(port)
  const sql = async (text: string, values: unknown[] = []) => (await database.pool.query(text, values)).rows
  const waiting = "from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
  const lockWaits = (count = 1) =>
    vi.waitUntil(async () => (await sql(`select ${waiting}`)).length >= count, { timeout: 30_000, interval: 10 })
  const counts = new Map<string, number>()
  const person = async (name: string, tier: Tier = 'premium') => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const someone = await newPerson(url, count === 1 ? name : `${name}_${count}`, origin)
    await sql('update users set subscription_tier = $1 where id = $2', [tier, someone.id])
    return someone
  }
  return {
    url,
    env,
    pool: database.pool,
    databaseUrl,
    gateway,
    presence,
    calls,
    jobs,
    sql,
    lockWaits: async (count) => void (await lockWaits(count)),
    settles: async () => {
      const [{ next } = {}] = await sql('select pg_snapshot_xmax(pg_current_snapshot())::text as next')
      const isOver = async () => {
        const [row] = await sql('select pg_snapshot_xmin(pg_current_snapshot()) >= $1::xid8 as over', [next])
        return row?.['over'] === true
      }
      await vi.waitUntil(isOver, { timeout: 30_000, interval: 10 })
    },
    stopsVacuum: async () => {
      for (const { tablename } of await sql("select tablename from pg_tables where schemaname = 'public'"))
        await sql(`alter table "${tablename}" set (autovacuum_enabled = off)`)
    },
    person,
    passes: (seconds) => {
      movedMs += seconds * 1000
    },
    log: () => lines.join(''),
    async people(tier) {
      const [alice, bob, carol, eve] = await Promise.all([
        person('alice', tier),
        person('bob', tier),
        person('carol', tier),
        person('eve', tier),
      ])
      return { alice, bob, carol, eve }
    },
    stranger: () => newBrowser(url, origin),
    async opens(listener, socketPath) {
      const server = open(listener)
      atEnd(() => void server.close())
      await once(socketPath === undefined ? server.listen(0, '127.0.0.1') : server.listen(socketPath), 'listening')
      return socketPath === undefined ? portOf(server.address()) : 0
    },
  }
}

/** Calls `end` after the test that runs, or after the file where none does. */
function atEnd(end: () => unknown): void {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await end()))
  else afterAll(async () => void (await end()))
}

/** Copies the migrated template and returns the copy's address. */
async function freshDatabase(): Promise<string> {
  const template = inject('clusterUrl')
  const name = `test_${randomBytes(8).toString('hex')}`
  const client = new pg.Client({ connectionString: template.replace('/template?', '/postgres?') })
  await client.connect()
  await client.query(`create database ${name} template template`)
  await client.end()
  return template.replace('/template?', `/${name}?`)
}

/** The port of a listening server. */
export function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address.port
}
