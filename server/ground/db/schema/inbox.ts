import { sql } from 'drizzle-orm'
import { bigint, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes, ofAccount, xid8 } from './columns.ts'

const number = (name: string) => bigint(name, { mode: 'number' })

/** How far an account's list was compared. */
export const inboxes = pgTable('inboxes', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  /** The account's own sequence. */
  lastNumber: number('last_number').notNull().default(0),
  /** Lower numbers are void. */
  floor: number('floor').notNull().default(0),
  /** Changes of earlier transactions were compared. */
  comparedTo: xid8('compared_to').notNull().default(sql`'0'`),
  /** Hash of the statement that writes a row. */
  writtenBy: text('written_by').notNull().default(''),
})

/** Written where a list is read, never by a message. */
export const inbox = pgTable(
  'inbox',
  {
    userId: uuid('user_id').notNull(),
    chatRoomId: text('chat_room_id').notNull(),
    number: number('number').notNull(),
    /** SHA-256 of the row; null off the list. */
    shown: bytes('shown'),
    /** Place in the list; null off it. */
    activity: at('activity'),
    /** Time of the newest unread message. */
    unreadAt: at('unread_at'),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.chatRoomId] }),
    index('inbox_numbers').on(ofAccount(table.userId), table.number),
    index('inbox_activity').on(ofAccount(table.userId), table.activity, table.chatRoomId),
    index('inbox_unread').on(ofAccount(table.userId), table.unreadAt).where(sql`${table.unreadAt} is not null`),
  ],
)
