import { sql } from 'drizzle-orm'
import { date, index, pgTable, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, changedIn } from './columns.ts'

/**
 * Who is online: a row for each living account, from its first moment on. In a table of its own: the sender's row of `users` is locked by
 * each message.
 */
export const presence = pgTable(
  'presence',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    /** The server processes at which the person has an open socket. Empty: nowhere. */
    nodes: uuid('nodes').array().notNull(),
    lastSeen: at('last_seen'),
    seenOn: date('seen_on'),
    /** Two, because one of the two may be hidden from somebody who sees the other. */
    onlineChangedIn: changedIn('online_changed_in'),
    seenChangedIn: changedIn('seen_changed_in'),
  },
  (table) => [
    index('presence_online').on(table.userId).where(sql`${table.nodes} <> '{}'`),
    index('presence_seen_on').on(table.seenOn.desc().nullsLast(), table.userId),
    index('presence_changed').on(sql`greatest(${table.onlineChangedIn}, ${table.seenChangedIn})`),
  ],
)

/** The server processes on this database. One that has died is not seen any more, and the others free its people. */
export const serverNodes = pgTable('server_nodes', {
  id: uuid('id').primaryKey(),
  seenAt: at('seen_at').notNull(),
})
