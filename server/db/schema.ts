import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  customType,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

// Names and fields of the product's tables follow its specification; times come from env.clock, never from now().

const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' })
const at = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })
const seq = (name: string) => bigint(name, { mode: 'number' })

export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    username: text('username').notNull(),
    displayName: text('display_name').notNull(),
    /** SHA-256 of the authSecret [Note: P1]. */
    passwordHash: bytes('password_hash').notNull(),
    passwordSalt: bytes('password_salt').notNull(),
    onionAddress: text('onion_address').unique(),
    avatar: text('avatar'),
    isOnline: boolean('is_online').notNull().default(false),
    lastSeen: at('last_seen'),
    /** The account's Ed25519 identity key; null until a browser has made keys. */
    publicKey: bytes('public_key'),
    hasBiometrics: boolean('has_biometrics').notNull().default(false),
    biometricEnabled: boolean('biometric_enabled').notNull().default(false),
    email: text('email'),
    profileImageUrl: text('profile_image_url'),
    isAdmin: boolean('is_admin').notNull().default(false),
    isActive: boolean('is_active').notNull().default(true),
    deactivatedAt: at('deactivated_at'),
    deactivatedBy: uuid('deactivated_by'),
    subscriptionTier: text('subscription_tier').notNull().default('free'),
    subscriptionStatus: text('subscription_status').notNull().default('active'),
    subscriptionStartDate: at('subscription_start_date'),
    subscriptionEndDate: at('subscription_end_date'),
    monthlyMessagesCount: integer('monthly_messages_count').notNull().default(0),
    /** The UTC month that the counter belongs to, as its first instant. */
    usageResetDate: at('usage_reset_date').notNull(),
    /** SHA-256 of what the recovery kit shows the server; null without a kit [Note: K1]. */
    kitHash: bytes('kit_hash'),
    /** The account was deleted: the row stays so that others keep their conversations; nothing of the person is in it. */
    deletedAt: at('deleted_at'),
    createdAt: at('created_at').notNull(),
  },
  (table) => [uniqueIndex('users_username_lower').on(sql`lower(${table.username})`)],
)

export const sessions = pgTable(
  'sessions',
  {
    /** SHA-256 of the cookie's token. */
    tokenHash: bytes('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    deviceId: text('device_id'),
    createdAt: at('created_at').notNull(),
    lastUsedAt: at('last_used_at').notNull(),
    expiresAt: at('expires_at').notNull(),
  },
  (table) => [index('sessions_user').on(table.userId)],
)

export const keyrings = pgTable('keyrings', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  version: integer('version').notNull(),
  content: text('content').notNull(),
  signature: text('signature').notNull(),
})

export const manifests = pgTable('manifests', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  version: integer('version').notNull(),
  content: text('content').notNull(),
  signature: text('signature').notNull(),
})

export const devices = pgTable(
  'devices',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    id: text('id').notNull(),
    /** Half of the vault key; null once the device logged out with "remove keys" [Note: V1]. */
    unlockSecret: bytes('unlock_secret'),
    addedAt: at('added_at').notNull(),
    lastSeenAt: at('last_seen_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.id] })],
)

/** New history seeds, sealed to the devices that stayed when another was removed [Note: H2]. */
export const historySeals = pgTable(
  'history_seals',
  {
    userId: uuid('user_id').notNull(),
    deviceId: text('device_id').notNull(),
    historyKeyId: integer('history_key_id').notNull(),
    sealed: text('sealed').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.deviceId, table.historyKeyId] }),
    foreignKey({ columns: [table.userId, table.deviceId], foreignColumns: [devices.userId, devices.id] }).onDelete('cascade'),
  ],
)

/** HMAC (server secret `names`) of the lower-case names of deleted accounts: they are not issued again [Note: I1]. */
export const retiredNames = pgTable('retired_names', {
  nameHash: bytes('name_hash').primaryKey(),
})

export const keyPackages = pgTable(
  'key_packages',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id').notNull(),
    deviceId: text('device_id').notNull(),
    keyPackage: text('key_package').notNull(),
    isLastResort: boolean('is_last_resort').notNull(),
    /** A claim is kept, so that asking again for the same room and generation gives the same package [Note: R5]. */
    claimedBy: uuid('claimed_by'),
    claimedRoom: text('claimed_room'),
    claimedGeneration: integer('claimed_generation'),
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    foreignKey({ columns: [table.userId, table.deviceId], foreignColumns: [devices.userId, devices.id] }).onDelete('cascade'),
    index('key_packages_free').on(table.userId, table.deviceId, table.isLastResort).where(sql`${table.claimedBy} is null`),
    index('key_packages_claimed').on(table.claimedRoom, table.claimedGeneration, table.claimedBy),
  ],
)

