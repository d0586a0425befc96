import { and, between, eq, inArray, isNull, lt, ne, notExists, or, sql } from 'drizzle-orm'
import { noBackupRuns } from '../../ground/db/backupLock.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { numberOf } from '../../ground/db/roomNumber.ts'
import { fileUsage, objectParts, objects } from '../../ground/db/schema/files.ts'

type Row = typeof objects.$inferSelect
export type Kind = Row['kind']
export type Received = Pick<Row, 'mediaType'> & { sizeBytes: number; hash: Buffer }

const WAITING = ['awaited', 'stored'] as const

export async function insertObject(
  db: Queryable,
  row: Pick<Row, 'id' | 'ownerId' | 'kind' | 'createdAt' | 'uploadId'>,
): Promise<void> {
  await db.insert(objects).values({ ...row, state: 'awaited' })
}

/** Keeps the newest `kept` unused files. */
export async function dropBeyond(db: Queryable, ownerId: string, kind: Kind, kept: number): Promise<void> {
  const older = db
    .select({ id: objects.id })
    .from(objects)
    .where(and(eq(objects.ownerId, ownerId), eq(objects.kind, kind), inArray(objects.state, [...WAITING])))
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

/** Returns false for a file in another state, or none. */
export async function move(
  db: Queryable,
  id: string,
  [from, to]: readonly [Row['state'], Row['state']],
  received: Partial<Received> | { sizeBytes: null } = {},
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

/** Returns false if no such file waits. */
export async function dropWaiting(db: Queryable, ownerId: string, id: string): Promise<boolean> {
  const isWaiting = and(eq(objects.id, id), eq(objects.ownerId, ownerId), eq(objects.kind, 'file'))
  const dropped = await db
    .update(objects)
    .set({ state: 'dropped' })
    .where(and(isWaiting, ne(objects.state, 'used')))
    .returning({ id: objects.id })
  return dropped.length > 0
}

/** Keeps files that a message carries. */
export async function dropOwn(db: Queryable, ownerId: string): Promise<void> {
  await db
    .update(objects)
    .set({ state: 'dropped' })
    .where(and(eq(objects.ownerId, ownerId), isNull(objects.messageSeq)))
  await db.delete(fileUsage).where(eq(fileUsage.userId, ownerId))
}

/** Drops unused files from before `before`, arriving ones from before `lost`, and those of deleted rooms. */
export async function dropAbandoned(db: Queryable, before: Date, lost: Date): Promise<void> {
  const isAbandoned = or(
    and(inArray(objects.state, [...WAITING]), lt(objects.createdAt, before)),
    and(eq(objects.state, 'arriving'), lt(objects.createdAt, lost)),
  )
  const isRoomless = and(eq(objects.state, 'used'), eq(objects.kind, 'file'), isNull(objects.chatRoomId))
  await db.update(objects).set({ state: 'dropped' }).where(or(isAbandoned, isRoomless))
}

/** undefined if the plan is unknown. */
export async function findSpace(db: Queryable, userId: string, now: Date) {
  const { rows } = await db.execute<Record<'storage' | 'file' | 'stored', string> & { shares: boolean }>(sql`
    select r.can_share_files as shares, r.storage_bytes as storage, r.file_bytes as file, coalesce(u.stored_bytes, 0) as stored
    from rights_of(${userId}::uuid, ${now}::timestamptz) r left join file_usage u on u.user_id = ${userId}::uuid`)
  const [row] = rows
  return (
    row && {
      canShareFiles: row.shares,
      storageBytes: Number(row.storage),
      fileBytes: Number(row.file),
      storedBytes: Number(row.stored),
    }
  )
}

/** Values as in `readerOf`. */
export async function isGiven(
  db: Queryable,
  { chatRoomId, seq }: { chatRoomId: string; seq: number },
  reader: { readerId: string; clearedSeq: number; withheld: string },
): Promise<boolean> {
  const { rows } = await db.execute(sql`
    select from messages m where m.room = ${numberOf(chatRoomId)} and m.seq = ${seq} and m.content <> '' and m.seq > ${reader.clearedSeq}::bigint
      and not (m.sender_id <> ${reader.readerId}::uuid and m.seq <@ ${reader.withheld}::int8multirange)`)
  return rows.length > 0
}

/** Maps ids of objects and parts to true if the bucket must have their bytes. */
export async function findNamed(db: Queryable, prefix: string): Promise<Map<string, boolean>> {
  const [from, to] = [`${prefix}000000-0000-0000-0000-000000000000`, `${prefix}ffffff-ffff-ffff-ffff-ffffffffffff`]
  // Parts hold the bytes of their file.
  const isWhole = notExists(db.select().from(objectParts).where(eq(objectParts.objectId, objects.id)))
  const whole = await db
    .select({ id: objects.id, isKept: sql<boolean>`${objects.state} in ('stored', 'used') and ${isWhole}` })
    .from(objects)
    .where(between(objects.id, from, to))
  const parts = await db
    .select({ id: objectParts.id, isKept: sql<boolean>`${objectParts.state} = 'stored'` })
    .from(objectParts)
    .where(between(objectParts.id, from, to))
  return new Map([...whole, ...parts].map(({ id, isKept }) => [id, isKept]))
}

/** Returns the ids whose bytes are still to come. */
export async function findAwaited(db: Queryable, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const isComing = and(inArray(objects.id, ids), inArray(objects.state, ['awaited', 'arriving']))
  return new Set((await db.select({ id: objects.id }).from(objects).where(isComing)).map(({ id }) => id))
}

/** Finds none while a backup runs: it still copies them. */
export async function findDropped(db: Queryable, atMost: number): Promise<string[]> {
  const rows = await db
    .select({ id: objects.id })
    .from(objects)
    .where(and(eq(objects.state, 'dropped'), noBackupRuns))
    .limit(atMost)
  return rows.map(({ id }) => id)
}

export async function deleteObjects(db: Queryable, ids: string[]): Promise<void> {
  if (ids.length > 0) await db.delete(objects).where(inArray(objects.id, ids))
}
