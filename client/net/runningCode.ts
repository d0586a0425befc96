import { type KeptBuild, keptBuilds } from './keptBuilds.ts'
import { askOffered, type Offer } from './offer.ts'

export interface RunningCode {
  version: string
  /** SHA-256 over every file, base64url. */
  hash: string
  /** Base64url; null without a signature. */
  signedBy: string | null
  isKept: boolean
}

interface Page {
  scripts: string[]
  caches: CacheStorage | undefined
  fetch: (address: string, init?: RequestInit) => Promise<Response>
}

const thisPage = (): Page => ({
  scripts: [...document.scripts].map(({ src }) => new URL(src, location.href).pathname),
  caches: globalThis.caches,
  fetch: (address, init) => fetch(address, init),
})

/**
 * Code that lies says anything here: only a comparison from outside counts (docs/verify.md). Returns undefined for scripts of no
 * known build.
 */
export async function runningCode({ scripts, caches, fetch }: Page = thisPage()): Promise<RunningCode | undefined> {
  const isThis = ({ files }: Offer) => scripts.length > 0 && scripts.every((address) => files[address] !== undefined)
  // Some private windows refuse a page its caches.
  const kept = caches ? (await keptBuilds(caches).catch(() => [])).filter(isThis) : []
  const newest = kept.reduce<KeptBuild | undefined>((best, one) => (best && best.takenAt > one.takenAt ? best : one), undefined)
  const found = newest ?? (await askOffered(fetch))
  if (!found || !isThis(found)) return undefined
  return { version: found.version, hash: found.id, signedBy: found.signedBy, isKept: newest !== undefined }
}