export const books = pgTable('books', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  version: integer('version').notNull(),
  historyKeyId: integer('history_key_id').notNull(),
  sealed: text('sealed').notNull(),
})

export const contacts = pgTable(
  'contacts',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    contactUserId: uuid('contact_user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    displayName: text('display_name'),
    isBlocked: boolean('is_blocked').notNull().default(false),
    chatPasswordHash: text('chat_password_hash'),
    isPasswordProtected: boolean('is_password_protected').notNull().default(false),
    /** pending: the other side asked; declined: taken off the list, an answer or adding back revives it. */
    state: text('state').$type<'pending' | 'accepted' | 'declined'>().notNull(),
    chatRoomId: text('chat_room_id')
      .notNull()
      .references(() => chatRooms.id),
    addedAt: at('added_at').notNull(),
  },
  (table) => [
    unique('contacts_pair').on(table.userId, table.contactUserId),
    index('contacts_of').on(table.contactUserId),
    // A room that is deleted asks who still points to it.
    index('contacts_room').on(table.chatRoomId),
  ],
)

export const chatRooms = pgTable('chat_rooms', {
  id: text('id').primaryKey(),
  name: text('name'),
  type: text('type').$type<'direct' | 'group'>().notNull().default('direct'),
  createdBy: uuid('created_by').notNull(),
  createdAt: at('created_at').notNull(),
  /** The newest place in the log. Every append takes this row's lock and the next number. */
  lastSeq: seq('last_seq').notNull().default(0),
  lastMessageSeq: seq('last_message_seq').notNull().default(0),
  lastMessageAt: at('last_message_at'),
  /** The current MLS group: here, under the lock that orders the log, so that no message of an old epoch gets in [Note: M2]. */
  generation: integer('generation').notNull().default(0),
  groupId: text('group_id'),
  epoch: integer('epoch').notNull().default(0),
  /** A device of a member was removed: nothing is sealed to this epoch any more, a commit comes first [Note: D3]. */
  needsCommit: boolean('needs_commit').notNull().default(false),
  /** A member deleted their account: nothing more is written here. */
  isClosed: boolean('is_closed').notNull().default(false),
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
    unreadCount: integer('unread_count').notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.chatRoomId, table.userId] }), index('chat_participants_user').on(table.userId)],
)

export const messages = pgTable(
  'messages',
  {
    chatRoomId: text('chat_room_id')
      .notNull()
      .references(() => chatRooms.id, { onDelete: 'cascade' }),
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
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chatRoomId, table.seq] }),
    // Ids come from clients: unique for one sender in one room, never by themselves.
    unique('messages_sender_id').on(table.chatRoomId, table.senderId, table.id),
  ],
)

export const roomCommits = pgTable(
  'room_commits',
  {
    chatRoomId: text('chat_room_id')
      .notNull()
      .references(() => chatRooms.id, { onDelete: 'cascade' }),
    seq: seq('seq').notNull(),
    senderId: uuid('sender_id').notNull(),
    generation: integer('generation').notNull(),
    groupId: text('group_id').notNull(),
    epoch: integer('epoch').notNull(),
    commit: text('commit').notNull(),
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chatRoomId, table.seq] }),
    unique('room_commits_epoch').on(table.chatRoomId, table.groupId, table.epoch),
  ],
)

export const archiveKeys = pgTable(
  'archive_keys',
  {
    chatRoomId: text('chat_room_id')
      .notNull()
      .references(() => chatRooms.id, { onDelete: 'cascade' }),
    groupId: text('group_id').notNull(),
    epoch: integer('epoch').notNull(),
    userId: uuid('user_id').notNull(),
    historyKeyId: integer('history_key_id').notNull(),
    sealed: text('sealed').notNull(),
  },
  (table) => [primaryKey({ columns: [table.chatRoomId, table.groupId, table.epoch, table.userId] })],
)

/** What the server itself must keep secret, by name: the key of the salts. */
export const serverSecrets = pgTable('server_secrets', {
  name: text('name').primaryKey(),
  secret: bytes('secret').notNull(),
})
