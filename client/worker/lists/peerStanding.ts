import { fromBase64, sameBytes } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { bookWrite, readBook, withBook } from './book.ts'
import { manifestHash } from './hashes.ts'
import { isStillRead, type Mismatch } from './mismatch.ts'
import { mismatchIn } from './names.ts'
import { type Peer, peerOf } from './peers.ts'
import { withList } from './pins.ts'

/** What this browser knows of an account that the server shows. */
interface Standing {
  /** The difference from the pin. */
  mismatch: Mismatch | null
  /** The newest manifest version known; 0 if none is. */
  version: number
  /** Whether the account's book was read here. Before that, this browser does not know which keys the account trusts. */
  isBookRead: boolean
}

/** Compares an account that the server shows with what is known of it. */
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

/** Adds to the pin of an older build the device list that this browser has verified, so that the book hands it to new browsers. */
function notePinnedList(live: Live, userId: string, { identityKey, version, signed }: Peer): Promise<void> {
  return withBook(live, async () => {
    const row = await readBook(live)
    const pin = row.book.pins[userId]
    if (!pin || pin.manifest || !sameBytes(fromBase64(pin.identityKey), identityKey)) return
    await live.vault.write([bookWrite(withList(row, userId, { version, hash: manifestHash(signed) }))])
  })
}

/** An account as the server's list shows it. */
export interface ShownPeer {
  id: string
  username: string
  /** Ed25519, base64. */
  identityKey: string | null
  manifestVersion: number
  isDeleted: boolean
}

/** True if nothing has to be fetched of these accounts before their messages are verified. */
export const arePeersKnown = (live: Live, peers: ShownPeer[]): Promise<boolean> =>
  holdsOfEach(live, peers, ({ isDeleted, manifestVersion }, { mismatch, version, isBookRead }) => {
    if (isDeleted) return isBookRead
    // What follows of another mismatch is the person's to decide.
    return (mismatch !== null && !isStillRead(mismatch)) || version >= manifestVersion
  })

/** True if a message may be sealed for these accounts: nothing differs from the pins, and their newest device lists are known. */
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
