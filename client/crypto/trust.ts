import { fromBase64, sameBytes, toBase64 } from '../../contract/bytes.ts'
import { directRoomId } from '../../contract/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { roomRecord } from '../vault/rooms.ts'
import type { Write } from '../vault/vault.ts'
import { bookWrite, pinIn, readBook, withBook } from './book.ts'
import type { Live } from './live.ts'
import { foldName, withDecision } from './names.ts'
import { peerForgotten } from './peers.ts'
import { pendingSettled } from './pending.ts'
import { decided, isDecided, withPin } from './pins.ts'
import { inRoom, outsideWrites } from './room.ts'
import { wantedKeys, wantedWrite } from './wanted.ts'

interface Claim {
  userId: string
  /** Ed25519, base64. */
  identityKey: string
}

/**
 * Pins a key and a name that the person decided for after a change. Old messages stay as they are; another key restarts the room
 * [Note: I1, I3].
 */
export function trustKey(live: Live, { userId, identityKey, username }: Claim & { username: string }): Promise<void> {
  const key = keyOf(identityKey)
  const name = foldName(username)
  const chatRoomId = directRoomId(live.userId, userId)
  return inRoom(live, chatRoomId, () =>
    withBook(live, async () => {
      const book = await readBook(live)
      const pinned = pinIn(book, userId)
      const isSameKey = pinned !== undefined && sameBytes(pinned, key)
      const pin = book.book.pins[userId]
      if (isSameKey && pin?.username === name && !pin.other && !pin.awaitsDecision) return
      // One transaction: a new pin beside the old key's device list would block every later manifest.
      await live.vault.write([
        bookWrite(withDecision(book, userId, { identityKey: toBase64(key), username: name })),
        ...(pinned && !isSameKey ? await keyForgottenWrites(live, userId) : []),
      ])
    }),
  )
}

/** The changes that delete everything that rests on an account's old key. The caller has the locks of the room and the book. */
export async function keyForgottenWrites(live: Live, userId: string): Promise<Write[]> {
  const chatRoomId = directRoomId(live.userId, userId)
  const record = await roomRecord(live.vault, chatRoomId)
  return [peerForgotten(userId), pendingSettled(chatRoomId), ...(record ? outsideWrites(chatRoomId, record) : [])]
}

/**
 * Pins the key inside an onion address that the person entered, which counts as a decision [Note: I1]. The server maps the
 * address to an account, so this never replaces another pin: by naming a friend's account for a stranger's address, the server
 * would let the stranger impersonate the friend. If the other key was only the first one seen, perhaps while the server was asked,
 * nothing is sent until the person decides between the two. Throws CryptoFailure('key_changed').
 */
export function pinAddress(live: Live, { userId, identityKey }: Claim): Promise<void> {
  const key = keyOf(identityKey)
  return withBook(live, async () => {
    const [book, wanted] = await Promise.all([readBook(live), wantedKeys(live)])
    const answered = wantedWrite(wanted, [identityKey])
    const pin = book.book.pins[userId]
    if (pin && !sameBytes(fromBase64(pin.identityKey), key)) {
      const next = isDecided(pin) ? book : withPin(book, userId, { ...pin, other: { identityKey, isByAddress: true } })
      await live.vault.write([answered, ...(next === book ? [] : [bookWrite(next)])])
      throw new CryptoFailure('key_changed', 'The server names someone for this address whose key is another')
    }
    const isVerified = pin?.isVerified ?? false
    await live.vault.write([bookWrite(decided(book, userId, { identityKey, isVerified, isByAddress: true })), answered])
  })
}

function keyOf(identityKey: string): Uint8Array {
  const key = fromBase64(identityKey)
  if (key.length !== 32) throw new CryptoFailure('malformed', 'This is not an identity key')
  return key
}
