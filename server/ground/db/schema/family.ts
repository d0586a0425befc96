import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at } from './columns.ts'

/** Invitations to a family circle. Who is in one stands in `users`. */
export const masterInvitations = pgTable(
  'master_invitations',
  {
    id: uuid('id').primaryKey(),
    masterUserId: uuid('master_user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    inviteeEmail: text('invitee_email'),
    inviteeUsername: text('invitee_username'),
    invitationToken: text('invitation_token').notNull().unique(),
    /** A pending one whose time is over counts as expired. */
    status: text('status').$type<'pending' | 'accepted' | 'declined' | 'cancelled'>().notNull(),
    expiresAt: at('expires_at').notNull(),
    createdAt: at('created_at').notNull(),
    acceptedAt: at('accepted_at'),
    /** When the mail server was last asked to take the mail, and when it did; null if never. */
    mailTriedAt: at('mail_tried_at'),
    mailedAt: at('mailed_at'),
  },
  (table) => [index('master_invitations_master').on(table.masterUserId, table.createdAt)],
)
