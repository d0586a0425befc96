import { and, asc, eq } from 'drizzle-orm'
import type { Queryable } from '../ground/db/connect.ts'
import { sandboxObjects } from '../ground/db/schema/payments.ts'

export async function find(db: Queryable, id: string): Promise<Record<string, unknown> | undefined> {
  const [row] = await db.select({ body: sandboxObjects.body }).from(sandboxObjects).where(eq(sandboxObjects.id, id))
  return row?.body
}

export async function keep(db: Queryable, row: Omit<typeof sandboxObjects.$inferInsert, 'place'>): Promise<void> {
  await db
    .insert(sandboxObjects)
    .values(row)
    .onConflictDoUpdate({ target: sandboxObjects.id, set: { body: row.body } })
}

/** Lists objects of a kind, of one customer if that is given, the oldest first. */
export async function list(db: Queryable, kind: string, customer?: string): Promise<Record<string, unknown>[]> {
  const isOf = customer === undefined ? undefined : eq(sandboxObjects.customer, customer)
  const rows = await db
    .select({ body: sandboxObjects.body })
    .from(sandboxObjects)
    .where(and(eq(sandboxObjects.kind, kind), isOf))
    .orderBy(asc(sandboxObjects.place))
  return rows.map(({ body }) => body)
}
