import { sql } from 'drizzle-orm'
import { boolean, index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { users } from './account.ts'
import { at, bytes } from './columns.ts'

/** Calls that ring, run, or ended within `CALL_LIMITS.overSeconds`. */
export const calls = pgTable(
  'calls',
  {
    /** Chosen by the caller's browser. */
    id: uuid('id').primaryKey(),
    callerId: uuid('caller_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    calleeId: uuid('callee_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    callType: text('call_type').$type<'voice' | 'video'>().notNull(),
    attempt: integer('attempt').notNull(),
    /** SHA-256 of the session's token, as the next one. */
    callerSession: bytes('caller_session').notNull(),
    calleeSession: bytes('callee_session'),
    /** These two are for browsers that come while it rings; null afterwards [Note: M3]. */
    callerDevice: text('caller_device'),
    signal: text('signal'),
    /** False: the callee hears nothing of it. */
    isRung: boolean('is_rung').notNull(),
    rangAt: at('rang_at').notNull(),
    answeredAt: at('answered_at'),
    endedAt: at('ended_at'),
    callerBeatAt: at('caller_beat_at'),
    calleeBeatAt: at('callee_beat_at'),
    /** Counted so far. */
    minutes: integer('minutes').notNull().default(0),
  },
  (table) => [
    index('calls_caller').on(table.callerId),
    index('calls_callee').on(table.calleeId),
    index('calls_live').on(table.rangAt).where(sql`${table.endedAt} is null`),
    index('calls_over').on(table.endedAt),
  ],
)
