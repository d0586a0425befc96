import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import type { TransferEndReason } from '../../../../contract/chat/transferframes.ts'
import { users } from './account.ts'
import { at } from './columns.ts'

/** Direct transfers that are offered, run, or ended within a day. */
export const transfers = pgTable(
  'transfers',
  {
    /** Chosen by the sender's browser. */
    id: uuid('id').primaryKey(),
    senderId: uuid('sender_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    receiverId: uuid('receiver_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** null: it was removed, or signed out for good. */
    senderDevice: text('sender_device'),
    /** The first that accepted. */
    receiverDevice: text('receiver_device'),
    attempt: integer('attempt').notNull().default(0),
    /** Rounded up to `TRANSFER_LIMITS.toldStepBytes`. */
    bytes: integer('bytes').notNull(),
    createdAt: at('created_at').notNull(),
    /** When the relay was first given: from then on `bytes` count for a day. */
    relayedAt: at('relayed_at'),
    endedAt: at('ended_at'),
    endReason: text('end_reason').$type<TransferEndReason>(),
  },
  (table) => [
    index('transfers_sender').on(table.senderId, table.createdAt),
    index('transfers_receiver').on(table.receiverId, table.createdAt),
    index('transfers_live').on(table.createdAt).where(sql`${table.endedAt} is null`),
    index('transfers_unended').on(table.senderId).where(sql`${table.endedAt} is null`),
    index('transfers_left').on(table.id).where(sql`${table.endedAt} is null and ${table.senderDevice} is null`),
    index('transfers_over').on(table.endedAt),
    index('transfers_sender_relayed').on(table.senderId, table.relayedAt).where(sql`${table.relayedAt} is not null`),
    index('transfers_receiver_relayed').on(table.receiverId, table.relayedAt).where(sql`${table.relayedAt} is not null`),
  ],
)
