import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes } from './columns.ts'
import { sessions } from './sessions.ts'

/** The browsers that a push service wakes. Each belongs to a session and goes with it, whatever ends that. */
export const pushSubscriptions = pgTable(
  'push_subscriptions',
  {
    /** SHA-256 of `endpoint`. */
    endpointHash: bytes('endpoint_hash').primaryKey(),
    userId: uuid('user_id').notNull(),
    sessionHash: bytes('session_hash')
      .notNull()
      .references(() => sessions.tokenHash, { onDelete: 'cascade' }),
    /** The address at the push service. */
    endpoint: text('endpoint').notNull(),
    /** The browser's P-256 key and secret, to which messages are encrypted (RFC 8291). */
    p256dh: bytes('p256dh').notNull(),
    auth: bytes('auth').notNull(),
    createdAt: at('created_at').notNull(),
    /** What came until then is told, or came before the subscription. */
    toldAt: at('told_at').notNull(),
    /** Nothing is sent before: a pause after each push, a longer one after a failure. */
    notBefore: at('not_before'),
    /** The end of the quiet hours that were found when something came; null after a change of them. */
    quietUntil: at('quiet_until'),
    /** Failures in a row, and when the first of them was. */
    failures: integer('failures').notNull().default(0),
    failingSince: at('failing_since'),
  },
  (table) => [
    index('push_subscriptions_user').on(table.userId),
    // Ending a session looks them up.
    index('push_subscriptions_session').on(table.sessionHash),
  ],
)

/** When nothing is pushed to a person: minutes of the day in that time zone. They may pass midnight. */
export const quietHours = pgTable('quiet_hours', {
  userId: uuid('user_id')
    .primaryKey()
    .references(() => users.id, { onDelete: 'cascade' }),
  fromMinute: integer('from_minute').notNull(),
  toMinute: integer('to_minute').notNull(),
  /** An IANA name, such as Europe/Berlin. */
  timeZone: text('time_zone').notNull(),
})
