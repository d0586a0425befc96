import { bigint, index, pgTable } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

const sum = (name: string) => bigint(name, { mode: 'number' }).notNull()

/**
 * By how much the sums of income rise or fall, and at which instant, for all accounts together. Triggers append rows (`../functions/income.sql`), and
 * nobody changes one, so writers never wait for one another. A job makes one row of each day that is over, at its first instant.
 */
export const income = pgTable(
  'income',
  {
    at: at('at').notNull(),
    /** What recurs in a month, in twelfths of a US cent, and what of it is for Premium. */
    recurring: sum('recurring'),
    premium: sum('premium'),
    /** Accounts that have paid for Premium, and were not paid back. */
    subscribers: sum('subscribers'),
    /** What was paid and paid back then, in US cents. */
    paid: sum('paid'),
    refunded: sum('refunded'),
  },
  (table) => [index('income_at').on(table.at)],
)
