import type { Queryable } from '../db/connect.ts'
import { Refusal } from '../refuse.ts'
import * as store from './store.ts'

export type Room = store.Room

/** Returns a room with its members. Throws Refusal `not_found` for a stranger, who must not learn that the room exists. */
export async function requireRoom(db: Queryable, userId: string, roomId: string): Promise<Room> {
  const room = await store.findRoom(db, roomId)
  if (!room?.members.some((member) => member.userId === userId)) throw new Refusal('not_found')
  return room
}

export const idsOf = (room: Room): string[] => room.members.map((member) => member.userId)
