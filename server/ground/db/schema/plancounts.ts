import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/**
 * By how much the number of living accounts with a plan of their own rises or falls, and when: an end that lies ahead stands there already. A trigger
 * appends rows (`../functions/rights.sql`), and nobody changes one. A job makes one row a plan of those that count.
 */
export const planCounts = pgTable(
  'plan_counts',
  {
    /** By its name in `plan_rights`. */
    plan: text('plan').notNull(),
    /** `-infinity`: counts already. */
    at: at('at').notNull(),
    people: bigint('people', { mode: 'number' }).notNull(),
  },
  (table) => [index('plan_counts_at').on(table.at)],
)
