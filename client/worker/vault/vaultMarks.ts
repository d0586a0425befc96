import { z } from 'zod'
import { toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { sha256 } from '../primitives/seal.ts'

export const MARKS = 'marks'

const HASH_BYTES = 16

const markShape = z.object({
  version: z.number(),
  /** base64. */
  hash: z.string().optional(),
})
export type Mark = z.infer<typeof markShape>

const marksShape = z.object({
  userId: z.string(),
  /** Ed25519, base64. */
  identityKey: z.string(),
  manifest: markShape,
  book: markShape,
})

/** [Note: V4] Not encrypted: a server must not restart the browser from older documents. */
export type Marks = z.infer<typeof marksShape>

export type MarkChange = Partial<Pick<Marks, 'identityKey' | 'manifest' | 'book'>>

/** Returns the mark of a document's version. */
export const markOf = (version: number, text: string): Mark => ({
  version,
  hash: toBase64(sha256('conclave/mark/v1', utf8(text)).slice(0, HASH_BYTES)),
})

const NONE: Mark = { version: 0 }

/** Returns true for an older document, or a differing one of the same version. */
export const isBehind = ({ version, hash }: Mark, known: Mark): boolean =>
  version < known.version || (version === known.version && known.hash !== undefined && hash !== known.hash)

const raised = (known: Mark, next: Mark | undefined): Mark =>
  !next || next.version < known.version ? known : { ...known, ...next }

/** Returns undefined without an identity key. */
export function raisedMarks(userId: string, known: Marks | undefined, change: MarkChange): Marks | undefined {
  const identityKey = change.identityKey ?? known?.identityKey
  if (identityKey === undefined) return undefined
  const { manifest = NONE, book = NONE } = known ?? {}
  return { userId, identityKey, manifest: raised(manifest, change.manifest), book: raised(book, change.book) }
}

/** Parses marks; an older build's vault has none. */
export function parseMarks(row: unknown): Marks | undefined {
  const parsed = marksShape.safeParse(row)
  return parsed.success ? parsed.data : undefined
}
