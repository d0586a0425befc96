import { DrizzleQueryError } from 'drizzle-orm'
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import * as schema from './schema.ts'

export type Db = NodePgDatabase<typeof schema>

/** `Db`, or the transaction that `db.transaction` hands to its callback. */
export type Queryable = Db | Parameters<Parameters<Db['transaction']>[0]>[0]

export interface Database {
  db: Db
  /** Any other statement: migrations' lock, health, tests. */
  pool: pg.Pool
  close(): Promise<void>
}

const INT8 = pg.types.builtins.INT8

/**
 * Opens a pool. Columns of the schema come back as their types say (Date, number, Buffer); a bigint in raw SQL is a number.
 * Drizzle leaves a timestamp in raw `execute` as text that is no ISO 8601: read it through a column or `mapWith(column)`.
 */
export function connect(url: string, onLost: (error: Error) => void = () => undefined): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: 16,
    connectionTimeoutMillis: 5000,
    options: '-c timezone=UTC -c lock_timeout=10s -c statement_timeout=30s -c idle_in_transaction_session_timeout=30s',
    types: {
      getTypeParser: (oid, format) => (oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format)),
    },
  })
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', onLost)
  return { db: drizzle(pool, { schema }), pool, close: () => pool.end() }
}

// Class 08: connection; 53: resources, disk; 57P: shutdown; 55P03 and 57014: waited too long.
const BUSY_STATES = /^(08|53|57P|55P03|57014)/
const BUSY_CODES = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN'])
const BUSY_WORDS = /timeout exceeded when trying to connect|Connection terminated|not queryable|after calling end/

/** The database did not answer, or is too busy to: nobody's mistake, worth another try. */
export function isDatabaseAway(error: unknown): boolean {
  const cause = error instanceof DrizzleQueryError ? error.cause : error
  if (!(cause instanceof Error)) return false
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : ''
  return BUSY_CODES.has(code) || (code.length === 5 && BUSY_STATES.test(code)) || (code === '' && BUSY_WORDS.test(cause.message))
}
