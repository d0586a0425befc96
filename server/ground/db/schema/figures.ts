import { bigint, date, integer, pgTable } from 'drizzle-orm/pg-core'

/** Sums of each UTC day over all accounts. A job writes the current day and the one before it. */
export const dailyFigures = pgTable('daily_figures', {
  day: date('day').primaryKey(),
  signUps: integer('sign_ups').notNull(),
  /** Accounts that were here on that day. */
  active: integer('active').notNull(),
  messages: bigint('messages', { mode: 'number' }).notNull(),
  /** Bytes of all uploaded files when it was written last; null if it was never counted. */
  storageBytes: bigint('storage_bytes', { mode: 'number' }),
})
