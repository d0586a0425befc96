import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes } from './columns.ts'

const ingress = () => text('ingress', { enum: ['direct', 'onion'] }).notNull()

export const sessions = pgTable(
  'sessions',
  {
    /** Shown on the account's pages. */
    id: uuid('id').notNull().defaultRandom(),
    /** `hashOfToken` of the cookie's. */
    tokenHash: bytes('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** Claimed; it has signed once `provenAt` is set. */
    deviceId: text('device_id'),
    /** null: no device has signed yet. The epoch: the browser is locked. */
    provenAt: at('proven_at'),
    /** When the person last gave the password or a passkey. */
    confirmedAt: at('confirmed_at'),
    /** '' if unknown. */
    browser: text('browser').notNull().default(''),
    system: text('system').notNull().default(''),
    ingress: ingress().default('direct'),
    createdAt: at('created_at').notNull(),
    lastUsedAt: at('last_used_at').notNull(),
    expiresAt: at('expires_at').notNull(),
  },
  (table) => [index('sessions_user').on(table.userId)],
)

/** Outlive their sessions, so that an intruder's end hides nothing. */
export const signIns = pgTable(
  'sign_ins',
  {
    /** The session's; a refused sign-in has one of its own. */
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    deviceId: text('device_id'),
    browser: text('browser').notNull(),
    system: text('system').notNull(),
    ingress: ingress(),
    signedInAt: at('signed_in_at').notNull(),
    /** The name of a passkey whose counter went back: the sign-in was refused. */
    copiedPasskey: text('copied_passkey'),
    /** Device ids. */
    answeredBy: text('answered_by').array().notNull().default([]),
  },
  (table) => [index('sign_ins_user').on(table.userId, table.signedInAt), index('sign_ins_age').on(table.signedInAt)],
)
