import { BUILD_ADDRESS, type Build, compareVersions } from '../../contract/site/build.ts'
import { pageOf } from '../../contract/site/pages.ts'
import type { KeptBuild } from '../net/keptBuilds.ts'
import type { Offer } from '../net/offer.ts'

/** Outlasts the copies. */
export interface Seen {
  /** Base64url; only the person replaces the key. */
  key: string | null
  newest: { version: string; contract: number } | null
}

export const NOTHING_SEEN: Seen = { key: null, newest: null }

type Age = Pick<Build, 'version' | 'contract'>

const isOlder = (one: Age, other: Age): boolean =>
  compareVersions(one.version, other.version) < 0 || one.contract < other.contract

/** Prefers the server's last build of one version. */
export function newestOf(kept: readonly KeptBuild[]): KeptBuild | undefined {
  return kept.reduce<KeptBuild | undefined>((best, one) => {
    if (!best || isOlder(best, one)) return one
    return isOlder(one, best) || one.takenAt < best.takenAt ? best : one
  }, undefined)
}

/** None older than the newest run, nor unsigned after a key was seen. */
export const startable = (kept: readonly KeptBuild[], { key, newest }: Seen): KeptBuild[] =>
  kept.filter((build) => (key === null || build.signedBy !== null) && !(newest && isOlder(build, newest)))

export type Verdict = 'take' | 'current' | 'older' | 'unsigned' | 'other_key'

/**
 * An older build could bring a mended weakness back. After a key was seen, only what that key has signed counts. A build here
 * keeps its signer.
 */
export function judge(offered: Offer, kept: readonly KeptBuild[], seen: Seen): Verdict {
  const newest = newestOf(startable(kept, seen))
  const { key } = seen
  if (seen.newest && isOlder(offered, seen.newest)) return 'older'
  if (newest && isOlder(offered, newest)) return 'older'
  if (newest && newest.id === offered.id) return 'current'
  if (key !== null && offered.signedBy === null) return 'unsigned'
  if (key !== null && offered.signedBy !== key) return 'other_key'
  return 'take'
}

/** The first key counts. */
export function seenWith({ key, newest }: Seen, { version, contract, signedBy }: Offer): Seen {
  const isNewer = !newest || isOlder(newest, { version, contract })
  return { key: key ?? signedBy, newest: isNewer ? { version, contract } : newest }
}

/** `page`: the newest build. `asset`: any, because the name has the hash. `file`: the server first. */
export type Answering = { from: 'page' | 'asset' | 'file'; address: string }

interface Asked {
  method: string
  mode: string
  url: string
}

const ROOT_FILE = /^\/[^/]+\.[^/]+$/

/** Returns null for the server. */
export function answering({ method, mode, url }: Asked, origin: string): Answering | null {
  const { pathname, origin: asked } = new URL(url)
  if (method !== 'GET' || asked !== origin) return null
  const address = decoded(pathname)
  if (mode === 'navigate') {
    const page = pageOf(address)
    return page === null ? null : { from: 'page', address: page }
  }
  if (address.startsWith('/assets/')) return { from: 'asset', address }
  return ROOT_FILE.test(address) && address !== BUILD_ADDRESS ? { from: 'file', address } : null
}

function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname)
  } catch {
    return pathname
  }
}

/** Open pages still load parts of older builds. */
const OLDER_KEPT = 2

export function outdated(kept: readonly KeptBuild[]): KeptBuild[] {
  const newest = newestOf(kept)
  const others = kept.filter((one) => one !== newest).sort((one, other) => other.takenAt - one.takenAt)
  return others.slice(OLDER_KEPT)
}
