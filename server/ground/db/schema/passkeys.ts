import { bigint, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes } from './columns.ts'

/** Passkeys that sign in, alone or after the password [Note: K1]. One that only opens the keys stands in the keyring alone. */
export const passkeys = pgTable(
  'passkeys',
  {
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The credential's id, base64url. */
    id: text('id').notNull(),
    /** COSE. */
    publicKey: bytes('public_key').notNull(),
    /** The signature counter of the last sign-in; 0 where the authenticator counts nothing. */
    counter: bigint('counter', { mode: 'number' }).notNull(),
    /** The host whose passkey it is: it works at no other address of this server. */
    host: text('host').notNull(),
    name: text('name').notNull(),
    createdAt: at('created_at').notNull(),
    lastUsedAt: at('last_used_at'),
  },
  (table) => [primaryKey({ columns: [table.userId, table.id] })],
)

/** Challenges that a passkey has signed, each until it is too old anyway: none counts twice, at whichever process. */
export const usedChallenges = pgTable(
  'used_challenges',
  {
    /** SHA-256. */
    challengeHash: bytes('challenge_hash').primaryKey(),
    expiresAt: at('expires_at').notNull(),
  },
  (table) => [index('used_challenges_age').on(table.expiresAt)],
)
