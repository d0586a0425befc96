import { toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { sha256 } from '../primitives/seal.ts'

/** [Note: D2] */
export const HASH_BYTES = 16

/** Returns 16 bytes, base64. */
export const manifestHash = ({ content }: Pick<Signed, 'content'>): string =>
  toBase64(sha256('conclave/manifest-hash/v1', content).subarray(0, HASH_BYTES))

export type ListHashes = Record<string, string>

/** Keeps the newest 100 versions, each with its first hash. */
export const withHash = (known: ListHashes, version: number, hash: string): ListHashes =>
  Object.fromEntries(Object.entries<string>({ [version]: hash, ...known }).slice(-LIMITS.manifestVersions))

interface HashedLists {
  version: number
  signed: Signed
  hashes?: ListHashes
}

/** Returns undefined for unseen versions. */
export function hashAt({ version: newest, signed, hashes }: HashedLists, version: number): string | undefined {
  // Version 0: an account without keys.
  if (version === 0) return undefined
  return hashes?.[version] ?? (version === newest ? manifestHash(signed) : undefined)
}

export const hashesOf = (known: HashedLists): ListHashes => known.hashes ?? { [known.version]: manifestHash(known.signed) }
