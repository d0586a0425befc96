import { type AnyColumn, type SQL, sql } from 'drizzle-orm'

/** Sums the bytes of the rows before. */
export const bytesBefore = (text: AnyColumn | SQL, order: SQL) =>
  sql`sum(octet_length(${text})) over (order by ${order}) - octet_length(${text})`.mapWith(Number).as('bytes_before')
