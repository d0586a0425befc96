import { type AnyColumn, type SQL, sql } from 'drizzle-orm'

/** The bytes that this text has in the rows before a row, in that order: a page ends by size where it reaches a bound. */
export const bytesBefore = (text: AnyColumn | SQL, order: SQL) =>
  sql`sum(octet_length(${text})) over (order by ${order}) - octet_length(${text})`.mapWith(Number).as('bytes_before')
