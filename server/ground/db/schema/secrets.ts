import { pgTable, text } from 'drizzle-orm/pg-core'
import { bytes } from './columns.ts'

/** The server's own secrets by name, such as the key of the salts. */
export const serverSecrets = pgTable('server_secrets', {
  name: text('name').primaryKey(),
  secret: bytes('secret').notNull(),
})
