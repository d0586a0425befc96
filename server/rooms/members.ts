import { eq } from 'drizzle-orm'
import type { Queryable } from '../db/connect.ts'
import { chatParticipants, chatRooms } from '../db/schema/rooms.ts'
import { Refusal } from '../refuse.ts'

export interface Member {
  userId: string
  deliveredSeq: number
  readSeq: number
}

export interface Room {
  id: string
  lastSeq: number
  /** 0 before the first group. */
  generation: number
  groupId: string | null
  epoch: number
  /** A member deleted their account: the log has its last entry. */
  isClosed: boolean
  members: Member[]
}

/** A room and its members, as one of them sees it. A stranger must not learn that the room exists: Refusal `not_found`. */
export async function requireRoom(db: Queryable, userId: string, roomId: string): Promise<Room> {
  const rows = await db
    .select({
      room: {
        id: chatRooms.id,
        lastSeq: chatRooms.lastSeq,
        generation: chatRooms.generation,
        groupId: chatRooms.groupId,
        epoch: chatRooms.epoch,
        isClosed: chatRooms.isClosed,
      },
      member: {
        userId: chatParticipants.userId,
        deliveredSeq: chatParticipants.deliveredSeq,
        readSeq: chatParticipants.readSeq,
      },
    })
    .from(chatParticipants)
    .innerJoin(chatRooms, eq(chatRooms.id, chatParticipants.chatRoomId))
    .where(eq(chatParticipants.chatRoomId, roomId))
  const members = rows.map((row) => row.member)
  const room = rows[0]?.room
  if (!room || !members.some((member) => member.userId === userId)) throw new Refusal('not_found')
  return { ...room, members }
}

export const idsOf = (room: Room): string[] => room.members.map((member) => member.userId)
