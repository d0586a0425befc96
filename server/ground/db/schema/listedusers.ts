import { boolean, index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, exactText } from './columns.ts'

/**
 * The living accounts as administrators list and search them, in short rows that no message writes. A trigger of `users` keeps them
 * (`../functions/userlist.sql`).
 */
export const listedUsers = pgTable(
  'listed_users',
  {
    userId: uuid('user_id')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: at('created_at').notNull(),
    /** Username and display name in small letters, a line each. */
    words: exactText('words').notNull(),
    isActive: boolean('is_active').notNull(),
    isAdmin: boolean('is_admin').notNull(),
    /** The account's own plan by its name in `plan_rights`, and its end. Then it is `free`. */
    plan: text('plan').notNull(),
    planEnds: at('plan_ends'),
    isInFamily: boolean('is_in_family').notNull(),
  },
  (table) => [
    index('listed_users_joined').on(table.createdAt.desc().nullsFirst(), table.userId),
    index('listed_users_words').on(table.words, table.userId),
  ],
)
