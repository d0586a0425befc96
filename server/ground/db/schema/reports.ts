import { index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import type { ReportedMessage } from '../../../../contract/chat/reports.ts'
import { users } from './account.ts'
import { at } from './columns.ts'

/** What people have reported of others, for the administration. */
export const reports = pgTable(
  'reports',
  {
    reporterId: uuid('reporter_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** From the reporter's browser, so that sending twice is harmless. */
    id: uuid('id').notNull(),
    reportedId: uuid('reported_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    chatRoomId: text('chat_room_id').notNull(),
    category: text('category').notNull(),
    text: text('text').notNull(),
    /** The messages that the reporter chose, as far as they disclosed them. */
    messages: jsonb('messages').$type<ReportedMessage[]>().notNull(),
    createdAt: at('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.reporterId, table.id] }), index('reports_age').on(table.createdAt)],
)
