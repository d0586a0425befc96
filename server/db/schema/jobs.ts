import { pgTable, text } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/** The last run of each job, by its name: decides which one is due. */
export const jobs = pgTable('jobs', {
  name: text('name').primaryKey(),
  lastStartedAt: at('last_started_at').notNull(),
  /** null until the first run has ended. */
  lastFinishedAt: at('last_finished_at'),
  /** running: also of a run that was killed. stopped: the server stopped before all was done. */
  outcome: text('outcome').$type<'running' | 'done' | 'failed' | 'stopped'>().notNull(),
})
