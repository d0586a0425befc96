import { bigint, boolean, integer, pgTable, text } from 'drizzle-orm/pg-core'

/** `contract/plans.ts` as rows, for statements over many accounts. The SQL function `rights_of` reads it for one account. */
export const planRights = pgTable('plan_rights', {
  plan: text('plan').primaryKey(),
  /** Version of the contract's table that this row comes from. */
  version: integer('version').notNull(),
  canSend: boolean('can_send').notNull(),
  canCall: boolean('can_call').notNull(),
  canShareFiles: boolean('can_share_files').notNull(),
  hasFamily: boolean('has_family').notNull(),
  /** -1 means no limit. */
  messagesPerMonth: integer('messages_per_month').notNull(),
  fileBytes: bigint('file_bytes', { mode: 'number' }).notNull(),
})
