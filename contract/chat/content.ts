import { z } from 'zod'
import { textBytes } from '../ground/bytes.ts'
import { LIMITS } from '../ground/limits.ts'
import { base64, base64Of, boundedRecord } from '../ground/shapes.ts'
import { SAID } from './saidlimits.ts'

const pixels = z.number().int().min(1).max(100_000)

/**
 * A file: what opens the object that the server stores, and what it is [Note: A1]. `as` is the message's type on the server; a video
 * is a `file`.
 */
const fileShape = z.object({
  type: z.literal('file'),
  as: z.enum(['image', 'file', 'audio']),
  /** The id of the object, and the size with which it is stored: padded and sealed. */
  object: z.uuid(),
  storedBytes: z.number().int().min(LIMITS.sealedFileMinBytes).max(LIMITS.sealedFileBytes),
  /** The file's own key, and the SHA-256 of its bytes. */
  key: base64Of(32),
  hash: base64Of(32),
  name: z.string().max(SAID.nameMax),
  mediaType: z.string().max(100),
  sizeBytes: z.number().int().min(1).max(LIMITS.fileBytes),
  caption: z.string().refine((text) => textBytes(text) <= SAID.captionBytes),
  /** Of a picture or a video: its size, and a small JPEG that is shown until it is there. */
  picture: z.object({ width: pixels, height: pixels, thumbnail: base64(SAID.thumbnailBytes) }).optional(),
  /** Of a voice message: its length, and how loud it is in equal parts of that, a byte each. */
  voice: z.object({ seconds: z.number().min(0).max(SAID.voiceSeconds), peaks: base64(SAID.voicePeaks) }).optional(),
})
export type FileContent = z.infer<typeof fileShape>

const KINDS = [
  z.object({ type: z.literal('text'), text: z.string().refine((text) => textBytes(text) <= LIMITS.textBytes) }),
  fileShape,
] as const

/** The content that a person wrote. It exists on devices only: the server may not import this file. */
export const contentShape = z.discriminatedUnion('type', KINDS)
export type Content = z.infer<typeof contentShape>

/** The fields of a statement that every build reads. A build that changes one of them raises the version of the envelope. */
const frameShape = z.object({
  id: z.uuid(),
  chatRoomId: z.string(),
  sentAt: z.iso.datetime(),
  content: z.object({ type: z.string() }).loose(),
  replyToId: z.uuid().nullable(),
  /** The newest manifest version that the sender knows of each account, by user id [Note: D2]. */
  manifests: boundedRecord(z.string(), z.number().int(), LIMITS.roomMembersMax),
  /**
   * The hashes of those versions, 16 bytes each, in the order of the sorted user ids; absent in statements of older builds. 16 zero
   * bytes stand for an account without a list [Note: D2].
   */
  hashes: base64(16 * LIMITS.roomMembersMax).optional(),
  /** The version of the sender's book. It tells the account's other browsers of a book that the server withholds [Note: I1]. */
  book: z.number().int().nonnegative().optional(),
  /**
   * The sender's view of the log: the last seq it has seen and the running hash of envelopes since the last commit, base64.
   * `before` is the running hash just before that commit, if the sender knows it [Note: M5].
   */
  seen: z.object({ seq: z.number().int(), hash: z.string(), before: z.string().optional() }),
})

/** A statement without its content. Other devices check it for every kind of content. */
export type Frame = Omit<z.infer<typeof frameShape>, 'content'>

/** The signed part of a message's body, as JSON [Note: M4]. */
export type Statement = Frame & { content: Content }

/** A statement read from another device; `content` is undefined if this build does not know its kind. */
export type ReadStatement = Frame & { content: Content | undefined }

/**
 * Reads a statement's JSON; undefined if no build writes that form. Fields and kinds that only a newer build knows are skipped,
 * and `isWhole` is then false: the text is kept for that build.
 */
export function readStatement(written: unknown): { statement: ReadStatement; isWhole: boolean } | undefined {
  const parsed = frameShape.safeParse(written)
  if (!parsed.success) return undefined
  const { content: contentJson, ...frame } = parsed.data
  const content = contentShape.safeParse(contentJson)
  if (!content.success && KINDS.some(({ shape }) => shape.type.value === contentJson.type)) return undefined
  const statement = { ...frame, content: content.data }
  return { statement, isWhole: holdsAll(statement, written) }
}

/** Reads content that a build of any age has stored; undefined if this build does not know its kind. */
export const readContent = (kept: unknown): Content | undefined => contentShape.safeParse(kept).data

/** True if every field of `written` is in `read`. */
function holdsAll(read: unknown, written: unknown): boolean {
  if (typeof written !== 'object' || written === null) return true
  if (typeof read !== 'object' || read === null) return false
  const fields = new Map<string, unknown>(Object.entries(read))
  return Object.entries(written).every(([name, value]) => fields.has(name) && holdsAll(fields.get(name), value))
}
