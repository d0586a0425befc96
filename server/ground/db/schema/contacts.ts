import { sql } from 'drizzle-orm'
import { boolean, foreignKey, index, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, changedIn, ofAccount } from './columns.ts'
import { chatParticipants, chatRooms } from './rooms.ts'

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
    /** When the owner was last online as they blocked the person: what that person is shown until they are unblocked. */
    seenWhenBlocked: at('seen_when_blocked'),
    /** pending: the other person has asked. declined: hidden from the list; an answer or adding the person back revives it. */
    state: text('state').$type<'pending' | 'accepted' | 'declined'>().notNull(),
    chatRoomId: text('chat_room_id')
      .notNull()
      .references(() => chatRooms.id),
    addedAt: at('added_at').notNull(),
    changedIn: changedIn('changed_in'),
    /** The same for state and block alone: between mutual contacts they decide what the other person is shown. */
    stateChangedIn: changedIn('state_changed_in'),
  },
  (table) => [
    unique('contacts_pair').on(table.userId, table.contactUserId),
    // Ends of what has changed since an inbox was compared.
    index('contacts_changed').on(ofAccount(table.userId), table.changedIn),
    index('contacts_of').on(table.contactUserId, table.stateChangedIn),
    // Deleting a room looks up the contacts that refer to it.
    index('contacts_room').on(table.chatRoomId),
    index('contacts_requests').on(table.addedAt).where(sql`${table.state} = 'pending'`),
  ],
)

/**
 * Direct rooms whose unread messages are no news for that member: their request is open or declined, or the contact is gone. Triggers on
 * `contacts` write it, so that the sum of what is unread reads no contacts.
 */
export const uncountedRooms = pgTable(
  'uncounted_rooms',
  {
    userId: uuid('user_id').notNull(),
    chatRoomId: text('chat_room_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.userId, table.chatRoomId] }),
    foreignKey({
      name: 'uncounted_rooms_member_fk',
      columns: [table.chatRoomId, table.userId],
      foreignColumns: [chatParticipants.chatRoomId, chatParticipants.userId],
    }).onDelete('cascade'),
  ],
)

/** When a row last left somebody's list without a trace. A list that was read before it is read anew. */
export const listFloors = pgTable('list_floors', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  changedIn: changedIn('changed_in'),
})
