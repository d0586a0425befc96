import { sql } from 'drizzle-orm'

/** Any constant. A backup holds it until all files are copied. */
export const BACKUP_LOCK = 7_302_118

/**
 * PostgreSQL looks at the locks after the statement's snapshot. So rows that such a statement finds were as they are before the backup
 * began.
 */
export const noBackupRuns = sql`not exists (select from pg_locks where locktype = 'advisory' and granted and classid = 0
  and objid = ${sql.raw(String(BACKUP_LOCK))}::bigint::oid and objsubid = 1
  and database = (select oid from pg_database where datname = current_database()))`
