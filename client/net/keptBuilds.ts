import { BUILD_ADDRESS, readBuild } from '../../contract/site/build.ts'
import type { Offer } from './offer.ts'

/** A build of which this browser has every file, with the key of the operator who has signed it. */
export interface KeptBuild extends Offer {
  /** When it was the server's, in ms. */
  takenAt: number
}

/** A build's cache is named by this and its id. */
export const BUILD_CACHE = 'conclave/build/'
/** The row of a cache that says that it is complete, and of which build. It is written last. */
export const MARKER = BUILD_ADDRESS

/** The builds of which every file is here. One that was broken off has no marker and counts for nothing. */
export async function keptBuilds(caches: CacheStorage): Promise<KeptBuild[]> {
  const kept: KeptBuild[] = []
  for (const name of await caches.keys()) {
    if (!name.startsWith(BUILD_CACHE)) continue
    const marker = await (await caches.open(name)).match(MARKER)
    const read: unknown = await marker?.json().catch(() => undefined)
    const build = readBuild(read)
    const { takenAt, signedBy } = Object(read)
    const signer = typeof signedBy === 'string' ? signedBy : null
    if (build && name === BUILD_CACHE + build.id) kept.push({ ...build, takenAt: Number(takenAt) || 0, signedBy: signer })
  }
  return kept
}
