import { BUILD_ADDRESS, VERSION_ADDRESS } from '../../contract/site/addresses.ts'
import { type Build, compareVersions } from '../../contract/site/build.ts'
import { pageOf } from '../../contract/site/pages.ts'
import type { KeptBuild } from '../net/keptBuilds.ts'
import type { Offer } from '../net/offer.ts'
import type { Fault } from '../net/offered.ts'
import type { Age, Seen } from '../net/seen.ts'

export const NOTHING_SEEN: Seen = { key: null, newest: null }

export const ageOf = ({ version, contract }: Age): Age => ({ version, contract })

export const isOlder = (one: Age, other: Age): boolean =>
  compareVersions(one.version, other.version) < 0 || one.contract < other.contract

const CONTRACT_STEP = 10
const majorOf = ({ version }: Age): number => Number(version.split('.')[0])
const isFar = (one: Age, from: Age): boolean => majorOf(one) > majorOf(from) + 1 || one.contract > from.contract + CONTRACT_STEP

/** Prefers the server's last build of one version. */
export function newestOf(kept: readonly KeptBuild[]): KeptBuild | undefined {
  return kept.reduce<KeptBuild | undefined>((best, one) => {
    if (!best || isOlder(best, one)) return one
    return isOlder(one, best) || one.takenAt < best.takenAt ? best : one
  }, undefined)
}

/** No unsigned build after a key was seen. */
const trusted = (kept: readonly KeptBuild[], { key }: Seen): KeptBuild[] =>
  kept.filter((build) => key === null || build.signedBy !== null)

/** None older than the newest run. */
export const startable = (kept: readonly KeptBuild[], seen: Seen): KeptBuild[] =>
  trusted(kept, seen).filter((build) => !(seen.newest && isOlder(build, seen.newest)))

export function copyOfBefore(kept: readonly KeptBuild[], seen: Seen): KeptBuild | undefined {
  const newest = newestOf(startable(kept, seen))
  return newestOf(trusted(kept, seen).filter((build) => build !== newest))
}

export const isAhead = (one: KeptBuild, other: KeptBuild): boolean => newestOf([other, one]) === one

export type Verdict = 'take' | 'current' | Fault

/**
 * After a key was seen, only what it has signed counts. The first signature beats unsigned numbers, and a server without a key may name
 * the same files by a lower number again.
 */
export function faultsOf(offered: Offer, kept: readonly KeptBuild[], seen: Seen): Fault[] {
  const { key, newest: age, undone } = seen
  const here = newestOf(startable(kept, seen))
  const faults: Fault[] = []
  if (offered.id === undone) faults.push('undone')
  if (key !== null && offered.signedBy !== key) faults.push(offered.signedBy === null ? 'unsigned' : 'other_key')
  if (key === null && offered.signedBy !== null) return faults
  const from = here ?? age
  if (!from) return faults
  const isRenamed = key === null && here !== undefined && isSameCode(offered, here)
  if (isOlder(offered, from) && !isRenamed) faults.push('older')
  if (isFar(offered, from) && (key === null || offered.signedBy !== key)) faults.push('far')
  return faults
}

/** An older build could bring a mended weakness back. A build here keeps its signer. */
export function judge(offered: Offer, kept: readonly KeptBuild[], seen: Seen): Verdict {
  if (newestOf(startable(kept, seen))?.id === offered.id) return 'current'
  return faultsOf(offered, kept, seen)[0] ?? 'take'
}

function isSameCode({ files }: Build, other: Build): boolean {
  const all = Object.entries(files)
  return all.length === Object.keys(other.files).length && all.every(([address, hash]) => other.files[address] === hash)
}

/** The first key counts. */
export function seenWith({ key, newest, ...seen }: Seen, { version, contract, signedBy }: Offer): Seen {
  const age = { version, contract }
  return { ...seen, key: key ?? signedBy, newest: !newest || isOlder(newest, age) ? age : newest }
}

/**
 * `page`, `file`: the newest build. `asset`: any, because the name has the hash. `nowhere`: a file of the build, else 404.
 */
export type Answering = { from: 'page' | 'asset' | 'file' | 'nowhere' | 'version'; address: string }

interface Asked {
  method: string
  mode: string
  url: string
}

const ROOT_FILE = /^\/[^/]+\.[^/]+$/
/** Test cards. */
const SANDBOX = /^\/sandbox\//
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Returns null for the server. Danger: its answer to a navigation would have the vault and the session. */
export function answering({ method, mode, url }: Asked, origin: string): Answering | null {
  const { pathname, origin: asked, hostname } = new URL(url)
  if (asked !== origin) return null
  const address = decoded(pathname)
  if (mode === 'navigate') {
    if (SANDBOX.test(address) && LOOPBACK.test(hostname)) return null
    if (method !== 'GET') return { from: 'nowhere', address }
    if (address === VERSION_ADDRESS) return { from: 'version', address }
    const page = pageOf(address)
    return page === null ? { from: 'nowhere', address } : { from: 'page', address: page }
  }
  if (method !== 'GET') return null
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

/** True for what only some browsers need: it is kept when it is asked for. */
export const isRare = (address: string): boolean => /^\/assets\/emoji-[^/]*\.ttf$/.test(address)

/** Open pages still load parts of older builds. */
const OLDER_KEPT = 2

export function outdated(kept: readonly KeptBuild[]): KeptBuild[] {
  const newest = newestOf(kept)
  const others = kept.filter((one) => one !== newest).sort((one, other) => other.takenAt - one.takenAt)
  return others.slice(OLDER_KEPT)
}
