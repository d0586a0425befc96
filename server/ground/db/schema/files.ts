import { bigint, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes, seq } from './columns.ts'
import { chatRooms } from './rooms.ts'

/**
 * Uploaded files. The bytes lie in the bucket, under the row's id or as its parts. Only a job deletes rows, after their bytes, so that no
 * bytes stay without a row.
 */
export const objects = pgTable(
  'objects',
  {
    id: uuid('id').primaryKey(),
    ownerId: uuid('owner_id')
      .notNull()
      .references(() => users.id),
    /** `file`: sealed in a browser, for a message of a chat. */
    kind: text('kind').$type<'photo' | 'file'>().notNull(),
    /** The room whose members read it; null for a photo, and before it is sent. */
    chatRoomId: text('chat_room_id').references(() => chatRooms.id, { onDelete: 'set null' }),
    /** The place of the message there that carries it: who is given the message reads the file. */
    messageSeq: seq('message_seq'),
    /** null: an upload in a single request. */
    uploadId: uuid('upload_id'),
    /**
     * `awaited`: an address was answered. `arriving`: a request sends the bytes. `stored`: they are all here, and only the owner
     * reads them. `used`: others may read it too. `dropped`: nobody reads it, and the job deletes it.
     */
    state: text('state').$type<'awaited' | 'arriving' | 'stored' | 'used' | 'dropped'>().notNull(),
    /** Null until the bytes come, or their first part: these are counted in `file_usage` by a trigger. */
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    /** SHA-256 of the bytes, or of the hashes of its parts; null until all are here, like the next. */
    hash: bytes('hash'),
    /** What their first bytes show; null too if that is no picture. */
    mediaType: text('media_type').$type<'image/jpeg' | 'image/png' | 'image/gif'>(),
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    index('objects_owner').on(table.ownerId),
    // Deleting a room looks them up.
    index('objects_room').on(table.chatRoomId, table.messageSeq),
    index('objects_state').on(table.state, table.createdAt),
  ],
)

/** Parts of files, whose bytes lie in the bucket under the row's id. Of two rows with one number the `stored` one counts. */
export const objectParts = pgTable(
  'object_parts',
  {
    id: uuid('id').primaryKey(),
    objectId: uuid('object_id')
      .notNull()
      .references(() => objects.id),
    partNumber: integer('part_number').notNull(),
    state: text('state').$type<'arriving' | 'stored' | 'dropped'>().notNull(),
    sizeBytes: bigint('size_bytes', { mode: 'number' }).notNull(),
    /** SHA-256 of the bytes, hex; null until they are here. */
    etag: text('etag'),
  },
  (table) => [index('object_parts_object').on(table.objectId, table.partNumber)],
)

/** What the server stores of an account's sealed files, and what they have sent of them. */
export const fileUsage = pgTable('file_usage', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id),
  /** Bytes of the account's files that are not dropped. A trigger on `objects` keeps it. */
  storedBytes: bigint('stored_bytes', { mode: 'number' }).notNull().default(0),
  /** Bytes of the files that its messages of that UTC month carried. The append counts them. */
  monthlyUploadedBytes: bigint('monthly_uploaded_bytes', { mode: 'number' }).notNull().default(0),
  uploadedMonth: at('uploaded_month'),
})
