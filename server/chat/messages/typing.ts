import type { Env, SignedInUser } from '../../env.ts'
import { whoShareTyping } from '../../people/privacy/privacy.ts'
import { areMutual } from '../../people/relations/relations.ts'
import { openSessions } from '../chatlocks/chatGate.ts'
import { idsOf, requireRoom } from '../rooms/members.ts'

/** Direct rooms need mutual acceptance. Throws Refusal. */
export async function passTyping(env: Env, user: SignedInUser, chatRoomId: string, isTyping: boolean): Promise<void> {
  const room = await requireRoom(env.db, user, chatRoomId, env.clock())
  const here = idsOf(room).filter((id) => id !== user.id && env.hub.isHere(id))
  if (here.length === 0) return
  for (const other of await whoShareTyping(env.db, user.id, here)) {
    if (room.type === 'direct' && !(await areMutual(env.db, user.id, other))) continue
    const isProtected = room.members.some((member) => member.userId === other && member.isProtected)
    const open = isProtected ? await openSessions(env.db, chatRoomId, [other], env.clock()) : null
    env.hub.publish([other], { type: 'typing', data: { chatRoomId, userId: user.id, isTyping } }, open)
  }
}
