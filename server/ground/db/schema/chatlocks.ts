import { foreignKey, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { at, bytes } from './columns.ts'
import { chatParticipants, roomNumber } from './rooms.ts'
import { sessions } from './sessions.ts'

/** Chat passwords: each of one member in one room. `chat_participants.is_protected` says that there is one. */
export const chatLocks = pgTable(
  'chat_locks',
  {
    chatRoomId: text('chat_room_id').notNull(),
    userId: uuid('user_id').notNull(),
    salt: bytes('salt').notNull(),
    /** Made of the password and the salt as an account's is [Note: P1]. */
    verifier: bytes('verifier').notNull(),
    /** The server's half of the chat key. Who has it still lacks the password [Note: L1]. */
    lockSecret: bytes('lock_secret').notNull(),
    /** Wrong passwords since the last right one, of all sessions that have not opened the chat. */
    wrongTries: integer('wrong_tries').notNull().default(0),
    /** Until then no password is compared. */
    waitsUntil: at('waits_until'),
    /** The same of sessions that have just confirmed by the account's password or a passkey. */
    confirmedWrongTries: integer('confirmed_wrong_tries').notNull().default(0),
    confirmedWaitsUntil: at('confirmed_waits_until'),
  },
  (table) => [
    primaryKey({ columns: [table.chatRoomId, table.userId] }),
    foreignKey({
      name: 'chat_locks_member',
      columns: [table.chatRoomId, table.userId],
      foreignColumns: [chatParticipants.chatRoomId, chatParticipants.userId],
    }).onDelete('cascade'),
  ],
)

/** Which sessions have opened a chat with a password. */
export const openChats = pgTable(
  'open_chats',
  {
    chatRoomId: text('chat_room_id').notNull(),
    userId: uuid('user_id').notNull(),
    /** SHA-256 of the session's token. */
    sessionHash: bytes('session_hash')
      .notNull()
      .references(() => sessions.tokenHash, { onDelete: 'cascade' }),
    verifiedAt: at('verified_at').notNull(),
    /** Noted once a minute at most. */
    usedAt: at('used_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chatRoomId, table.userId, table.sessionHash] }),
    foreignKey({
      name: 'open_chats_lock',
      columns: [table.chatRoomId, table.userId],
      foreignColumns: [chatLocks.chatRoomId, chatLocks.userId],
    }).onDelete('cascade'),
    // The end of a session looks up the chats that it has opened.
    index('open_chats_session').on(table.sessionHash),
  ],
)

/** The tries of a session that has opened a chat by this password before. */
export const chatTries = pgTable(
  'chat_tries',
  {
    chatRoomId: text('chat_room_id').notNull(),
    userId: uuid('user_id').notNull(),
    /** SHA-256 of the session's token. */
    sessionHash: bytes('session_hash')
      .notNull()
      .references(() => sessions.tokenHash, { onDelete: 'cascade' }),
    wrongTries: integer('wrong_tries').notNull().default(0),
    waitsUntil: at('waits_until'),
  },
  (table) => [
    primaryKey({ columns: [table.chatRoomId, table.userId, table.sessionHash] }),
    foreignKey({
      name: 'chat_tries_lock',
      columns: [table.chatRoomId, table.userId],
      foreignColumns: [chatLocks.chatRoomId, chatLocks.userId],
    }).onDelete('cascade'),
    index('chat_tries_session').on(table.sessionHash),
  ],
)

/** Archive keys of an account in a room that has or had a chat password, as pages that devices write [Note: L1, H1]. */
export const archivePages = pgTable(
  'archive_pages',
  {
    room: roomNumber(),
    userId: uuid('user_id').notNull(),
    number: integer('number').notNull(),
    /** Device id. */
    writtenBy: text('written_by').notNull().default(''),
    version: integer('version').notNull(),
    /** Null: sealed under the seed of the chat's lock. */
    historyKeyId: integer('history_key_id'),
    sealed: text('sealed').notNull(),
  },
  (table) => [primaryKey({ columns: [table.room, table.userId, table.number, table.writtenBy] })],
)
