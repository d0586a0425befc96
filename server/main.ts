import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
import pino from 'pino'
import { hasAdministrator } from './admin/users.ts'
import { makeApp } from './app.ts'
import { openBucket } from './chat/files/openBucket.ts'
import { makeMarkBatch } from './chat/messages/markBatch.ts'
import { makePushQueue } from './chat/push/queue.ts'
import { makeRings } from './chat/push/rings.ts'
import { newVapidKey } from './chat/push/vapid.ts'
import { makeBatch } from './chat/rooms/batch.ts'
import { gatherMembers } from './chat/rooms/membership.ts'
import type { Env } from './env.ts'
import { readFault } from './fault.ts'
import { SecondServerError, standAlone } from './ground/db/alone.ts'
import { defaultDataFolder } from './ground/db/binaries.ts'
import { connect } from './ground/db/connect.ts'
import { createDatabase } from './ground/db/create.ts'
import { DataInUseError, startPostgres } from './ground/db/embedded.ts'
import { migrate } from './ground/db/migrate.ts'
import { OwnerError, requireOtherOwner } from './ground/db/owner.ts'
import { readSecret } from './ground/db/secrets.ts'
import { logIncident } from './ground/http/errors.ts'
import { makeLimits, noLimits } from './ground/http/limits.ts'
import { measureCardErrors, measureCardEvents, measureFlushes, measureServer } from './ground/metrics/measures.ts'
import { makeMetrics } from './ground/metrics/metrics.ts'
import { serveMetrics } from './ground/metrics/port.ts'
import { OnionError } from './ground/onion/onionError.ts'
import { openOnion } from './ground/onion/openOnion.ts'
import { makeMail } from './ground/outbound/mail.ts'
import { makeOutbound } from './ground/outbound/outbound.ts'
import { createHub } from './ground/realtime/hub.ts'
import { openRelay } from './ground/relay/openRelay.ts'
import { gatherSessions } from './identity/sessions/liveSessions.ts'
import { openCoins } from './money/coins/openCoins.ts'
import { openCard } from './money/payments/openCard.ts'
import { type Config, ConfigError, readConfig } from './settings/config.ts'

const DATABASE = 'conclave'
const DRAIN_MS = 10_000
/** After a restart all clients reconnect at once. One that the full backlog rejects retries only seconds later. */
const BACKLOG = 4096
const root = path.resolve(import.meta.dirname, '..')

try {
  await start()
} catch (error) {
  console.error(explain(error))
  process.exit(1)
}

