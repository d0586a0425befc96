import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { at, bytes, seq } from './columns.ts'
import { roomNumber } from './rooms.ts'

export const messages = pgTable(
  'messages',
  {
    room: roomNumber(),
    seq: seq('seq').notNull(),
    id: uuid('id').notNull(),
    senderId: uuid('sender_id').notNull(),
    content: text('content').notNull(),
    messageType: text('message_type').$type<'text' | 'image' | 'file' | 'audio'>().notNull(),
    filePath: text('file_path'),
    fileName: text('file_name'),
    fileSize: bigint('file_size', { mode: 'number' }),
    isEncrypted: boolean('is_encrypted').notNull(),
    replyToId: uuid('reply_to_id'),
    /** True for what counts nowhere: it is no news, no preview and not in the sender's monthly limit. */
    isSilent: boolean('is_silent').notNull().default(false),
    /** What [Note: M5] hashes of `content`, so that the log stays provable without it. Null: `log_entry_hash(content)` makes it. */
    contentHash: bytes('content_hash'),
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.room, table.seq] }),
    // Clients choose ids. An id is unique for one sender in one room, not by itself.
    unique('messages_sender_id').on(table.room, table.senderId, table.id),
    // For the sums of a day. It costs an append nothing: one entry for 128 pages.
    index('messages_day').using('brin', table.createdAt),
  ],
)

/** Messages whose place is to be emptied [Note: M9]. */
export const timedMessages = pgTable(
  'timed_messages',
  {
    room: roomNumber(),
    seq: seq('seq').notNull(),
    dueAt: at('due_at').notNull(),
    /** Seconds. */
    lifetime: integer('lifetime').notNull(),
    /** Read by all. */
    isRead: boolean('is_read').notNull().default(false),
    senderId: uuid('sender_id').notNull(),
    /** Members who have opened what opens once; null for other messages [Note: M14]. */
    openedBy: uuid('opened_by').array(),
  },
  (table) => [
    primaryKey({ columns: [table.room, table.seq] }),
    index('timed_messages_due').on(table.dueAt),
    index('timed_messages_unread').on(table.room, table.seq).where(sql`not ${table.isRead}`),
  ],
)
