import { BUILD_ADDRESS } from '../../contract/site/addresses.ts'
import { readBuild } from '../../contract/site/build.ts'
import type { Offer } from './offer.ts'

/** A build whose every file this browser has. */
export interface KeptBuild extends Offer {
  /** Time in ms. */
  takenAt: number
}

export const BUILD_CACHE = 'conclave/build/'
/** The last row marks a complete cache. */
export const MARKER = BUILD_ADDRESS

/** Leaves out builds without a marker. */
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
