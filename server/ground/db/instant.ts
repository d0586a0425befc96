import { type SQL, sql } from 'drizzle-orm'

/** UTC, ISO 8601, milliseconds. */
export const instantOf = (time: SQL): SQL => sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
