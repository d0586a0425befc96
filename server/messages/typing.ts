import type { Env, SignedInUser } from '../env.ts'
import { areMutual } from '../relations/relations.ts'
import { idsOf, requireRoom } from '../rooms/members.ts'

/** Publishes typing to the other members; in a direct room only if both have accepted each other. Throws Refusal. */
export async function passTyping(env: Env, user: SignedInUser, chatRoomId: string, isTyping: boolean): Promise<void> {
  const room = await requireRoom(env.db, user.id, chatRoomId)
  const others = idsOf(room).filter((id) => id !== user.id && env.hub.isHere(id))
  for (const other of others) {
    if (room.type === 'direct' && !(await areMutual(env.db, user.id, other))) continue
    env.hub.publish([other], { type: 'typing', data: { chatRoomId, userId: user.id, isTyping } })
  }
}
