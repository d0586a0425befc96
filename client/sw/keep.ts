import type { Build } from '../../contract/site/build.ts'
import { inLanes } from '../net/inTurn.ts'
import { BUILD_CACHE, type KeptBuild, keptBuilds, MARKER } from '../net/keptBuilds.ts'
import { askOffered, hashOf, type Offer } from '../net/offer.ts'
import type { Fault, Outcome } from '../net/offered.ts'
import type { Memory } from '../net/seen.ts'
import {
  ageOf,
  copyOfBefore,
  faultsOf,
  isAhead,
  isOlder,
  isRare,
  judge,
  newestOf,
  outdated,
  seenWith,
  startable,
} from './builds.ts'

const FILES_AT_ONCE = 4
/** No hash covers headers, and copies keep them: `Refresh` or `Content-Disposition` would stop this browser. */
const KEPT_HEADERS = [
  ...['content-type', 'content-security-policy', 'permissions-policy', 'referrer-policy', 'strict-transport-security'],
  ...['cross-origin-opener-policy', 'cross-origin-resource-policy', 'origin-agent-cluster', 'cache-control'],
  ...['x-content-type-options', 'x-frame-options'],
]

export interface Shelf {
  caches: CacheStorage
  memory: Memory
  fetch: (address: string, init?: RequestInit) => Promise<Response>
  clock: () => number
}

export interface Look {
  outcome: Outcome
  offer?: Offer
}

export interface Standing {
  running: KeptBuild | undefined
  before: KeptBuild | undefined
  offer: Offer | undefined
  faults: Fault[]
}

export async function startedBuild({ caches, memory }: Shelf): Promise<KeptBuild | undefined> {
  const [kept, seen] = await Promise.all([keptBuilds(caches), memory.read()])
  return newestOf(startable(kept, seen))
}

export async function standingOf({ caches, memory }: Shelf, offer: Offer | undefined): Promise<Standing> {
  const [kept, seen] = await Promise.all([keptBuilds(caches), memory.read()])
  const running = newestOf(startable(kept, seen))
  const faults = offer && offer.id !== running?.id ? faultsOf(offer, kept, seen) : []
  return { running, before: copyOfBefore(kept, seen), offer, faults }
}

/** The browser may throw files away. */
export const fileOf = async ({ caches }: Shelf, build: Build, address: string): Promise<Response | undefined> =>
  (await caches.open(BUILD_CACHE + build.id)).match(address)

/** The name has the hash. */
export const assetOf = ({ caches }: Shelf, address: string): Promise<Response | undefined> => caches.match(address)

/** Only a complete build is started next. */
export async function takeOffered(shelf: Shelf): Promise<Look> {
  const offer = await askOffered(shelf.fetch)
  if (!offer) return { outcome: 'away' }
  const [kept, seen] = await Promise.all([keptBuilds(shelf.caches), shelf.memory.read()])
  const verdict = judge(offer, kept, seen)
  if (verdict !== 'take' && verdict !== 'current') return { outcome: verdict, offer }
  const same = kept.find(({ id }) => id === offer.id)
  // A signed build keeps its signer.
  const signedBy = same?.signedBy ?? (seen.key === null || seen.key === offer.signedBy ? offer.signedBy : null)
  const isSame = same?.signedBy === signedBy && (await isWhole(shelf, offer))
  const outcome = isSame ? 'current' : await take(shelf, { ...offer, signedBy })
  if (outcome === 'current' || outcome === 'taken') {
    // The same files under a lower number, or the first signature.
    const goesBack = seen.newest !== null && isOlder(offer, seen.newest)
    await shelf.memory.write(seenWith(goesBack ? { ...seen, newest: null } : seen, { ...offer, signedBy }))
    if (goesBack) await dropAhead(shelf, offer.id)
  }
  return { outcome, offer }
}

export interface Shown {
  id: string
  signedBy: string | null
}

/** The person takes what was shown. Returns undefined if the server has another offer by now. */
export async function takeAnyway(shelf: Shelf, { id, signedBy }: Shown): Promise<Outcome | undefined> {
  const offer = await askOffered(shelf.fetch)
  if (!offer || offer.id !== id || offer.signedBy !== signedBy) return undefined
  const outcome = await take(shelf, offer)
  if (outcome !== 'taken' && outcome !== 'full') return outcome
  const { undone } = await shelf.memory.read()
  const known = { key: signedBy, newest: null, ...(undone !== undefined && undone !== id && { undone }) }
  await shelf.memory.write(seenWith(known, offer))
  await dropAhead(shelf, id)
  return outcome
}

/** The version that ran is not taken again by itself. */
export async function goBackTo(shelf: Shelf, id: string): Promise<boolean> {
  const { caches, memory } = shelf
  const [kept, { key, ...seen }] = await Promise.all([keptBuilds(caches), memory.read()])
  const before = copyOfBefore(kept, { key, ...seen })
  if (before?.id !== id) return false
  const undone = newestOf(startable(kept, { key, ...seen }))?.id ?? seen.undone
  await memory.write({ key, newest: ageOf(before), ...(undone !== undefined && { undone }) })
  await dropAhead(shelf, id)
  return true
}

async function dropAhead({ caches, memory }: Shelf, id: string): Promise<void> {
  const [kept, seen] = await Promise.all([keptBuilds(caches), memory.read()])
  const builds = startable(kept, seen)
  const chosen = builds.find((build) => build.id === id)
  for (const build of builds)
    if (chosen && build !== chosen && isAhead(build, chosen)) await caches.delete(BUILD_CACHE + build.id)
}

