/** One build of the client, as `/build.json` says it. */
export interface Build {
  /** SHA-256 of `contentOf`, base64url. A browser may keep an old build whose id is the SHA-256 of `files` alone. */
  id: string
  /**
   * The product's version, such as "1.4.0", four digits a number at most. A browser starts no version below the newest that it has taken,
   * unless its person decides so.
   */
  version: string
  /** The version of the contract that the client speaks (`CONTRACT_VERSION`). */
  contract: number
  /** SHA-256 of the service worker's script, base64url, which no cache of its own may hold. */
  worker?: string
  /** SHA-256 of each other file, base64url, by the address at which the server answers it: a page's own address for its HTML. */
  files: Record<string, string>
}

/** The text whose SHA-256 is the id of a build. It names every byte of the client, so who compares the id compares all of it. */
export const contentOf = ({ version, contract, worker, files }: Omit<Build, 'id'>): string =>
  JSON.stringify({ version, contract, worker, files })

/** An operator's signature of a build. */
export interface Release {
  /** The id of the build. */
  build: string
  /** The operator's public Ed25519 key, base64url. */
  key: string
  /** Ed25519 over `releaseText` of the id, base64url. */
  signature: string
}

/** The text that an operator signs for a build. */
export const releaseText = (id: string): string => `conclave/release/v1\n${id}\n`

const HASH = /^[\w-]{43}$/
const VERSION = /^\d{1,4}\.\d{1,4}\.\d{1,4}$/
const CONTRACT_MAX = 9999
const FILES_MAX = 5000

/** Reads a build from parsed JSON; undefined if it is none. Without zod: the service worker is loaded beside every page. */
export function readBuild(value: unknown): Build | undefined {
  if (!isRecord(value)) return undefined
  const { id, version, contract, worker, files } = value
  if (!isHash(id) || !isVersion(version) || !isContract(contract) || !isRecord(files)) return undefined
  if (worker !== undefined && !isHash(worker)) return undefined
  const list = Object.entries(files)
  if (list.length === 0 || list.length > FILES_MAX) return undefined
  const isFile = ([address, hash]: [string, unknown]) => address.startsWith('/') && isHash(hash)
  if (!list.every(isFile)) return undefined
  return { id, version, contract, ...(worker !== undefined && { worker }), files: files as Record<string, string> }
}

export const isVersion = (value: unknown): value is string => typeof value === 'string' && VERSION.test(value)
export const isContract = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= CONTRACT_MAX

const SIGNATURE = /^[\w-]{86}$/

/** Reads a release from parsed JSON; undefined if it is none. The signature is not verified. */
export function readRelease(value: unknown): Release | undefined {
  if (!isRecord(value)) return undefined
  const { build, key, signature } = value
  if (!isHash(build) || !isHash(key) || typeof signature !== 'string' || !SIGNATURE.test(signature)) return undefined
  return { build, key, signature }
}

/** True for 32 bytes as base64url: a SHA-256, or a public key. */
const isHash = (value: unknown): value is string => typeof value === 'string' && HASH.test(value)

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Negative if the first version is older than the second, 0 if they are the same. */
export function compareVersions(one: string, other: string): number {
  const [ours, theirs] = [one, other].map((version) => version.split('.').map(Number))
  const at = [0, 1, 2].find((place) => ours?.[place] !== theirs?.[place])
  return at === undefined ? 0 : (ours?.[at] ?? 0) - (theirs?.[at] ?? 0)
}
