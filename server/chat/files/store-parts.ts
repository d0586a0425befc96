import { and, eq, inArray, ne, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { objectParts, objects } from '../../ground/db/schema/files.ts'

export type Row = typeof objectParts.$inferSelect
export type PartKey = Pick<Row, 'id' | 'objectId' | 'partNumber'>

/** Returns false if the upload takes no more parts. */
export async function holdAwaited(tx: Queryable, objectId: string): Promise<boolean> {
  const isAwaited = and(eq(objects.id, objectId), eq(objects.state, 'awaited'))
  return (await tx.select({ id: objects.id }).from(objects).where(isAwaited).for('no key update')).length > 0
}

/** `numbers`: of other parts. `rows` and `bytes`: of all, also arriving and replaced ones. */
export async function countParts(
  db: Queryable,
  objectId: string,
  partNumber: number,
): Promise<{ numbers: number; rows: number; bytes: number }> {
  const [row] = await db
    .select({
      numbers: sql<number>`count(distinct ${objectParts.partNumber}) filter (where ${objectParts.partNumber} <> ${partNumber})::int`,
      rows: sql<number>`count(*)::int`,
      bytes: sql<number>`coalesce(sum(${objectParts.sizeBytes}), 0)::int`,
    })
    .from(objectParts)
    .where(eq(objectParts.objectId, objectId))
  return row ?? { numbers: 0, rows: 0, bytes: 0 }
}

export async function insertPart(db: Queryable, row: PartKey & Pick<Row, 'sizeBytes'>): Promise<void> {
  await db.insert(objectParts).values({ ...row, state: 'arriving' })
}

/** Counts a part with two rows once. */
export async function sumParts(tx: Queryable, objectId: string): Promise<number> {
  const [row] = await tx
    .update(objects)
    .set({
      sizeBytes: sql`(select sum(size_bytes) from (
        select max(size_bytes) as size_bytes from object_parts
        where object_id = ${objectId} and state <> 'dropped' group by part_number) parts)`,
    })
    .where(eq(objects.id, objectId))
    .returning({ sizeBytes: objects.sizeBytes })
  return row?.sizeBytes ?? 0
}

/** Returns true if the part replaces another. */
export async function storePart(tx: Queryable, { id, objectId, partNumber }: PartKey, etag: string): Promise<boolean> {
  const isThis = eq(objectParts.id, id)
  const sameNumber = and(eq(objectParts.objectId, objectId), eq(objectParts.partNumber, partNumber))
  const changed = await tx
    .update(objectParts)
    .set({
      state: sql`case when ${isThis} then 'stored' else 'dropped' end`,
      etag: sql`case when ${isThis} then ${etag} else ${objectParts.etag} end`,
    })
    .where(and(sameNumber, or(isThis, eq(objectParts.state, 'stored'))))
    .returning({ id: objectParts.id })
  return changed.length > 1
}

/** Returns stored parts by number. */
export async function findParts(db: Queryable, objectId: string): Promise<Row[]> {
  return await db
    .select()
    .from(objectParts)
    .where(and(eq(objectParts.objectId, objectId), eq(objectParts.state, 'stored')))
    .orderBy(objectParts.partNumber)
}

export async function findReplaced(db: Queryable, objectId: string): Promise<string[]> {
  const isReplaced = and(eq(objectParts.objectId, objectId), eq(objectParts.state, 'dropped'))
  return (await db.select({ id: objectParts.id }).from(objectParts).where(isReplaced)).map(({ id }) => id)
}

/** Needs a complete file. */
export async function findUnused(db: Queryable, objectId: string): Promise<string[]> {
  const isUnused = and(eq(objectParts.objectId, objectId), ne(objectParts.state, 'stored'))
  return (await db.select({ id: objectParts.id }).from(objectParts).where(isUnused)).map(({ id }) => id)
}

export async function findAllParts(db: Queryable, objectIds: string[]): Promise<string[]> {
  if (objectIds.length === 0) return []
  const rows = await db.select({ id: objectParts.id }).from(objectParts).where(inArray(objectParts.objectId, objectIds))
  return rows.map(({ id }) => id)
}

export async function deleteParts(db: Queryable, ids: string[]): Promise<void> {
  if (ids.length > 0) await db.delete(objectParts).where(inArray(objectParts.id, ids))
}
