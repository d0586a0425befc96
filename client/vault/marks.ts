import { z } from 'zod'
import { toBase64, utf8 } from '../../contract/bytes.ts'
import { sha256 } from '../primitives/seal.ts'

/** Where a vault keeps its marks, beside its head. */
export const MARKS = 'marks'

const HASH_BYTES = 16

const markShape = z.object({
  version: z.number(),
  /** Of the text of that version, base64; absent where only the number is known. */
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

/**
 * What a vault says in the clear of the newest documents that it holds [Note: V4]. They outlive a vault that does not open: a server that
 * withholds its secret cannot start from older documents.
 */
export type Marks = z.infer<typeof marksShape>

/** What a change of a vault adds to its marks. */
export type MarkChange = Partial<Pick<Marks, 'identityKey' | 'manifest' | 'book'>>

/** The mark of a document's version. */
export const markOf = (version: number, text: string): Mark => ({
  version,
  hash: toBase64(sha256('conclave/mark/v1', utf8(text)).slice(0, HASH_BYTES)),
})

const NONE: Mark = { version: 0 }

/** True if this document is older than the marked one, or another one of the same version. */
export const isBehind = ({ version, hash }: Mark, known: Mark): boolean =>
  version < known.version || (version === known.version && known.hash !== undefined && hash !== known.hash)

const raised = (known: Mark, next: Mark | undefined): Mark =>
  !next || next.version < known.version ? known : { ...known, ...next }

/** The marks after a change. Without an identity key there are none. */
export function raisedMarks(userId: string, known: Marks | undefined, change: MarkChange): Marks | undefined {
  const identityKey = change.identityKey ?? known?.identityKey
  if (identityKey === undefined) return undefined
  const { manifest = NONE, book = NONE } = known ?? {}
  return { userId, identityKey, manifest: raised(manifest, change.manifest), book: raised(book, change.book) }
}

/** The marks as a vault keeps them; undefined where a build without them made it. */
export function parseMarks(row: unknown): Marks | undefined {
  const parsed = marksShape.safeParse(row)
  return parsed.success ? parsed.data : undefined
}
