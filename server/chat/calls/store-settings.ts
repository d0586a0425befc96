import { and, eq, isNull } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'

export async function findRingsClosed(db: Queryable, userId: string): Promise<boolean> {
  const [row] = await db.select({ ringsClosed: users.ringsClosed }).from(users).where(eq(users.id, userId))
  return row?.ringsClosed ?? false
}

export async function setRingsClosed(db: Queryable, userId: string, ringsClosed: boolean): Promise<void> {
  await db
    .update(users)
    .set({ ringsClosed })
    .where(and(eq(users.id, userId), isNull(users.deletedAt)))
}
