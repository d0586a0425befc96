import { sql } from 'drizzle-orm'
import { boolean, index, pgTable, text, unique, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at } from './columns.ts'
import { chatRooms } from './rooms.ts'

export const contacts = pgTable(
  'contacts',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    contactUserId: uuid('contact_user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    displayName: text('display_name'),
    isBlocked: boolean('is_blocked').notNull().default(false),
    chatPasswordHash: text('chat_password_hash'),
    isPasswordProtected: boolean('is_password_protected').notNull().default(false),
    /** pending: the other person has asked. declined: hidden from the list; an answer or adding the person back revives it. */
    state: text('state').$type<'pending' | 'accepted' | 'declined'>().notNull(),
    chatRoomId: text('chat_room_id')
      .notNull()
      .references(() => chatRooms.id),
    addedAt: at('added_at').notNull(),
  },
  (table) => [
    unique('contacts_pair').on(table.userId, table.contactUserId),
    index('contacts_of').on(table.contactUserId),
    // Deleting a room looks up the contacts that refer to it.
    index('contacts_room').on(table.chatRoomId),
    index('contacts_requests').on(table.addedAt).where(sql`${table.state} = 'pending'`),
  ],
)
