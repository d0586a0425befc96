import { and, eq, sql } from 'drizzle-orm'
import type { CommitDraft } from '../../../contract/chat/rooms.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { numberOf } from '../../ground/db/roomNumber.ts'
import { chatRooms, roomCommits, roomGroups } from '../../ground/db/schema/rooms.ts'
import type { CommitRow } from './store.ts'
import { type Taken, takes } from './store-keybytes.ts'

export async function findCommit(db: Queryable, roomId: string, groupId: string, epoch: number) {
  const [row] = await db
    .select()
    .from(roomCommits)
    .where(and(eq(roomCommits.room, numberOf(roomId)), eq(roomCommits.groupId, groupId), eq(roomCommits.epoch, epoch)))
  return row
}

/** Needs the room's lock. Returns undefined beyond the day's budget. */
export async function appendCommit(tx: Queryable, senderId: string, draft: CommitDraft, taken: Taken, now: Date) {
  const { chatRoomId, generation, groupId, epoch, commit, welcome, groupInfo } = draft
  const [room] = await tx
    .update(chatRooms)
    .set({ lastSeq: sql`${chatRooms.lastSeq} + 1`, generation, groupId, epoch: epoch + 1, needsCommit: false })
    .where(eq(chatRooms.id, chatRoomId))
    .returning({ number: chatRooms.number, seq: chatRooms.lastSeq })
  if (!room) throw new Error('The locked room is gone')
  const row: CommitRow = { chatRoomId, seq: room.seq, senderId, generation, groupId, epoch, commit, createdAt: now }
  const { rowCount } = await tx.execute(sql`
    insert into room_commits (room, seq, sender_id, generation, group_id, epoch, "commit", created_at)
    select ${room.number}::bigint, ${room.seq}, ${senderId}, ${generation}, ${groupId}, ${epoch}, ${commit}, ${now}::timestamptz where ${takes(taken)}`)
  if (rowCount === 0) return undefined
  // A group's first commit clears the old Welcome.
  const welcomed = welcome === undefined ? undefined : { welcome, welcomeSeq: room.seq, welcomeEpoch: epoch + 1 }
  const cleared = epoch === 0 ? { welcome: null, welcomeSeq: null, welcomeEpoch: null } : {}
  const group = { groupInfo, ...cleared, ...welcomed }
  await tx
    .insert(roomGroups)
    .values({ chatRoomId, ...group })
    .onConflictDoUpdate({ target: roomGroups.chatRoomId, set: group })
  return row
}

export async function hasCommitsOfOneAlone(db: Queryable, roomId: string, userId: string, count: number): Promise<boolean> {
  const others = (table: string) =>
    sql`exists (select from ${sql.identifier(table)} e where e.room = ${numberOf(roomId)} and e.sender_id = any(
      array(select user_id from chat_participants where chat_room_id = ${roomId} and user_id <> ${userId})))`
  const { rows } = await db.execute<{ alone: boolean }>(sql`
    select (select count(*) from (select from room_commits where room = ${numberOf(roomId)} limit ${count}) c) = ${count}
      and not ${others('messages')} and not ${others('room_commits')} as alone`)
  return rows[0]?.alone ?? false
}

/** Returns false beyond the day's budget. */
export async function setGroupInfo(tx: Queryable, roomId: string, groupInfo: string, taken: Taken): Promise<boolean> {
  const { rowCount } = await tx
    .update(roomGroups)
    .set({ groupInfo })
    .where(and(eq(roomGroups.chatRoomId, roomId), takes(taken)))
  return rowCount !== 0
}
