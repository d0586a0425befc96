import { type SQL, sql } from 'drizzle-orm'
import { bigint, boolean, foreignKey, index, integer, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, changedIn, places, seq } from './columns.ts'
import { devices } from './devices.ts'

export const chatRooms = pgTable('chat_rooms', {
  id: text('id').primaryKey(),
  /** Stands for the id of 76 characters in tables of its log. It never leaves the database. */
  number: bigint('number', { mode: 'number' }).notNull().generatedAlwaysAsIdentity().unique(),
  name: text('name'),
  type: text('type').$type<'direct' | 'group' | 'notes'>().notNull().default('direct'),
  createdBy: uuid('created_by').notNull(),
  createdAt: at('created_at').notNull(),
  /** The highest seq in the log. Every append takes this row's lock and the next seq. */
  lastSeq: seq('last_seq').notNull().default(0),
  lastMessageSeq: seq('last_message_seq').notNull().default(0),
  lastMessageAt: at('last_message_at'),
  /** The current MLS group. The lock that orders the log guards it, so that no message of an old epoch is appended [Note: M2]. */
  generation: integer('generation').notNull().default(0),
  groupId: text('group_id'),
  epoch: integer('epoch').notNull().default(0),
  /** True after a member's device was removed: messages are refused until a commit has changed the epoch [Note: D3]. */
  needsCommit: boolean('needs_commit').notNull().default(false),
  /** True after a member has deleted their account: nothing more is appended. */
  isClosed: boolean('is_closed').notNull().default(false),
  /** Up to here all members have cleared the room, and its messages were emptied: hash and place remain. */
  emptiedSeq: seq('emptied_seq').notNull().default(0),
  /** For servers of before, which still compare it. What is new of a room stands in the rows of its members. */
  changedIn: changedIn('changed_in'),
})

/** The GroupInfo and the newest Welcome of a room's current group. */
export const roomGroups = pgTable('room_groups', {
  chatRoomId: text('chat_room_id')
    .primaryKey()
    .references(() => chatRooms.id, { onDelete: 'cascade' }),
  groupInfo: text('group_info').notNull(),
  welcome: text('welcome'),
  welcomeSeq: seq('welcome_seq'),
  welcomeEpoch: integer('welcome_epoch'),
})

/** The other member of a direct room, from its id. */
export const peerOf = (prefix: '' | `${string}.`): SQL =>
  sql.raw(`(replace(replace(substr(${prefix}chat_room_id, 4), ${prefix}user_id::text, ''), '_', ''))`)