async function start(): Promise<void> {
  const config = readConfig(process.env)
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }))
  // Node would print the error's message, which may contain people's text.
  process.on('uncaughtException', (error) => {
    logIncident(log, error, 'uncaught')
    console.error('Conclave ended because of a mistake of its own; the log says where')
    process.exit(1)
  })

  await tryPort(config)
  const data = await openData(config)
  try {
    // Before the migration, so that a newer version changes no tables below an older one.
    const alone = await standAlone(data.url)
    const { owner } = config
    await migrate(owner?.url ?? data.url, path.join(root, 'server/ground/db'), { serverRole: owner?.serverRole })
    if (owner) await requireOtherOwner(data.url)
    const database = connect(data.url, (error) => log.warn({ name: error.name }, 'a database connection was lost'))
    const clock = () => new Date()
    const fault = config.nodeEnv === 'production' ? undefined : readFault(process.env['CONCLAVE_FAULT'])
    const metrics = config.metricsPort === undefined ? undefined : makeMetrics()
    const countCardError = metrics && measureCardErrors(metrics)
    const env: Env = {
      config,
      db: database.db,
      clock,
      hub: createHub(),
      node: randomUUID(),
      batch: makeBatch({ pool: database.pool, clock, fault, onFlush: metrics && measureFlushes(metrics) }),
      marks: makeMarkBatch({ pool: database.pool, clock }),
      push: makePushQueue(),
      rings: makeRings(clock),
      bucket: await openBucket(config, root),
      card: await openCard(config.card, database.db, clock, {
        warn: (details, text) => log.warn(details, text),
        note: (failure) => {
          if (failure.type !== 'card_error') log.warn({ ...failure }, 'an error of the card provider')
          countCardError?.(failure.type)
        },
        noteEvent: metrics && measureCardEvents(metrics),
        asksAccount: true,
      }),
      outbound: makeOutbound({ isGuarded: config.isOutboundGuarded }),
      mail: makeMail(config.mail, (why) => log.warn(why, 'the mail server did not take a mail')),
      coins: openCoins(config.coins, clock, (chain, why) =>
        log.warn({ chain, why }, 'a node of coins does not answer as it should'),
      ),
      relay: openRelay(config.relay, clock),
      onion: openOnion(config, {
        dataFolder: config.dataFolder ?? defaultDataFolder(root),
        // The server's own log is silent while it begins to listen.
        log: log.child({}, { level: config.logLevel }),
      }),
      limits: config.hasRateLimits ? makeLimits(clock) : noLimits,
      findSession: gatherSessions({ db: database.db, clock }),
      isMember: gatherMembers(database.db),
      saltKey: await readSecret(database.db, 'salt'),
      nameKey: await readSecret(database.db, 'names'),
      guaranteeKey: await readSecret(database.db, 'guarantees'),
      challengeKey: await readSecret(database.db, 'challenge'),
      inboxKey: await readSecret(database.db, 'inbox'),
      uploadKey: await readSecret(database.db, 'uploads'),
      vapidKey: await readSecret(database.db, 'vapid', newVapidKey),
      ...(fault && { fault }),
    }
    if (metrics && config.metricsPort !== undefined) {
      measureServer(metrics, env, database)
      await serveMetrics(metrics, config.metricsPort, config.metricsHost)
    }
    const clientFolder = path.join(root, 'dist/client')
    const releaseFolder = config.releaseFolder ?? path.join(root, 'release')
    const { http, jobs, open } = await makeApp(env, { log, metrics, database, clientFolder, releaseFolder })
    const stop = stopOnce(async () => {
      // A request that does not end must not delay the shutdown forever.
      setTimeout(() => http.server.closeAllConnections(), DRAIN_MS).unref()
      await http.close()
      await database.close()
      await alone.release()
      await data.stop()
    })
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(0))
    alone.lost.then(() => {
      console.error(explain(new SecondServerError()))
      stop(1)
    })
    // After the start no answer of the database may end the server.
    const isLed = await hasAdministrator(database.db)
    // Before the server listens: where Tor is required, nobody is answered without.
    await env.onion.start(open)
    // Fastify would log a second line about listening.
    log.level = 'silent'
    await http.listen({ port: config.port, host: config.host, backlog: BACKLOG })
    log.level = config.logLevel
    jobs.start()
    const address = http.server.address()
    const port = typeof address === 'object' && address ? address.port : config.port
    const url = config.publicUrl?.origin ?? `http://localhost:${port}`
    console.log(`Conclave is ready at ${url}`)
    for (const { chain, address } of await env.coins.firstAddresses())
      console.log(`Coins: the first address of ${chain} is ${address}. Compare it with your wallet`)
    if (config.card.why) console.log(config.card.why)
    // Nobody waits for it, and a server without it is whole.
    env.relay.start().catch((error: unknown) => logIncident(log, error, 'the relay on this machine'))
    if (!isLed) console.log(`It has no administrator yet: sign up, then open ${url}/admin, which says how to become one`)
  } catch (error) {
    // PostgreSQL, if it is stopped here, ends the connections.
    log.level = 'silent'
    await data.stop()
    throw error
  }
}

/** Listens for a moment: who cannot be reached at PORT needs no database. Throws as listening does. */
async function tryPort({ port, host }: Config): Promise<void> {
  const probe = createServer().listen(port, host)
  await once(probe, 'listening')
  probe.close()
  await once(probe, 'close')
}

/** Returns the database of DATABASE_URL, or starts the PostgreSQL that npm brings. */
async function openData(config: Config): Promise<{ url: string; stop: () => Promise<void> }> {
  if (config.databaseUrl !== undefined) return { url: config.databaseUrl, stop: async () => undefined }
  const cluster = await startPostgres({
    root,
    dataFolder: config.dataFolder ?? defaultDataFolder(root),
    say: (line) => console.error(line),
  })
  await createDatabase(cluster.url('postgres'), DATABASE)
  return { url: cluster.url(DATABASE), stop: cluster.stop }
}

function stopOnce(stop: () => Promise<void>): (code: number) => void {
  let isStopping = false
  return (code) => {
    if (isStopping) return
    isStopping = true
    stop().then(
      () => process.exit(code),
      (error: unknown) => {
        console.error(explain(error))
        process.exit(1)
      },
    )
  }
}

/** Describes a failed start in one line. */
function explain(error: unknown): string {
  for (const expected of [ConfigError, DataInUseError, SecondServerError, OnionError, OwnerError])
    if (error instanceof expected) return error.message
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'EADDRINUSE') {
    const port = error instanceof Error && 'port' in error ? `${error.port} ` : ''
    return `PORT ${port}is taken by another program. Stop it, or set PORT to another number`
  }
  if (code === 'EACCES')
    return `${error instanceof Error ? error.message : error}. The account that runs Conclave may not do that`
  if (code === 'ECONNREFUSED' || code === 'ENOTFOUND')
    return 'The database does not answer: DATABASE_URL must name a PostgreSQL that runs'
  return `Conclave could not start: ${error instanceof Error ? error.message : String(error)}`
}
