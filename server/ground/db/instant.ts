import { type SQL, sql } from 'drizzle-orm'

/** The time as in JSON: UTC, ISO 8601, milliseconds. For rows that PostgreSQL writes as JSON. */
export const instantOf = (time: SQL): SQL => sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
