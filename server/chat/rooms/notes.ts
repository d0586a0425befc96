import { notesRoomId } from '../../../contract/ground/shapes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import * as store from './store.ts'

/** Makes the room once [Note: M10]. */
export async function openNotes(env: Env, user: SignedInUser): Promise<{ chatRoomId: string }> {
  const chatRoomId = notesRoomId(user.id)
  if (await store.makeNotes(env.db, chatRoomId, user.id, env.clock()))
    env.hub.publish([user.id], { type: 'contacts', data: { userIds: [user.id] } })
  return { chatRoomId }
}
