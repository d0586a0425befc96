import { and, eq, inArray, lt, sql } from 'drizzle-orm'
import type { Queryable } from '../db/connect.ts'
import { objects } from '../db/schema/files.ts'

type Row = typeof objects.$inferSelect
export type Received = Pick<Row, 'sizeBytes' | 'hash' | 'mediaType'>

const WAITING = ['awaited', 'stored'] as const

export async function insertObject(db: Queryable, row: Pick<Row, 'id' | 'ownerId' | 'kind' | 'createdAt'>): Promise<void> {
  await db.insert(objects).values({ ...row, state: 'awaited' })
}

/** Drops the owner's files that nobody uses, but the newest ones. */
export async function dropBeyond(db: Queryable, ownerId: string, kept: number): Promise<void> {
  const older = db
    .select({ id: objects.id })
    .from(objects)
    .where(and(eq(objects.ownerId, ownerId), inArray(objects.state, [...WAITING])))
    .orderBy(sql`${objects.createdAt} desc, ${objects.id}`)
    .offset(kept)
  await db
    .update(objects)
    .set({ state: 'dropped' })
    .where(and(inArray(objects.id, older), inArray(objects.state, [...WAITING])))
}

export async function findObject(db: Queryable, id: string): Promise<Row | undefined> {
  const [row] = await db.select().from(objects).where(eq(objects.id, id))
  return row
}

/** Moves a file from one state to the next. Returns false if it is in another state, or gone. */
export async function move(
  db: Queryable,
  id: string,
  [from, to]: readonly [Row['state'], Row['state']],
  received: Partial<Received> = {},
): Promise<boolean> {
  const moved = await db
    .update(objects)
    .set({ state: to, ...received })
    .where(and(eq(objects.id, id), eq(objects.state, from)))
    .returning({ id: objects.id })
  return moved.length > 0
}

export async function dropOne(db: Queryable, ownerId: string, id: string): Promise<void> {
  await db
    .update(objects)
    .set({ state: 'dropped' })
    .where(and(eq(objects.id, id), eq(objects.ownerId, ownerId)))
}

export async function dropAllOf(db: Queryable, ownerId: string): Promise<void> {
  await db.update(objects).set({ state: 'dropped' }).where(eq(objects.ownerId, ownerId))
}

/** Drops what was begun before that time and is used by nobody. */
export async function dropAbandoned(db: Queryable, before: Date): Promise<void> {
  const isAbandoned = and(inArray(objects.state, [...WAITING, 'arriving']), lt(objects.createdAt, before))
  await db.update(objects).set({ state: 'dropped' }).where(isAbandoned)
}

export async function findDropped(db: Queryable, atMost: number): Promise<string[]> {
  const rows = await db.select({ id: objects.id }).from(objects).where(eq(objects.state, 'dropped')).limit(atMost)
  return rows.map(({ id }) => id)
}

export async function deleteObjects(db: Queryable, ids: string[]): Promise<void> {
  if (ids.length > 0) await db.delete(objects).where(inArray(objects.id, ids))
}
