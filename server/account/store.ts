import { eq, sql } from 'drizzle-orm'
import type { Queryable } from '../db/connect.ts'
import { users } from '../db/schema.ts'

type Row = typeof users.$inferSelect

/** The account with that name, regardless of case. */
export async function findByUsername(db: Queryable, username: string): Promise<Row | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(eq(sql`lower(${users.username})`, username.toLowerCase()))
  return row
}

export async function findById(db: Queryable, userId: string): Promise<Row | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, userId))
  return row
}

export async function insertUser(db: Queryable, row: typeof users.$inferInsert): Promise<Row> {
  const [user] = await db.insert(users).values(row).returning()
  if (!user) throw new Error('The account was not stored')
  return user
}

export async function replaceVerifier(db: Queryable, userId: string, passwordHash: Buffer): Promise<void> {
  await db.update(users).set({ passwordHash }).where(eq(users.id, userId))
}
