import { directRoomId } from '../../../contract/ground/shapes.ts'
import { pendingSettled } from '../group/pending.ts'
import { outsideWrites, stateForgotten } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { peerForgotten } from '../lists/peers.ts'
import { roomRecord } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'

/** The changes that delete everything that rests on an account's old key. The caller has the locks of the room and the book. */
export async function keyForgottenWrites(live: Live, userId: string): Promise<Write[]> {
  const chatRoomId = directRoomId(live.userId, userId)
  // Of a locked room only deletions are written; without its MLS state this device is outside all the same.
  const record = (await live.vault.isOpen(chatRoomId)) ? await roomRecord(live.vault, chatRoomId) : undefined
  const outside = record ? outsideWrites(chatRoomId, record) : [stateForgotten(chatRoomId)]
  return [peerForgotten(userId), pendingSettled(chatRoomId), ...outside]
}
