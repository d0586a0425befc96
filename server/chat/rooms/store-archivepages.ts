import { and, asc, eq, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { archivePages } from '../../ground/db/schema/chatlocks.ts'
import { archiveKeys } from '../../ground/db/schema/rooms.ts'

const { number, version, historyKeyId, sealed } = archivePages

export async function findHeads(db: Queryable, roomId: string, userId: string, atMost: number) {
  return await db
    .select({ number, version, historyKeyId })
    .from(archivePages)
    .where(isOf(roomId, userId))
    .orderBy(asc(number))
    .limit(atMost)
}

export async function findPage(db: Queryable, roomId: string, userId: string, at: number) {
  const [page] = await db
    .select({ number, version, historyKeyId, sealed })
    .from(archivePages)
    .where(and(isOf(roomId, userId), eq(number, at)))
  return page
}

/** Returns false unless the stored page has the version before. The same page changes nothing. */
export async function putPage(tx: Queryable, page: typeof archivePages.$inferInsert): Promise<boolean> {
  const isIt = and(isOf(page.chatRoomId, page.userId), eq(number, page.number))
  const written =
    page.version === 1
      ? await tx.insert(archivePages).values(page).onConflictDoNothing().returning({ version })
      : await tx
          .update(archivePages)
          .set(page)
          .where(and(isIt, eq(version, page.version - 1)))
          .returning({ version })
  if (written.length > 0) return true
  return (await tx.$count(archivePages, and(isIt, eq(version, page.version), eq(sealed, page.sealed)))) > 0
}

export async function findKeysLeft(db: Queryable, roomId: string, userId: string, atMost: number) {
  return await db
    .select({
      userId: archiveKeys.userId,
      groupId: archiveKeys.groupId,
      epoch: archiveKeys.epoch,
      historyKeyId: archiveKeys.historyKeyId,
      sealed: archiveKeys.sealed,
    })
    .from(archiveKeys)
    .where(and(eq(archiveKeys.chatRoomId, roomId), eq(archiveKeys.userId, userId)))
    .orderBy(asc(archiveKeys.groupId), asc(archiveKeys.epoch), asc(archiveKeys.historyKeyId), asc(archiveKeys.sealedBy))
    .limit(atMost)
}

export async function deleteKeys(
  tx: Queryable,
  roomId: string,
  userId: string,
  epochs: { groupId: string; epoch: number }[],
): Promise<void> {
  if (epochs.length === 0) return
  await tx.execute(sql`
    delete from archive_keys k
    using unnest(${sql.param(epochs.map(({ groupId }) => groupId))}::text[], ${sql.param(epochs.map(({ epoch }) => epoch))}::int[])
      as paged(group_id, epoch)
    where k.chat_room_id = ${roomId} and k.user_id = ${userId} and k.group_id = paged.group_id and k.epoch = paged.epoch`)
}

const isOf = (roomId: string, userId: string) => and(eq(archivePages.chatRoomId, roomId), eq(archivePages.userId, userId))