/** `isNamed`: false for a file of no build. */
export async function namedFile(shelf: Shelf, address: string): Promise<{ isNamed: boolean; file: Response | undefined }> {
  const build = await startedBuild(shelf)
  if (!build || !Object.hasOwn(build.files, address)) return { isNamed: false, file: undefined }
  return { isNamed: true, file: (await fileOf(shelf, build, address)) ?? (await fetchChecked(shelf, address)) }
}

/** Keeps a rare file once it was asked for, so that it is there offline. */
export async function askAsset(shelf: Shelf, address: string): Promise<Response | undefined> {
  const answer = await fetchChecked(shelf, encodeURI(address))
  const build = answer && isRare(address) ? await startedBuild(shelf) : undefined
  const hash = build?.files[address]
  const cache = build && hash ? await shelf.caches.open(BUILD_CACHE + build.id) : undefined
  // A full disk keeps nothing, and shows it all the same.
  if (cache && hash && answer) await keep(cache, address, { answer: answer.clone(), hash }).catch(() => undefined)
  return answer
}

/** Only a named file passes; before a key was seen, an unnamed file too. */
export async function fetchChecked(shelf: Shelf, address: string): Promise<Response | undefined> {
  const [kept, seen] = await Promise.all([keptBuilds(shelf.caches), shelf.memory.read()])
  const builds: Build[] = startable(kept, seen).filter(({ files }) => files[address] !== undefined)
  if (builds.length === 0) {
    if (seen.key === null) return await shelf.fetch(address)
    const offer = await askOffered(shelf.fetch)
    if (offer && ['take', 'current'].includes(judge(offer, kept, seen))) builds.push(offer)
  }
  const answer = await shelf.fetch(address)
  const hash = await hashOf(await answer.clone().arrayBuffer())
  return builds.some(({ files }) => files[address] === hash) ? answer : undefined
}

async function isWhole({ caches }: Shelf, { id, files }: Build): Promise<boolean> {
  const kept = new Set((await (await caches.open(BUILD_CACHE + id)).keys()).map(({ url }) => new URL(url).pathname))
  return [MARKER, ...Object.keys(files).filter((address) => !isRare(address))].every((address) => kept.has(encodeURI(address)))
}

async function take(shelf: Shelf, build: Offer): Promise<'taken' | 'full' | 'broken' | 'away'> {
  const { caches, clock } = shelf
  const cache = await caches.open(BUILD_CACHE + build.id)
  try {
    await inLanes(FILES_AT_ONCE, Object.entries(build.files), ([address, hash]) => keepFile(shelf, cache, address, hash))
    const marker: KeptBuild = { ...build, takenAt: clock() }
    await cache.put(MARKER, new Response(JSON.stringify(marker), { headers: { 'content-type': 'application/json' } }))
    return 'taken'
  } catch (error) {
    if (error instanceof WrongFile) return 'broken'
    if (!(error instanceof Error) || error.name !== 'QuotaExceededError') return 'away'
    // A part would only fill the disk.
    await caches.delete(BUILD_CACHE + build.id)
    return 'full'
  }
}

class WrongFile extends Error {}

/** A kept file may be half. */
async function keepFile(shelf: Shelf, cache: Cache, address: string, hash: string): Promise<void> {
  const before = await cache.match(address)
  if (before && (await hashOf(await before.arrayBuffer())) === hash) return
  const copy = await copyOf(shelf, address, hash)
  if (!copy && isRare(address)) return
  const answer = copy ?? (await ask(shelf, address))
  await keep(cache, address, { answer, hash })
}

async function keep(cache: Cache, address: string, { answer, hash }: { answer: Response; hash: string }): Promise<void> {
  const bytes = await answer.arrayBuffer()
  if ((await hashOf(bytes)) !== hash) throw new WrongFile(address)
  const headers = new Headers([...answer.headers].filter(([name]) => KEPT_HEADERS.includes(name)))
  await cache.put(address, new Response(bytes, { headers }))
}

/** Most of a new build's files are the old one's. */
async function copyOf(shelf: Shelf, address: string, hash: string): Promise<Response | undefined> {
  const found = address.startsWith('/assets/') ? await assetOf(shelf, address) : undefined
  return found && (await hashOf(await found.clone().arrayBuffer())) === hash ? found : undefined
}

async function ask({ fetch }: Shelf, address: string): Promise<Response> {
  const answer = await fetch(address, { cache: 'no-cache' })
  if (!answer.ok) throw new WrongFile(address)
  return answer
}

/** Deletes unfinished builds only if the server's is here. */
export async function clearOut(shelf: Shelf, isUpToDate: boolean): Promise<void> {
  const { caches } = shelf
  const kept = await keptBuilds(shelf.caches)
  const gone = outdated(kept)
  const needed = new Set(kept.filter((build) => !gone.includes(build)).map(({ id }) => BUILD_CACHE + id))
  const begun = new Set(kept.map(({ id }) => BUILD_CACHE + id))
  for (const name of await caches.keys())
    if (name.startsWith(BUILD_CACHE) && !needed.has(name) && (isUpToDate || begun.has(name))) await caches.delete(name)
}

export async function clearFormer({ caches }: Shelf): Promise<void> {
  for (const name of await caches.keys()) if (/^offline-\d+$/.test(name)) await caches.delete(name)
}
