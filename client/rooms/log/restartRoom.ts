import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import { placeOf, type Room } from '../list/room.ts'
import { saveBook } from '../trust/book.ts'
import { refreshPeers } from '../trust/peers.ts'
import { markRestart } from './otherState.ts'
import { createGroup, postCommit } from './readyRoom.ts'

/**
 * Accepts the generation that the server shows for all browsers of the account, and creates the next one. Runs after the person
 * agreed.
 */
export async function restart(env: Env, room: Room): Promise<void> {
  await refreshPeers(env, room)
  const { generation, lastSeq } = await env.api(roomsApi.group, { chatRoomId: room.id })
  await env.crypto.restartRoom({ ...placeOf(room), generation, lastSeq })
  await saveBook(env)
  const draft = await createGroup(env, room)
  // If another device has created a group meanwhile, the next message enters it.
  if (draft !== 'moved') await postCommit(env, room, draft)
  markRestart(room, false)
}
