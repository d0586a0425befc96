import { toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { sha256 } from '../primitives/seal.ts'

/** The bytes of a hash that names a device list [Note: D2]. */
export const HASH_BYTES = 16

/** A hash that distinguishes two device lists of the same version: 16 bytes, base64. */
export const manifestHash = ({ content }: Pick<Signed, 'content'>): string =>
  toBase64(sha256('conclave/manifest-hash/v1', content).subarray(0, HASH_BYTES))

/** The hashes of the newest versions of an account's device list that this device has seen, by version. */
export type ListHashes = Record<string, string>

/** Adds the hash of a version and keeps the newest 100. A version's first hash stays. */
export const withHash = (known: ListHashes, version: number, hash: string): ListHashes =>
  // Numeric names of an object are in ascending order.
  Object.fromEntries(Object.entries<string>({ [version]: hash, ...known }).slice(-LIMITS.manifestVersions))

interface HashedLists {
  version: number
  signed: Signed
  /** Absent if an older build has stored the list. */
  hashes?: ListHashes
}

/** The hash of a version of an account's device list; undefined if this device has not seen that version. */
export function hashAt({ version: newest, signed, hashes }: HashedLists, version: number): string | undefined {
  // An account without keys has no list [Note: K1].
  if (version === 0) return undefined
  return hashes?.[version] ?? (version === newest ? manifestHash(signed) : undefined)
}

/** All hashes that this device has of an account's lists. */
export const hashesOf = (known: HashedLists): ListHashes => known.hashes ?? { [known.version]: manifestHash(known.signed) }
