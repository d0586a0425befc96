import type { Statement } from '../../../contract/chat/content.ts'
import { fromBase64, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { sha256 } from '../primitives/seal.ts'
import type { Transcript } from '../vault/storedRoom.ts'

export const AT_THE_BEGINNING: Transcript = { since: 0, hash: '' }

/** Returns the next transcript. */
export const withMessage = (seen: Transcript | undefined, content: string): Transcript | undefined =>
  withHash(seen, sha256('conclave/log-entry/v1', utf8(content)))

/** Returns the next transcript [Note: M8]. */
export const withHash = (seen: Transcript | undefined, contentHash: Uint8Array): Transcript | undefined =>
  seen && { ...seen, hash: toBase64(sha256('conclave/log/v1', fromBase64(seen.hash), contentHash)) }

export const withCommit = (seen: Transcript | undefined, seq: number): Transcript => ({
  since: seq,
  hash: '',
  ...(seen && { before: seen.hash }),
})

/** Returns what the sender saw. */
export const stated = ({ hash, before }: Transcript, seq: number): Statement['seen'] => ({
  seq,
  hash,
  ...(before !== undefined && { before }),
})

/** True if the sender saw another log. */
export async function isOtherLog(
  mine: Transcript | undefined,
  seq: number,
  seen: Statement['seen'],
  hashAt: (seq: number) => Promise<string | undefined>,
): Promise<boolean> {
  if (seen.seq >= seq) return true
  if (!mine) return false
  // [Note: M2]
  if (seen.seq < mine.since) return true
  if (mine.before !== undefined && seen.before !== undefined && mine.before !== seen.before) return true
  const hash = seen.seq === mine.since ? '' : seen.seq === seq - 1 ? mine.hash : await hashAt(seen.seq)
  return hash !== undefined && hash !== seen.hash
}
