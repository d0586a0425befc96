import { directRoomId } from '../../../contract/ground/shapes.ts'
import { pendingSettled } from '../group/pending.ts'
import { outsideWrites, stateForgotten } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { peerForgotten } from '../lists/peers.ts'
import { roomRecord } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'

/** Returns the deletions for an old key. Call inside the room's and book's locks. */
export async function keyForgottenWrites(live: Live, userId: string): Promise<Write[]> {
  const chatRoomId = directRoomId(live.userId, userId)
  // Locked rooms take deletions only.
  const record = (await live.vault.isOpen(chatRoomId)) ? await roomRecord(live.vault, chatRoomId) : undefined
  const outside = record ? outsideWrites(chatRoomId, record) : [stateForgotten(chatRoomId)]
  return [peerForgotten(userId), pendingSettled(chatRoomId), ...outside]
}
