import { pgTable, text } from 'drizzle-orm/pg-core'
import { at } from './columns.ts'

/** The last run of each job, by name. It decides when the job is due. */
export const jobs = pgTable('jobs', {
  name: text('name').primaryKey(),
  lastStartedAt: at('last_started_at').notNull(),
  /** null until the first run has ended. */
  lastFinishedAt: at('last_finished_at'),
  /** running: in progress, or killed. stopped: the server stopped before the run was complete. */
  outcome: text('outcome').$type<'running' | 'done' | 'failed' | 'stopped'>().notNull(),
})
