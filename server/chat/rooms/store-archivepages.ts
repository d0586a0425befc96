import { and, asc, eq, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { archivePages } from '../../ground/db/schema/chatlocks.ts'
import { archiveKeys } from '../../ground/db/schema/rooms.ts'
import { type Taken, takes } from './store-keybytes.ts'

type Page = typeof archivePages.$inferSelect

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

/** Returns undefined unless the stored page has the version before, false where `taken` is beyond the day's budget. */
export async function putPage(tx: Queryable, page: Page, taken: Taken): Promise<boolean | undefined> {
  const isIt = and(isOf(page.chatRoomId, page.userId), eq(number, page.number))
  const [stored] = await tx.select({ version, sealed }).from(archivePages).where(isIt)
  // The answer of this very page was lost.
  if (stored?.version === page.version && stored.sealed === page.sealed) return true
  if ((stored?.version ?? 0) !== page.version - 1) return undefined
  const { rowCount } = await tx.execute(sql`
    insert into archive_pages (chat_room_id, user_id, "number", version, history_key_id, sealed)
    select ${page.chatRoomId}, ${page.userId}::uuid, ${page.number}::int, ${page.version}::int, ${page.historyKeyId}::int, ${page.sealed}
    where ${takes(taken)}
    on conflict (chat_room_id, user_id, "number") do update
    set version = excluded.version, history_key_id = excluded.history_key_id, sealed = excluded.sealed`)
  return rowCount !== 0
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
