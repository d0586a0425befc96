import { bigint, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes } from './columns.ts'
import { chatRooms } from './rooms.ts'

/**
 * The files that people have uploaded. The bytes lie in the bucket, under the row's id. Only a job deletes rows, after their bytes:
 * so no bytes stay without a row.
 */
export const objects = pgTable(
  'objects',
  {
    id: uuid('id').primaryKey(),
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => users.id),
    kind: text('kind').$type<'photo'>().notNull(),
    /** The room whose members read it; null for a photo, and before it is sent. */
    chatRoomId: text('chat_room_id').references(() => chatRooms.id, { onDelete: 'set null' }),
    /**
     * `awaited`: an address was answered. `arriving`: a request sends the bytes. `stored`: they are all here, and only the owner
     * reads them. `used`: others may read it too. `dropped`: nobody reads it, and the job deletes it.
     */
    state: text('state').$type<'awaited' | 'arriving' | 'stored' | 'used' | 'dropped'>().notNull(),
    /** Null until the bytes are here, like the next two. */
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    /** SHA-256 of the bytes. */
    hash: bytes('hash'),
    /** What their first bytes show; null too if that is no picture. */
    mediaType: text('media_type').$type<'image/jpeg' | 'image/png' | 'image/gif'>(),
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    index('objects_owner').on(table.ownerId),
    // Deleting a room looks them up.
    index('objects_room').on(table.chatRoomId),
    index('objects_state').on(table.state, table.createdAt),
  ],
)
