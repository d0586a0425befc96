import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import { placeOf, type Room } from '../list/room.ts'
import { saveBook } from '../trust/book.ts'
import { refreshPeers } from '../trust/peers.ts'
import { markRestart } from './otherState.ts'
import { createGroup, postCommit } from './readyRoom.ts'

/** Needs the person's consent. */
export async function restart(env: Env, room: Room): Promise<void> {
  await refreshPeers(env, room)
  const { generation, lastSeq } = await env.api(roomsApi.group, { chatRoomId: room.id })
  await env.crypto.restartRoom({ ...placeOf(room), generation, lastSeq })
  await saveBook(env)
  const draft = await createGroup(env, room)
  if (draft !== 'moved') await postCommit(env, room, draft)
  markRestart(room, false)
}
