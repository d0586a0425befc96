import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes } from './columns.ts'

const ingress = () => text('ingress', { enum: ['direct', 'onion'] }).notNull()

export const sessions = pgTable(
  'sessions',
  {
    /** The name of the session on the account's pages. */
    id: uuid('id').notNull().defaultRandom(),
    /** SHA-256 of the cookie's token. */
    tokenHash: bytes('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The device that the session claims. If `provenAt` is set, that device has signed for the session. */
    deviceId: text('device_id'),
    /** When a device of the account last signed for this session; null if none has, the epoch since its browser was locked. */
    provenAt: at('proven_at'),
    /** When the person last confirmed with the password or a passkey that they are here; null if never. */
    confirmedAt: at('confirmed_at'),
    /** Browser and system by the User-Agent, such as "Firefox" and "Linux"; '' if unknown, as of sessions of before. */
    browser: text('browser').notNull().default(''),
    system: text('system').notNull().default(''),
    /** How the session was started. A foreign onion service counts by the Host header. */
    ingress: ingress().default('direct'),
    createdAt: at('created_at').notNull(),
    lastUsedAt: at('last_used_at').notNull(),
    expiresAt: at('expires_at').notNull(),
  },
  (table) => [index('sessions_user').on(table.userId)],
)

/** Sign-ins that the account's browsers are told of. They outlive their sessions, so that an intruder's end hides nothing. */
export const signIns = pgTable(
  'sign_ins',
  {
    /** The id of the session; of a refused sign-in one of its own. */
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The device that has signed for the session; null if none has. */
    deviceId: text('device_id'),
    browser: text('browser').notNull(),
    system: text('system').notNull(),
    ingress: ingress(),
    signedInAt: at('signed_in_at').notNull(),
    /** The name of the passkey whose counter went back: then this is a sign-in that was refused, and began no session. */
    copiedPasskey: text('copied_passkey'),
    /** The devices at which the person has seen it. */
    answeredBy: text('answered_by').array().notNull().default([]),
  },
  (table) => [index('sign_ins_user').on(table.userId, table.signedInAt), index('sign_ins_age').on(table.signedInAt)],
)
