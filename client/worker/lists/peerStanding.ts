import { fromBase64, sameBytes } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { bookWrite, readBook, withBook } from './book.ts'
import { manifestHash } from './hashes.ts'
import { isStillRead, type Mismatch } from './mismatch.ts'
import { mismatchIn } from './names.ts'
import { type Peer, peerOf } from './peers.ts'
import { withList } from './pins.ts'

interface Standing {
  mismatch: Mismatch | null
  version: number
  isBookRead: boolean
}

/** Compares an account with the known pin and list. */
export async function peerStanding(
  live: Live,
  { userId, identityKey, username }: { userId: string; identityKey: string | null; username: string },
): Promise<Standing> {
  const [row, known] = await Promise.all([readBook(live), peerOf(live, userId)])
  const pin = row.book.pins[userId]
  if (known && pin && !pin.manifest) await notePinnedList(live, userId, known)
  const mismatch = mismatchIn(row.book, { userId, identityKey, username })
  return { mismatch, version: known?.version ?? 0, isBookRead: row.isRead }
}

/** Pins of older builds lack the list. */
function notePinnedList(live: Live, userId: string, { identityKey, version, signed }: Peer): Promise<void> {
  return withBook(live, async () => {
    const row = await readBook(live)
    const pin = row.book.pins[userId]
    if (!pin || pin.manifest || !sameBytes(fromBase64(pin.identityKey), identityKey)) return
    await live.vault.write([bookWrite(withList(row, userId, { version, hash: manifestHash(signed) }))])
  })
}

export interface ShownPeer {
  id: string
  username: string
  /** Ed25519, base64. */
  identityKey: string | null
  manifestVersion: number
  isDeleted: boolean
}

/** True if verification needs no fetch. */
export const arePeersKnown = (live: Live, peers: ShownPeer[]): Promise<boolean> =>
  holdsOfEach(live, peers, ({ isDeleted, manifestVersion }, { mismatch, version, isBookRead }) => {
    if (isDeleted) return isBookRead
    return (mismatch !== null && !isStillRead(mismatch)) || version >= manifestVersion
  })

/** True if pins match and lists are current. */
export const mayBeSealedFor = (live: Live, peers: ShownPeer[]): Promise<boolean> =>
  holdsOfEach(live, peers, ({ manifestVersion }, { mismatch, version }) => mismatch === null && version >= manifestVersion)

async function holdsOfEach(
  live: Live,
  peers: ShownPeer[],
  holds: (peer: ShownPeer, standing: Standing) => boolean,
): Promise<boolean> {
  const all = await Promise.all(
    peers.map(async (peer) => {
      const { id: userId, identityKey, username } = peer
      return holds(peer, await peerStanding(live, { userId, identityKey, username }))
    }),
  )
  return all.every((each) => each)
}
