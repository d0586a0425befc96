import { DrizzleQueryError, sql } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'

export type Db = NodePgDatabase

/** `Db`, or the transaction that `db.transaction` passes to its callback. */
export type Queryable = Db | Parameters<Parameters<Db['transaction']>[0]>[0]

export interface Database {
  db: Db
  /** The address that the pool was opened with. */
  url: string
  /** The pool behind `db`, for statements outside Drizzle. */
  pool: pg.Pool
  close(): Promise<void>
}

/** Runs an empty query. Throws if the database does not answer. */
export const ping = (db: Queryable): Promise<unknown> => db.execute(sql`select 1`)

const INT8 = pg.types.builtins.INT8

/** Connections that stay open while nothing is asked: as many as small flushes of messages go out at once (`rooms/batch.ts`). */
const KEPT_CONNECTIONS = 4

/** Idle time of a connection after which the system sends the first TCP keepalive probe. */
const KEEP_ALIVE_MS = 30_000

const OPTIONS = [
  '-c timezone=UTC -c lock_timeout=10s -c statement_timeout=30s -c idle_in_transaction_session_timeout=30s',
  // A plan that is made while a table is empty scans it whole, and a named statement keeps that plan while the table grows. Where no
  // index helps, a scan is still made: it only looks dear, for which no plan shall be compiled.
  '-c enable_seqscan=off -c jit=off',
  // Rows are looked up by keys that do not come twice, so a memory of what was looked up only costs.
  '-c enable_memoize=off',
]

/**
 * Opens a pool. Columns of the schema have their declared types (Date, number, Buffer); a bigint in raw SQL is a number. Drizzle
 * returns a timestamp in raw `execute` as text that is not ISO 8601: read it through a column or `mapWith(column)`.
 */
export function connect(url: string, onLost: (error: Error) => void = () => undefined): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 16,
    // A new connection plans each statement anew, the append longest: whoever writes first on a quiet server would wait for that.
    min: KEPT_CONNECTIONS,
    // Some networks drop a quiet connection without telling either end. A statement on such a connection waits until it times out.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    connectionTimeoutMillis: 5000,
    options: OPTIONS.join(' '),
    types: {
      getTypeParser: (oid, format) => (oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format)),
    },
  })
  // The pool replaces an idle connection that breaks. Without a listener its error would end the process.
  pool.on('error', onLost)
  // A connection that breaks inside a transaction emits an error too. The next query on it fails with that error.
  pool.on('connect', (client) => client.on('error', () => undefined))
  const db = drizzle(pool)
  db.transaction = onOwnConnection(pool)
  return { db, url, pool, close: () => pool.end() }
}

/** Runs a transaction and always releases its connection. Drizzle itself leaks a connection whose BEGIN fails. */
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
// Lock timeout and statement timeout.
const SLOW_STATES = /^(55P03|57014)/
const LOST_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])
const LOST_WORDS = /timeout exceeded when trying to connect|Connection terminated|not queryable|after calling end/

/** True if the database did not answer or timed out, so that the caller should try again. */
export const isDatabaseAway = (error: unknown): boolean => isConnectionLost(error) || SLOW_STATES.test(codeOf(causeOf(error)))

/** True if the database did not answer at all, so that other queries fail now too. */
export function isConnectionLost(error: unknown): boolean {
  const cause = causeOf(error)
  const code = codeOf(cause)
  if (code === '') return cause instanceof Error && LOST_WORDS.test(cause.message)
  return LOST_CODES.has(code) || (code.length === 5 && LOST_STATES.test(code))
}

const causeOf = (error: unknown): unknown => (error instanceof DrizzleQueryError ? error.cause : error)
const codeOf = (cause: unknown): string =>
  cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
