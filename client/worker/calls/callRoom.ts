import { toBase64 } from '../../../contract/ground/bytes.ts'
import { openForks } from '../group/forks.ts'
import { listedIn, type MemberAccount, unlistedIn } from '../group/members.ts'
import type { Group } from '../group/mls.ts'
import { peekRoom } from '../group/roomState.ts'
import type { CallPlace } from '../keys/heldCalls.ts'
import type { Live } from '../keys/live.ts'
import { readBook } from '../lists/book.ts'
import { chatLocks } from '../lists/chatlocks.ts'
import { mismatchIn } from '../lists/names.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { roomLocked } from '../vault/roomlocks.ts'

export interface CallRoom {
  peer: MemberAccount
  /** Undefined: ready the room first [Note: D3]. */
  group: Group | undefined
}

/**
 * Refuses as sending does [Note: I1, D2, L1]. An exporter changes nothing, so no lock is taken. Throws 'place', 'room_locked',
 * 'book_unread', 'removed', 'fork', 'key_changed'.
 */
export async function callRoom(live: Live, { chatRoomId, peerId }: Pick<CallPlace, 'chatRoomId' | 'peerId'>): Promise<CallRoom> {
  const lock = (await chatLocks(live)).states[chatRoomId] ?? 'off'
  if (lock !== 'off' && lock !== 'open') throw roomLocked(chatRoomId)
  const [{ record, group, accounts }, { book, isRead }] = await Promise.all([
    peekRoom(live, { chatRoomId, peerIds: [peerId] }),
    readBook(live),
  ])
  if (!isRead) throw new CryptoFailure('book_unread', 'The address book could not be read')
  if (!listedIn(accounts)(live.identityKey, live.device.id, live.device.leafKey))
    throw new CryptoFailure('removed', 'This browser was removed from your account')
  if (openForks(record).length > 0) throw new CryptoFailure('fork', 'Two device lists have the same number')
  const [peer] = accounts.others
  const pin = book.pins[peerId]
  const shown = { userId: peerId, identityKey: toBase64(peer?.identityKey ?? new Uint8Array()), username: pin?.username ?? '' }
  if (!peer || !pin || mismatchIn(book, shown))
    throw new CryptoFailure('key_changed', 'You have not confirmed this person’s key yet')
  return { peer, group: group && unlistedIn(group, accounts).length === 0 ? group : undefined }
}
