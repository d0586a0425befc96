import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'

/** Any constant. The lock's holder is the one server on the database. */
const SERVER_LOCK = 7_302_117
/** Time for a server that is just stopping. */
const STOPPING_MS = 10_000
const AGAIN_MS = 1000
const RETRY_MS = 100
const CONNECT_MS = 10_000
const CLOSE_MS = 1000
const KEEP_ALIVE_MS = 30_000

// Only a lost connection ends the transaction, within a minute.
const SETTINGS = [
  'begin',
  'set local idle_in_transaction_session_timeout = 0',
  'set local statement_timeout = 0',
  `set local tcp_keepalives_idle = ${KEEP_ALIVE_MS / 1000}`,
  'set local tcp_keepalives_interval = 10',
  'set local tcp_keepalives_count = 3',
].join(';')

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
  /** Resolves when another server has taken over. */
  lost: Promise<void>
  release(): Promise<void>
}

interface Held {
  client: pg.Client
  backend: number
}

/** Waits 10 s for a stopping server. Throws SecondServerError. */
export async function standAlone(url: string): Promise<Alone> {
  let held = await take(url, STOPPING_MS)
  let isReleased = false
  const lost = new Promise<void>((resolve) => {
    const watch = () => held.client.once('end', () => void (isReleased || again().catch(resolve)))
    /** Throws SecondServerError. */
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
      await Promise.race([held.client.end().catch(() => undefined), wait(CLOSE_MS, undefined, { ref: false })])
    },
  }
}

/** `left` is a broken connection's process, which PostgreSQL may still keep. */
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
    // A pooler keeps a transaction's connection. A parameter would leave a snapshot, which keeps dead rows from the vacuum.
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
