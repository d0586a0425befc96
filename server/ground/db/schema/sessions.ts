import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes } from './columns.ts'

const ingress = () => text('ingress', { enum: ['direct', 'onion'] }).notNull()

export const sessions = pgTable(
  'sessions',
  {
    /** Names it on the account's pages. */
    id: uuid('id').notNull().defaultRandom(),
    /** SHA-256 of the cookie's token. */
    tokenHash: bytes('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The session claims it. With `provenAt` it has signed. */
    deviceId: text('device_id'),
    /** When a device last signed for it; null if none has, the epoch since its browser was locked. */
    provenAt: at('proven_at'),
    /** When the person last gave the password or a passkey. */
    confirmedAt: at('confirmed_at'),
    /** "Firefox" and "Linux" of the User-Agent; '' if unknown. */
    browser: text('browser').notNull().default(''),
    system: text('system').notNull().default(''),
    /** How it began. The Host header tells a foreign onion service. */
    ingress: ingress().default('direct'),
    createdAt: at('created_at').notNull(),
    lastUsedAt: at('last_used_at').notNull(),
    expiresAt: at('expires_at').notNull(),
  },
  (table) => [index('sessions_user').on(table.userId)],
)

/** They outlive their sessions, so that an intruder's end hides nothing. */
export const signIns = pgTable(
  'sign_ins',
  {
    /** The session's, or one of its own if it was refused. */
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** It has signed for the session. */
    deviceId: text('device_id'),
    browser: text('browser').notNull(),
    system: text('system').notNull(),
    ingress: ingress(),
    signedInAt: at('signed_in_at').notNull(),
    /** Its counter went back: this sign-in was refused. */
    copiedPasskey: text('copied_passkey'),
    /** Devices at which the person has seen it. */
    answeredBy: text('answered_by').array().notNull().default([]),
  },
  (table) => [index('sign_ins_user').on(table.userId, table.signedInAt), index('sign_ins_age').on(table.signedInAt)],
)
