import { fromBase64, sameBytes } from '../../contract/bytes.ts'
import { directRoomId } from '../../contract/shapes.ts'
import { pinOf, pinPeer } from './book.ts'
import type { Live } from './live.ts'
import { forgetPeer } from './peers.ts'
import { leaveRoom } from './room.ts'

/**
 * Takes a key for an account that the person vouches for: it stood in an onion address that they entered, or
 * they decided for it after a change. Old messages stay as they are; the room begins anew [Note: I1].
 */
export async function trustKey(live: Live, { userId, identityKey }: { userId: string; identityKey: string }): Promise<void> {
  const key = fromBase64(identityKey)
  const pinned = await pinOf(live, userId)
  if (pinned && sameBytes(pinned, key)) return
  await pinPeer(live, userId, key)
  if (!pinned) return
  await forgetPeer(live, userId)
  await leaveRoom(live, directRoomId(live.userId, userId))
}
