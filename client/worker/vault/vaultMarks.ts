import { z } from 'zod'
import { toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { sha256 } from '../primitives/seal.ts'

/** The key of a vault's marks, beside its head. */
export const MARKS = 'marks'

const HASH_BYTES = 16

const markShape = z.object({
  version: z.number(),
  /** Hash of that version's text, base64; absent if only the version is known. */
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
 * A vault's unencrypted record of the newest documents that it holds [Note: V4]. It stays readable if the vault does not open, so
 * a server that withholds the unlock secret cannot start the browser anew from older documents.
 */
export type Marks = z.infer<typeof marksShape>

/** The marks that a change of a vault adds. */
export type MarkChange = Partial<Pick<Marks, 'identityKey' | 'manifest' | 'book'>>

/** The mark of a document's version. */
export const markOf = (version: number, text: string): Mark => ({
  version,
  hash: toBase64(sha256('conclave/mark/v1', utf8(text)).slice(0, HASH_BYTES)),
})

const NONE: Mark = { version: 0 }

/** True if this document is older than the marked one, or differs from it at the same version. */
export const isBehind = ({ version, hash }: Mark, known: Mark): boolean =>
  version < known.version || (version === known.version && known.hash !== undefined && hash !== known.hash)

const raised = (known: Mark, next: Mark | undefined): Mark =>
  !next || next.version < known.version ? known : { ...known, ...next }

/** The marks after a change; undefined while no identity key is known. */
export function raisedMarks(userId: string, known: Marks | undefined, change: MarkChange): Marks | undefined {
  const identityKey = change.identityKey ?? known?.identityKey
  if (identityKey === undefined) return undefined
  const { manifest = NONE, book = NONE } = known ?? {}
  return { userId, identityKey, manifest: raised(manifest, change.manifest), book: raised(book, change.book) }
}

/** Parses the marks of a vault; undefined if a build without marks made it. */
export function parseMarks(row: unknown): Marks | undefined {
  const parsed = marksShape.safeParse(row)
  return parsed.success ? parsed.data : undefined
}
