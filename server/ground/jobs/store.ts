import { eq, sql } from 'drizzle-orm'
import type pg from 'pg'
import { inTime } from '../db/askTogether.ts'
import type { Queryable } from '../db/connect.ts'
import { jobs } from '../db/schema/jobs.ts'

/** Any constant: the first key of the jobs' advisory locks. */
const JOB_LOCKS = 7_302_115
/** Longer than PostgreSQL's own timeouts, so that only a dead connection reaches it. */
const ANSWER_MS = 60_000

/** Runs `work` while it holds the lock of that name. Does nothing if another connection holds the lock. */
export async function whileLocked(pool: pg.Pool, name: string, work: () => Promise<void>): Promise<void> {
  const client = await pool.connect()
  // The lock belongs to the connection and ends with it, also when this process is killed.
  let isLeft = true
  const ask = (statement: string) => inTime(client.query<{ held: boolean }>(statement, [JOB_LOCKS, name]), ANSWER_MS)
  try {
    const { rows } = await ask('select pg_try_advisory_lock($1, hashtext($2)) as held')
    if (rows[0]?.held) {
      await work()
      await ask('select pg_advisory_unlock($1, hashtext($2))')
    }
    isLeft = false
  } finally {
    client.release(isLeft)
  }
}

export function findRuns(db: Queryable) {
  return db.select().from(jobs)
}

export type Run = typeof jobs.$inferSelect

/** Records the job's start. Returns false if its last start is not `before`, because another server was faster. */
export async function noteStart(db: Queryable, name: string, before: Run | undefined, now: Date): Promise<boolean> {
  const started = { lastStartedAt: now, outcome: 'running' as const }
  const noted = await db
    .insert(jobs)
    .values({ name, ...started })
    .onConflictDoUpdate({
      target: jobs.name,
      set: started,
      setWhere: before ? eq(jobs.lastStartedAt, before.lastStartedAt) : sql`false`,
    })
    .returning({ name: jobs.name })
  return noted.length === 1
}

export async function noteEnd(db: Queryable, name: string, outcome: Run['outcome'], now: Date): Promise<void> {
  await db.update(jobs).set({ lastFinishedAt: now, outcome }).where(eq(jobs.name, name))
}
