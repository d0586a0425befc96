import { fromBase64, sameBytes, toBase64 } from '../../../contract/ground/bytes.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import { inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { bookWrite, pinIn, readBook, withBook } from '../lists/book.ts'
import { withDecision } from '../lists/decidedKey.ts'
import { foldName } from '../lists/names.ts'
import { decided, isDecided, withPin } from '../lists/pins.ts'
import { WANTED, wantedKeys, wantedWrite } from '../lists/wantedKeys.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { keyForgottenWrites } from './forgetKey.ts'

const WANTED_MAX = 20

interface Claim {
  userId: string
  /** Ed25519, base64. */
  identityKey: string
}

/** Pins a decided key and name; another key restarts the room [Note: I1, I3]. */
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
      // The old list would block later manifests.
      await live.vault.write([
        bookWrite(withDecision(book, userId, { identityKey: toBase64(key), username: name })),
        ...(pinned && !isSameKey ? await keyForgottenWrites(live, userId) : []),
      ])
    }),
  )
}

/**
 * Pins an address's key as a decision [Note: I1]. The server may name a friend's account for an address, so decided pins stay.
 * Throws 'key_changed'.
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

/** Stores the key before the request: answers get lost [Note: I1]. */
export const wantAddress = (live: Live, { identityKey }: { identityKey: string }): Promise<void> =>
  withBook(live, async () => {
    const wanted = (await wantedKeys(live)).filter((key) => key !== identityKey)
    await live.vault.write([{ store: 'sealed', key: WANTED, value: { json: [...wanted, identityKey].slice(-WANTED_MAX) } }])
  })
