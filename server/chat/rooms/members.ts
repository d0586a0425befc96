import type { SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { requireOpen } from '../chatlocks/chatGate.ts'
import * as store from './store.ts'

export type Room = store.Room

/** Throws Refusal: `not_found` for a stranger, `chat_locked` for a session that has not opened the chat [Note: L1]. */
export async function requireRoom(
  db: Queryable,
  user: Pick<SignedInUser, 'id' | 'sessionHash'>,
  roomId: string,
  now: Date,
): Promise<Room> {
  const room = await requireMember(db, user.id, roomId)
  if (room.members.some(({ userId, isProtected }) => isProtected && userId === user.id)) await requireOpen(db, user, roomId, now)
  return room
}

/** Ignores the chat password. Another's read mark is 0 unless both show theirs. */
export async function requireMember(db: Queryable, userId: string, roomId: string): Promise<Room> {
  const room = await store.findRoom(db, roomId)
  const me = room?.members.find((member) => member.userId === userId)
  if (!room || !me) throw new Refusal('not_found')
  const isShown = (member: store.Member) => member === me || (me.showsReceipts && member.showsReceipts)
  return { ...room, members: room.members.map((member) => (isShown(member) ? member : { ...member, readSeq: 0 })) }
}

export function readerOf({ members }: Room, readerId: string) {
  const { clearedSeq = 0, withheld = '{}' } = members.find(({ userId }) => userId === readerId) ?? {}
  return { readerId, clearedSeq, withheld }
}

export const idsOf = (room: Room): string[] => room.members.map((member) => member.userId)
