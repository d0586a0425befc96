import { and, asc, desc, eq, isNull, ne, notInArray, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { numberOf } from '../../ground/db/roomNumber.ts'
import { archivePages } from '../../ground/db/schema/chatlocks.ts'
import { archiveKeys } from '../../ground/db/schema/rooms.ts'
import { type Taken, takes } from './store-keybytes.ts'

type Page = typeof archivePages.$inferSelect

const { number, version, historyKeyId, sealed, writtenBy } = archivePages

export async function findHeads(db: Queryable, roomId: string, userId: string) {
  return await db
    .select({ number, version, historyKeyId, writtenBy })
    .from(archivePages)
    .where(isOf(roomId, userId))
    .orderBy(asc(number), desc(version))
}

export async function findPage(db: Queryable, roomId: string, userId: string, at: number, asked?: number) {
  const [page] = await db
    .select({ number, version, historyKeyId, sealed, writtenBy })
    .from(archivePages)
    .where(and(isOf(roomId, userId), eq(number, at), asked === undefined ? undefined : eq(version, asked)))
    .orderBy(desc(version))
    .limit(1)
  return page
}

/** Returns false beyond the day's budget. */
export async function putPage(tx: Queryable, page: Page, taken: Taken): Promise<boolean> {
  const { rowCount } = await tx.execute(sql`
    insert into archive_pages (room, user_id, "number", written_by, version, history_key_id, sealed)
    select ${page.room}::bigint, ${page.userId}::uuid, ${page.number}::int, ${page.writtenBy}, ${page.version}::int,
      ${page.historyKeyId}::int, ${page.sealed}
    where ${takes(taken)}
    on conflict (room, user_id, "number", written_by) do update
    set version = excluded.version, history_key_id = excluded.history_key_id, sealed = excluded.sealed`)
  return rowCount !== 0
}

/** Spares another device's newest: `any`, or only one `under_seed`. */
export async function deleteOlder(
  tx: Queryable,
  { room, userId, ...page }: Page,
  spares: 'none' | 'under_seed' | 'any',
): Promise<void> {
  const isSame = and(isNumbered(room, userId), eq(number, page.number))
  const other = tx
    .select({ version })
    .from(archivePages)
    .where(and(isSame, ne(writtenBy, page.writtenBy), spares === 'under_seed' ? isNull(historyKeyId) : undefined))
    .orderBy(desc(version))
    .limit(spares === 'none' ? 0 : 1)
  await tx.delete(archivePages).where(and(isSame, ne(version, page.version), notInArray(version, other)))
}

export async function findKeysLeft(db: Queryable, roomId: string, userId: string, device: string | undefined, atMost: number) {
  return await db
    .select({
      userId: archiveKeys.userId,
      groupId: archiveKeys.groupId,
      epoch: archiveKeys.epoch,
      historyKeyId: archiveKeys.historyKeyId,
      sealed: archiveKeys.sealed,
    })
    .from(archiveKeys)
    .where(
      and(
        eq(archiveKeys.room, numberOf(roomId)),
        eq(archiveKeys.userId, userId),
        device === undefined ? undefined : sql`${archiveKeys.pagedBy} is distinct from ${device}`,
      ),
    )
    .orderBy(asc(archiveKeys.groupId), asc(archiveKeys.epoch), asc(archiveKeys.historyKeyId), asc(archiveKeys.sealedBy))
    .limit(atMost)
}

interface Paged {
  room: number
  userId: string
  epochs: { groupId: string; epoch: number }[]
  writtenBy: string | undefined
}

/** Deletes keys that another device has put into a page too. */
export async function pageKeys(tx: Queryable, { room, userId, epochs, writtenBy: device }: Paged): Promise<void> {
  if (epochs.length === 0) return
  const isNamed = sql`${archiveKeys.room} = ${room} and ${archiveKeys.userId} = ${userId}
    and (${archiveKeys.groupId}, ${archiveKeys.epoch}) in (
      select * from unnest(${sql.param(epochs.map(({ groupId }) => groupId))}::text[], ${sql.param(epochs.map(({ epoch }) => epoch))}::int[]))`
  await tx.delete(archiveKeys).where(device === undefined ? isNamed : and(isNamed, ne(archiveKeys.pagedBy, device)))
  if (device !== undefined) await tx.update(archiveKeys).set({ pagedBy: device }).where(isNamed)
}

const isOf = (roomId: string, userId: string) => and(eq(archivePages.room, numberOf(roomId)), eq(archivePages.userId, userId))

const isNumbered = (room: number, userId: string) => and(eq(archivePages.room, room), eq(archivePages.userId, userId))
