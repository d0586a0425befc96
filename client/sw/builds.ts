import { BUILD_ADDRESS, type Build, compareVersions } from '../../contract/site/build.ts'
import { pageOf } from '../../contract/site/pages.ts'
import type { KeptBuild } from '../net/keptBuilds.ts'
import type { Offer } from '../net/offer.ts'

// What the service worker decides. Nothing here reads or writes anything.

/** What this browser has seen of the server's code. It outlasts the copies, which the browser may throw away. */
export interface Seen {
  /** The operator's key, base64url, from the first signed build on; null before it. Only the person replaces it. */
  key: string | null
  /** The newest version that was taken, and the newest contract; null before the first. */
  newest: { version: string; contract: number } | null
}

export const NOTHING_SEEN: Seen = { key: null, newest: null }

type Age = Pick<Build, 'version' | 'contract'>

/** True if the first build is older: by its version, or by the contract that it speaks. */
const isOlder = (one: Age, other: Age): boolean =>
  compareVersions(one.version, other.version) < 0 || one.contract < other.contract

/** The build to start from: the newest version, and of builds of one version the one that the server had last. */
export function newestOf(kept: readonly KeptBuild[]): KeptBuild | undefined {
  return kept.reduce<KeptBuild | undefined>((best, one) => {
    if (!best || isOlder(best, one)) return one
    return isOlder(one, best) || one.takenAt < best.takenAt ? best : one
  }, undefined)
}

/**
 * The kept builds that may be started: none below the newest version that this browser has run and, once an operator's key was seen, none
 * from before it.
 */
export const startable = (kept: readonly KeptBuild[], { key, newest }: Seen): KeptBuild[] =>
  kept.filter((build) => (key === null || build.signedBy !== null) && !(newest && isOlder(build, newest)))

export type Verdict = 'take' | 'current' | 'older' | 'unsigned' | 'other_key'

/**
 * What becomes of the build that the server offers. One below the newest that this browser has seen is never taken: a server, or who
 * stands before it, could bring a mended weakness back. Once an operator's key was seen, only what it has signed is taken. What is here
 * already stays what it is, whoever signs it now.
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

/** What this browser has seen once it has all of a build. The first key counts, as the first key of a contact does. */
export function seenWith({ key, newest }: Seen, { version, contract, signedBy }: Offer): Seen {
  const isNewer = !newest || isOlder(newest, { version, contract })
  return { key: key ?? signedBy, newest: isNewer ? { version, contract } : newest }
}

/**
 * How a request is answered: a `page` from the newest build; an `asset` by its name from any build, because that name has the hash of
 * its content and an older page needs its own; a `file` of the root by the server, and from the newest build where there is none.
 */
export type Answering = { from: 'page' | 'asset' | 'file'; address: string }

interface Asked {
  method: string
  mode: string
  url: string
}

/** Icons and the manifest: files at the root with an ending. */
const ROOT_FILE = /^\/[^/]+\.[^/]+$/

/** Decides who answers a request; null leaves it to the server, as without a service worker. */
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

/** Builds kept beside the newest, for pages that began with them and still load parts of them. */
const OLDER_KEPT = 2

/** The builds that go. */
export function outdated(kept: readonly KeptBuild[]): KeptBuild[] {
  const newest = newestOf(kept)
  const others = kept.filter((one) => one !== newest).sort((one, other) => other.takenAt - one.takenAt)
  return others.slice(OLDER_KEPT)
}
