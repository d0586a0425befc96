import { bigint, boolean, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { Printed } from '../../../../contract/money/receipts.ts'
import { users } from './account.ts'
import { at } from './columns.ts'

/** Each keeps all that it prints: what it is of may change. */
export const receipts = pgTable(
  'receipts',
  {
    /** Its entry, by the place in `ledger_chain`. */
    seq: bigint('seq', { mode: 'number' }).primaryKey(),
    number: text('number').notNull().unique(),
    /** Null once the account is deleted. */
    userId: uuid('user_id').references(() => users.id),
    isTest: boolean('is_test').notNull(),
    issuedAt: at('issued_at').notNull(),
    printed: jsonb('printed').$type<Printed>().notNull(),
  },
  (table) => [index('receipts_user').on(table.userId, table.seq), index('receipts_issued').on(table.issuedAt)],
)

/** The last number of each series and year, such as `TEST-2026`; of `ledger` the link up to which entries have receipts. */
export const receiptCounters = pgTable('receipt_counters', {
  name: text('name').primaryKey(),
  value: bigint('value', { mode: 'number' }).notNull(),
})

/** The business that the next receipts of an account name. */
export const businessDetails = pgTable('business_details', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id),
  name: text('name').notNull(),
  address: text('address').notNull(),
  taxId: text('tax_id').notNull(),
})
