import { bigint, boolean, integer, pgTable, text } from 'drizzle-orm/pg-core'

/** `contract/plans.ts` as rows, for statements that judge many accounts at once. The function `rights_of` reads it for one. */
export const planRights = pgTable('plan_rights', {
  plan: text('plan').primaryKey(),
  /** Of the table in the contract that this row comes from. */
  version: integer('version').notNull(),
  canSend: boolean('can_send').notNull(),
  canCall: boolean('can_call').notNull(),
  canShareFiles: boolean('can_share_files').notNull(),
  hasFamily: boolean('has_family').notNull(),
  /** -1: without a limit. */
  messagesPerMonth: integer('messages_per_month').notNull(),
  fileBytes: bigint('file_bytes', { mode: 'number' }).notNull(),
})
