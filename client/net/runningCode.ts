import { type KeptBuild, keptBuilds } from './keptBuilds.ts'
import { askOffered, type Offer } from './offer.ts'

/** The code that this page is made of. */
export interface RunningCode {
  /** The product's version, such as "1.4.0". */
  version: string
  /** SHA-256 over every file of it, base64url: the same at everybody who runs the same code. */
  hash: string
  /** The public key of the operator who has signed it, base64url; null if nobody has. */
  signedBy: string | null
  /** True if this browser starts it from a copy of its own, whose files it has compared with the build. */
  isKept: boolean
}

interface Page {
  /** The addresses of the scripts in the page's HTML. Their names have the hash of their content. */
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
 * What this page is made of, by the list of the browser's own copy, or else by the server's. It is the word of the code itself: code that
 * lies says what it likes here, so it is worth what a comparison from outside confirms (docs/verify.md). undefined where neither has the
 * scripts of this page, as after the server was updated.
 */
export async function runningCode({ scripts, caches, fetch }: Page = thisPage()): Promise<RunningCode | undefined> {
  const isThis = ({ files }: Offer) => scripts.length > 0 && scripts.every((address) => files[address] !== undefined)
  const kept = caches ? (await keptBuilds(caches)).filter(isThis) : []
  const newest = kept.reduce<KeptBuild | undefined>((best, one) => (best && best.takenAt > one.takenAt ? best : one), undefined)
  const found = newest ?? (await askOffered(fetch))
  if (!found || !isThis(found)) return undefined
  return { version: found.version, hash: found.id, signedBy: found.signedBy, isKept: newest !== undefined }
}
