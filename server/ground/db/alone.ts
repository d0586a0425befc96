import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

/** Any constant. Whoever holds this lock is the one server on the database. */
const SERVER_LOCK = 7_302_117
/** Time for a server that is just stopping. */
const STOPPING_MS = 10_000
const AGAIN_MS = 1000
const RETRY_MS = 100
const CONNECT_MS = 10_000
const CLOSE_MS = 1000
const KEEP_ALIVE_MS = 30_000

// Nothing ends the transaction from PostgreSQL's side but the loss of the connection, which both ends notice within a minute.
const SETTINGS = [
  'begin',
  'set local idle_in_transaction_session_timeout = 0',
  'set local statement_timeout = 0',
  `set local tcp_keepalives_idle = ${KEEP_ALIVE_MS / 1000}`,
  'set local tcp_keepalives_interval = 10',
  'set local tcp_keepalives_count = 3',
].join(';')

/** Another server runs on the same database. */
export class SecondServerError extends Error {
  constructor() {
    super(
      'Another Conclave server runs on this database. Frames do not cross between servers yet, so a second one would leave chats ' +
        'still. Stop the other one first',
    )
    this.name = 'SecondServerError'
  }
}

export interface Alone {
  /** Resolves when another server has taken the database, which it can only after this one's connection was lost. */
  lost: Promise<void>
  release(): Promise<void>
}

interface Held {
  client: pg.Client
  /** PostgreSQL's process for the connection. */
  backend: number
}

/**
 * Takes the database for this process alone, until `release` or the end of the process. Waits 10 s for another server, which may be
 * stopping. Throws SecondServerError.
 */
export async function standAlone(url: string): Promise<Alone> {
  let held = await take(url, STOPPING_MS)
  let isReleased = false
  const lost = new Promise<void>((resolve) => {
    const watch = () => held.client.once('end', () => void (isReleased || again().catch(resolve)))
    /** Tries as long as PostgreSQL does not answer. Throws SecondServerError. */
    const again = async () => {
      while (!isReleased) {
        try {
          held = await take(url, AGAIN_MS, held.backend)
          if (isReleased) return await held.client.end()
          return void watch()
        } catch (error) {
          if (error instanceof SecondServerError) throw error
          await wait(RETRY_MS)
        }
      }
    }
    watch()
  })
  return {
    lost,
    async release() {
      isReleased = true
      // A suspended PostgreSQL does not answer; the end of the process releases the lock too.
      await Promise.race([held.client.end().catch(() => undefined), wait(CLOSE_MS, undefined, { ref: false })])
    },
  }
}

/** Opens a connection that holds the lock. `left` is the process of one that broke, which PostgreSQL may not have noticed yet. */
async function take(url: string, waitMs: number, left?: number): Promise<Held> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'conclave server',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
  })
  client.on('error', () => undefined)
  await client.connect()
  try {
    if (left !== undefined) await client.query(END_HOLDER, [SERVER_LOCK, left])
    await client.query(`${SETTINGS}; set local lock_timeout = ${waitMs}`)
    // A pooler in transaction mode leaves a session's lock to whoever comes next; a transaction keeps its connection. It must hold no
    // snapshot, which would keep dead rows from the vacuum: a statement with parameters leaves its own behind.
    const { rows } = await client.query<{ backend: number }>(
      `select pg_advisory_xact_lock(${SERVER_LOCK}), pg_backend_pid() as backend`,
    )
    return { client, backend: rows[0]?.backend ?? 0 }
  } catch (error) {
    await client.end().catch(() => undefined)
    throw isLockTimeout(error) ? new SecondServerError() : error
  }
}

const END_HOLDER = `select pg_terminate_backend(pid) from pg_locks
  where locktype = 'advisory' and granted and classid = 0 and objid = $1::bigint::oid and objsubid = 1 and pid = $2
    and database = (select oid from pg_database where datname = current_database())`

const isLockTimeout = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === '55P03'
