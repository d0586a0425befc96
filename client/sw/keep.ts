import type { Build } from '../../contract/site/build.ts'
import { inLanes } from '../net/inTurn.ts'
import { BUILD_CACHE, type KeptBuild, keptBuilds, MARKER } from '../net/keptBuilds.ts'
import { askOffered, hashOf, type Offer } from '../net/offer.ts'
import { judge, newestOf, outdated, seenWith, startable } from './builds.ts'
import type { Memory } from './seen.ts'

const FILES_AT_ONCE = 4
/** Headers of the transport. */
const OF_THE_WAY = ['content-encoding', 'content-length', 'transfer-encoding', 'vary', 'date', 'age', 'etag', 'last-modified']

export interface Shelf {
  caches: CacheStorage
  memory: Memory
  fetch: (address: string, init?: RequestInit) => Promise<Response>
  clock: () => number
}

/**
 * `current`, `taken`: this browser has every file. `older`, `unsigned`, `other_key`: refused. `broken`: a wrong file. `full`: the
 * disk. `away`: the server.
 */
export type Outcome = 'current' | 'taken' | 'older' | 'unsigned' | 'other_key' | 'full' | 'broken' | 'away'

export interface Look {
  outcome: Outcome
  offer?: Offer
}

export async function startedBuild({ caches, memory }: Shelf): Promise<KeptBuild | undefined> {
  const [kept, seen] = await Promise.all([keptBuilds(caches), memory.read()])
  return newestOf(startable(kept, seen))
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
  if (outcome === 'current' || outcome === 'taken') await shelf.memory.write(seenWith(seen, { ...offer, signedBy }))
  return { outcome, offer }
}

/** The new key must sign the server's offer. */
export async function acceptKey({ fetch, memory }: Shelf, key: string): Promise<boolean> {
  const offer = await askOffered(fetch)
  if (!offer || offer.signedBy !== key) return false
  await memory.write({ ...(await memory.read()), key })
  return true
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
  return [MARKER, ...Object.keys(files)].every((address) => kept.has(encodeURI(address)))
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
  const answer = (await copyOf(shelf, address, hash)) ?? (await ask(shelf, address))
  const bytes = await answer.arrayBuffer()
  if ((await hashOf(bytes)) !== hash) throw new WrongFile(address)
  const headers = new Headers(answer.headers)
  for (const name of OF_THE_WAY) headers.delete(name)
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
