import { integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/** The last result of each check of money, by name. */
export const moneyChecks = pgTable('money_checks', {
  name: text('name').$type<'ledger' | 'provider'>().primaryKey(),
  finishedAt: at('finished_at').notNull(),
  looked: integer('looked').notNull(),
  differing: integer('differing').notNull(),
  mended: integer('mended').notNull(),
  lines: jsonb('lines').$type<string[]>().notNull(),
})
