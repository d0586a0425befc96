import { sql } from 'drizzle-orm'
import { boolean, foreignKey, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes } from './columns.ts'

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

/** The newest versions of each account's manifest: commits name one, and it is fetched by its number. */
export const manifestVersions = pgTable(
  'manifest_versions',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    version: integer('version').notNull(),
    content: text('content').notNull(),
    signature: text('signature').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.version] })],
)

/** What a viewer was given of a manifest before both had accepted. */
export const shownManifests = pgTable(
  'shown_manifests',
  {
    viewerId: uuid('viewer_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    version: integer('version').notNull(),
  },
  (table) => [primaryKey({ columns: [table.viewerId, table.userId] }), index('shown_manifests_of').on(table.userId)],
)

export const devices = pgTable(
  'devices',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    id: text('id').notNull(),
    /** The server's half of the vault key; null after the device has logged out with "remove keys" [Note: V1]. */
    unlockSecret: bytes('unlock_secret'),
    /** SHA-256 of the cookie that gives this browser its own sign-in attempts; null until the device has signed for a session. */
    signInHash: bytes('sign_in_hash'),
    addedAt: at('added_at').notNull(),
    lastSeenAt: at('last_seen_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.userId, table.id] })],
)

/** New history seeds, sealed to the remaining devices when another was removed [Note: H2]. */
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

export const keyPackages = pgTable(
  'key_packages',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id').notNull(),
    deviceId: text('device_id').notNull(),
    keyPackage: text('key_package').notNull(),
    isLastResort: boolean('is_last_resort').notNull(),
    /** The claiming user. A repeated claim for the same room and generation returns the same package [Note: R5]. */
    claimedBy: uuid('claimed_by'),
    claimedRoom: text('claimed_room'),
    claimedGeneration: integer('claimed_generation'),
    /** null for a claim that an older server has written, until a job dates it. */
    claimedAt: at('claimed_at'),
    createdAt: at('created_at').notNull(),
  },
  (table) => [
    foreignKey({ columns: [table.userId, table.deviceId], foreignColumns: [devices.userId, devices.id] }).onDelete('cascade'),
    index('key_packages_free').on(table.userId, table.deviceId, table.isLastResort).where(sql`${table.claimedBy} is null`),
    // These indexes order packages by age for the job that deletes old ones.
    index('key_packages_unclaimed').on(table.createdAt).where(sql`${table.claimedBy} is null and not ${table.isLastResort}`),
    index('key_packages_claims').on(table.claimedAt).where(sql`${table.claimedBy} is not null`),
    index('key_packages_claimed').on(table.claimedRoom, table.claimedGeneration, table.claimedBy),
  ],
)

/** The newest book that each listed device has written [Note: I1]. */
export const books = pgTable(
  'books',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** 'unsigned' for the one book of an account from before books were signed. */
    deviceId: text('device_id').notNull().default('unsigned'),
    version: integer('version').notNull(),
    historyKeyId: integer('history_key_id').notNull(),
    sealed: text('sealed').notNull(),
    /** 64 bytes, base64; null for a book of before. */
    signature: text('signature'),
  },
  (table) => [primaryKey({ columns: [table.userId, table.deviceId] })],
)
