import { DrizzleQueryError, sql } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'

export type Db = NodePgDatabase

export type Queryable = Db | Parameters<Parameters<Db['transaction']>[0]>[0]

export interface Database {
  db: Db
  url: string
  pool: pg.Pool
  close(): Promise<void>
}

export const ping = (db: Queryable): Promise<unknown> => db.execute(sql`select 1`)

const INT8 = pg.types.builtins.INT8

/** Equals the small flushes at a time (`rooms/batch.ts`). */
const KEPT_CONNECTIONS = 4

/** Idle time before the first TCP probe. */
const KEEP_ALIVE_MS = 30_000

const OPTIONS = [
  '-c timezone=UTC -c lock_timeout=10s -c statement_timeout=30s -c idle_in_transaction_session_timeout=30s',
  // A named statement keeps the plan of an empty table, so plans must not scan. No JIT: a forced scan only looks dear.
  '-c enable_seqscan=off -c jit=off',
  // No cache: keys do not come twice.
  '-c enable_memoize=off',
]

/** In raw SQL a bigint is a number, and a timestamp is not ISO 8601. */
export function connect(url: string, onLost: (error: Error) => void = () => undefined): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 16,
    // A new connection delays the first writer.
    min: KEPT_CONNECTIONS,
    // Some networks drop quiet connections silently.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: 5000,
    options: OPTIONS.join(' '),
    types: {
      getTypeParser: (oid, format) => (oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format)),
    },
  })
  // An unhandled error would end the process.
  pool.on('error', onLost)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = drizzle(pool)
  db.transaction = onOwnConnection(pool)
  return { db, url, pool, close: () => pool.end() }
}

/** Drizzle itself leaks a connection whose BEGIN fails. */
function onOwnConnection(pool: pg.Pool): Db['transaction'] {
  const sessions = new WeakMap<pg.PoolClient, Db>()
  return async (work, config) => {
    const client = await pool.connect()
    try {
      const session = sessions.get(client) ?? drizzle(client)
      sessions.set(client, session)
      return await session.transaction(work, config)
    } finally {
      client.release()
    }
  }
}

// Class 08: connection; 53: resources, disk; 57P: shutdown.
const LOST_STATES = /^(08|53|57P)/
// A lock or a statement that took too long, a deadlock.
const SLOW_STATES = /^(55P03|57014|40P01)/
const LOST_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])
const LOST_WORDS = /timeout exceeded when trying to connect|Connection terminated|not queryable|after calling end/

/** True if the caller should try again. */
export const isDatabaseAway = (error: unknown): boolean => isConnectionLost(error) || SLOW_STATES.test(codeOf(causeOf(error)))

export const isDeadlock = (error: unknown): boolean => codeOf(causeOf(error)) === '40P01'

/** True if other queries fail now too. */
export function isConnectionLost(error: unknown): boolean {
  const cause = causeOf(error)
  const code = codeOf(cause)
  if (code === '') return cause instanceof Error && LOST_WORDS.test(cause.message)
  return LOST_CODES.has(code) || (code.length === 5 && LOST_STATES.test(code))
}

const causeOf = (error: unknown): unknown => (error instanceof DrizzleQueryError ? error.cause : error)
const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
