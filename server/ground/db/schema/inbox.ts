import { sql } from 'drizzle-orm'
import { bigint, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { bytes, xid8 } from './columns.ts'

const number = (name: string) => bigint(name, { mode: 'number' })

/** What an account's room list was compared with last. */
export const inboxes = pgTable('inboxes', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** The account's own sequence: the number of the row that was raised last. No other account moves it. */
  lastNumber: number('last_number').notNull().default(0),
  /** Answers of a lower number are void: the list is read anew. */
  floor: number('floor').notNull().default(0),
  /** Every change of a transaction before it was compared. */
  comparedTo: xid8('compared_to').notNull().default(sql`'0'`),
  /** Hash of the statement that wrote the rows: those of another release are compared anew. */
  writtenBy: text('written_by').notNull().default(''),
})

/**
 * One row a member and room. `number` is raised when the row as shown to that member differs from `shown`, and by nothing else. No index
 * has a column that is raised, so that a raise touches the row's page alone.
 */
export const inbox = pgTable(
  'inbox',
  {
    userId: uuid('user_id').notNull(),
    chatRoomId: text('chat_room_id').notNull(),
    number: number('number').notNull(),
    /** SHA-256 of the row as the list writes it; null where the room is not on the list. */
    shown: bytes('shown'),
  },
  (table) => [primaryKey({ columns: [table.userId, table.chatRoomId] })],
)