export const chatParticipants = pgTable(
  'chat_participants',
  {
    id: uuid('id').notNull().defaultRandom(),
    chatRoomId: text('chat_room_id')
      .notNull()
      .references(() => chatRooms.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    joinedAt: at('joined_at').notNull(),
    isAdmin: boolean('is_admin').notNull().default(false),
    deliveredSeq: seq('delivered_seq').notNull().default(0),
    readSeq: seq('read_seq').notNull().default(0),
    deliveredAt: at('delivered_at'),
    readAt: at('read_at'),
    /** The messages of others behind both `readSeq` and `uncountedSeq` that are not silent. */
    unreadCount: integer('unread_count').notNull().default(0),
    changedIn: changedIn('changed_in'),
    /** The same for a read mark that rose alone: who is not shown it must not learn when it did. */
    readChangedIn: changedIn('read_changed_in'),
    /** Up to here nothing counts as unread: a member who has blocked the sender gets a message's place and no news of it. */
    uncountedSeq: seq('uncounted_seq').notNull().default(0),
    /** Messages that this member was told of in the UTC month that begins at `receivedMonth`. */
    receivedCount: integer('received_count').notNull().default(0),
    receivedMonth: at('received_month'),
    /** Until then, or for good (`MUTED_FOR_GOOD`), the room is no news for this member. Null: it is not muted. */
    mutedUntil: at('muted_until'),
    /** The transaction that last changed what the list shows to this member alone: a mute, a block, a cleared chat, marks that are not shown. */
    ownChangedIn: changedIn('own_changed_in'),
    /** This member has cleared the room up to here: of its messages they are given place and hash alone. */
    clearedSeq: seq('cleared_seq').notNull().default(0),
    /** The places at which the others were blocked by this member: of their messages in it they are given place and hash alone. */
    withheld: places('withheld').notNull().default('{}'),
    /** What others are shown of this member's marks while this member has blocked them; null otherwise. */
    shownDeliveredSeq: seq('shown_delivered_seq'),
    shownReadSeq: seq('shown_read_seq'),
    /** True if this member has a chat password for the room (`chat_locks`): only sessions that have opened it are given what is said. */
    isProtected: boolean('is_protected').notNull().default(false),
    /** False once the member's inbox has compared the row. A message finds it true, and changes no index. */
    isNewToMember: boolean('is_new_to_member').notNull().default(true),
    /** The same for the other member of a direct room. */
    isNewToPeer: boolean('is_new_to_peer').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.chatRoomId, table.userId] }),
    index('chat_participants_new').on(table.userId, table.isNewToMember),
    index('chat_participants_peer').on(peerOf('')).where(sql`${table.isNewToPeer}`),
    // The rooms of a member that are not direct: those stand in the contacts. The room list names the condition word for word.
    index('chat_participants_groups').on(table.userId, table.chatRoomId).where(sql`${table.chatRoomId} like 'room\\_%'`),
    index('chat_participants_cleared').on(table.chatRoomId).where(sql`${table.clearedSeq} > 0`),
  ],
)

export const roomNumber = () =>
  bigint('room', { mode: 'number' })
    .notNull()
    .references(() => chatRooms.number, { onDelete: 'cascade' })

export const roomCommits = pgTable(
  'room_commits',
  {
    room: roomNumber(),
    seq: seq('seq').notNull(),
    senderId: uuid('sender_id').notNull(),
    generation: integer('generation').notNull(),
    groupId: text('group_id').notNull(),
    epoch: integer('epoch').notNull(),
    commit: text('commit').notNull(),
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.room, table.seq] }),
    unique('room_commits_epoch').on(table.room, table.groupId, table.epoch),
  ],
)

export const archiveKeys = pgTable(
  'archive_keys',
  {
    room: roomNumber(),
    groupId: text('group_id').notNull(),
    epoch: integer('epoch').notNull(),
    userId: uuid('user_id').notNull(),
    historyKeyId: integer('history_key_id').notNull(),
    /** The device that sealed it: the committer's, or one of the account itself. Each is stored once and never replaced [Note: H1]. */
    sealedBy: text('sealed_by').$type<'committer' | 'own_device'>().notNull().default('committer'),
    sealed: text('sealed').notNull(),
    /** The device that first put it into a page [Note: H1]. */
    pagedBy: text('paged_by'),
  },
  (table) => [
    primaryKey({
      name: 'archive_keys_pk',
      columns: [table.room, table.groupId, table.epoch, table.userId, table.historyKeyId, table.sealedBy],
    }),
  ],
)

/** Which generation a device has claimed key packages for, the last one in each room: it alone may create that one's group [Note: R8]. */
export const generationClaims = pgTable(
  'generation_claims',
  {
    chatRoomId: text('chat_room_id')
      .notNull()
      .references(() => chatRooms.id, { onDelete: 'cascade' }),
    userId: uuid('user_id').notNull(),
    deviceId: text('device_id').notNull(),
    generation: integer('generation').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chatRoomId, table.userId, table.deviceId] }),
    foreignKey({ columns: [table.userId, table.deviceId], foreignColumns: [devices.userId, devices.id] }).onDelete('cascade'),
    index('generation_claims_device').on(table.userId, table.deviceId),
  ],
)

/** What `take_key_bytes` has counted of that UTC day. */
export const keyBytes = pgTable('key_bytes', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  day: at('day').notNull(),
  takenBytes: bigint('taken_bytes', { mode: 'number' }).notNull(),
})
