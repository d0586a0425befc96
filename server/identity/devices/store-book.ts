import { and, desc, eq, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Queryable } from '../../ground/db/connect.ts'
import { books } from '../../ground/db/schema/devices.ts'

/** Lists newest first, without sealed content. */
export async function findBooks(db: Queryable, userId: string) {
  return await db
    .select({ deviceId: books.deviceId, version: books.version, historyKeyId: books.historyKeyId })
    .from(books)
    .where(eq(books.userId, userId))
    .orderBy(desc(books.version))
}

/** Characters of the newest book. PostgreSQL knows them without reading it. */
export async function findBookChars(db: Queryable, userId: string): Promise<number> {
  const [row] = await db
    .select({ chars: sql<number>`octet_length(${books.sealed})` })
    .from(books)
    .where(eq(books.userId, userId))
    .orderBy(desc(books.version))
    .limit(1)
  return row?.chars ?? 0
}

export async function findBook(db: Queryable, userId: string, deviceId: string) {
  const [row] = await db
    .select()
    .from(books)
    .where(and(eq(books.userId, userId), eq(books.deviceId, deviceId)))
  return row
}

/** The caller holds the account's lock. */
export async function saveBook(
  db: Queryable,
  row: Omit<typeof books.$inferInsert, 'sealed'> & { sealed: Buffer },
): Promise<void> {
  // Naming the values would send megabytes twice.
  const { version, historyKeyId, sealed, signature } = books
  const set = {
    version: excluded(version),
    historyKeyId: excluded(historyKeyId),
    sealed: excluded(sealed),
    signature: excluded(signature),
  }
  // PostgreSQL breaks base64 into lines.
  const asText = sql`translate(encode(${row.sealed}::bytea, 'base64'), chr(10), '')`
  await db
    .insert(books)
    .values({ ...row, sealed: asText })
    .onConflictDoUpdate({ target: [books.userId, books.deviceId], set })
}

const excluded = (column: PgColumn) => sql`excluded.${sql.identifier(column.name)}`
