import { pgTable, text } from 'drizzle-orm/pg-core'
import { bytes } from './columns.ts'

/** What the server itself must keep secret, by name: the key of the salts. */
export const serverSecrets = pgTable('server_secrets', {
  name: text('name').primaryKey(),
  secret: bytes('secret').notNull(),
})
