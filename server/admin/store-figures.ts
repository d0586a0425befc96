import { asc, desc, eq, gte, isNotNull, sql } from 'drizzle-orm'
import type { Queryable } from '../ground/db/connect.ts'
import { dailyFigures } from '../ground/db/schema/figures.ts'
import { jobs } from '../ground/db/schema/jobs.ts'
import { serverNodes } from '../ground/db/schema/presence.ts'

/** Counts living accounts by their effective plan; null for an unknown one. */
export async function countPlans(db: Queryable, now: Date): Promise<{ tier: string | null; people: number }[]> {
  const at = sql`${now}::timestamptz`
  const members = sql`users u where u.master_account_id is not null and u.deleted_at is null`
  const { rows } = await db.execute<{ tier: string | null; people: number }>(sql`
    select tier, sum(people)::int as people
    from (
      select r.tier, c.people from plan_counts c left join plan_rights r on r.plan = c.plan where c.at <= ${at}
      union all select (select r.tier from plan_rights r where r.plan = plan_of(u, ${at})), -1 from ${members}
      union all select (select r.tier from rights_of(u.id, ${at}) r), 1 from ${members}) counted
    group by tier having sum(people) <> 0`)
  return rows
}

/** Makes one row of each plan and instant that has several: of what counts already, one a plan. */
export async function foldPlanCounts(db: Queryable, now: Date): Promise<void> {
  const spot = sql`case when at <= ${now}::timestamptz then '-infinity'::timestamptz else at end`
  await db.execute(sql`
    with spots as (
      select plan, ${spot} as spot from plan_counts group by 1, 2 having count(*) > 1),
    gone as (
      delete from plan_counts c using spots s where c.plan = s.plan and ${spot} = s.spot
      returning c.plan, s.spot, c.people)
    insert into plan_counts (plan, at, people)
    select plan, spot, sum(people) from gone group by 1, 2 having sum(people) <> 0`)
}

/** Returns the sums of days from this one on, oldest first. */
export const findDays = (db: Queryable, since: string, limit: number) =>
  db.select().from(dailyFigures).where(gte(dailyFigures.day, since)).orderBy(asc(dailyFigures.day)).limit(limit)

/** Returns what was stored when it was written last; undefined before that. */
export async function readStorage(db: Queryable): Promise<number | undefined> {
  const [row] = await db
    .select({ bytes: dailyFigures.storageBytes })
    .from(dailyFigures)
    .where(isNotNull(dailyFigures.storageBytes))
    .orderBy(desc(dailyFigures.day))
    .limit(1)
  return row?.bytes ?? undefined
}

/**
 * Writes the sums of a UTC day. Who was there is known by what they have used last, so a day counts fully only while it lasts: a sum
 * never falls.
 */
export async function writeDay(db: Queryable, day: string): Promise<void> {
  const isOn = (time: ReturnType<typeof sql>) =>
    sql`${time} >= ${day}::date::timestamptz and ${time} < ${day}::date::timestamptz + interval '1 day'`
  await db.execute(sql`
    insert into daily_figures as f (day, sign_ups, active, messages)
    select ${day}::date,
      (select count(*) from users where ${isOn(sql`created_at`)}),
      (select count(*) from (
        select user_id from sessions where ${isOn(sql`last_used_at`)}
        union select user_id from presence where ${isOn(sql`last_seen`)}) seen),
      (select count(*) from messages where ${isOn(sql`created_at`)})
    on conflict (day) do update set
      sign_ups = greatest(f.sign_ups, excluded.sign_ups),
      active = greatest(f.active, excluded.active),
      messages = greatest(f.messages, excluded.messages)`)
}

/** Writes what is stored now to that day. */
export async function writeStorage(db: Queryable, day: string): Promise<void> {
  const storageBytes = sql`(select coalesce(sum(size_bytes), 0) from objects)`
  await db.update(dailyFigures).set({ storageBytes }).where(eq(dailyFigures.day, day))
}

export async function describeDatabase(db: Queryable) {
  const { rows } = await db.execute<{ version: string; bytes: number; migrations: number }>(sql`
    select current_setting('server_version') as version, pg_database_size(current_database())::float8 as bytes,
      (select count(*)::int from drizzle.__drizzle_migrations) as migrations`)
  const [row] = rows
  if (!row) throw new Error('The database has not described itself')
  const runs = await db
    .select({ name: jobs.name, lastStartedAt: jobs.lastStartedAt, outcome: jobs.outcome })
    .from(jobs)
    .orderBy(desc(jobs.lastStartedAt))
    .limit(100)
  return {
    databaseVersion: row.version,
    databaseBytes: row.bytes,
    migrations: row.migrations,
    processes: await db.$count(serverNodes),
    jobs: runs,
  }
}
