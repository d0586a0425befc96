import type { Env, SignedInUser } from '../env.ts'
import { areMutual } from '../relations/relations.ts'
import { idsOf, requireRoom } from '../rooms/members.ts'

/** Tells the other member, where the two accepted each other; otherwise nobody hears of it. Throws Refusal. */
export async function passTyping(env: Env, user: SignedInUser, chatRoomId: string, isTyping: boolean): Promise<void> {
  const room = await requireRoom(env.db, user.id, chatRoomId)
  for (const other of idsOf(room).filter((id) => id !== user.id)) {
    if (!env.hub.isHere(other) || !(await areMutual(env.db, user.id, other))) continue
    env.hub.publish([other], { type: 'typing', data: { chatRoomId, userId: user.id, isTyping } })
  }
}
