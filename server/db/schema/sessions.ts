import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes } from './columns.ts'

export const sessions = pgTable(
  'sessions',
  {
    /** SHA-256 of the cookie's token. */
    tokenHash: bytes('token_hash').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The device that the session names, and where `provenAt` is set, the one that has signed for it. */
    deviceId: text('device_id'),
    /** When a device of the account signed for this session; null: none has. */
    provenAt: at('proven_at'),
    /** Such as "Firefox" and "Linux", from what the browser said of itself; '' where it said nothing that is known. */
    browser: text('browser').notNull().default(''),
    system: text('system').notNull().default(''),
    /** By which listener the session was started. */
    ingress: text('ingress').notNull().default('direct'),
    createdAt: at('created_at').notNull(),
    lastUsedAt: at('last_used_at').notNull(),
    expiresAt: at('expires_at').notNull(),
  },
  (table) => [index('sessions_user').on(table.userId)],
)
