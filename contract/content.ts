import { z } from 'zod'
import { utf8 } from './bytes.ts'
import { LIMITS } from './limits.ts'
import { base64, boundedRecord } from './shapes.ts'

/** Size of a text within a message: UTF-8 bytes of its JSON form. */
export const textBytes = (text: string): number => utf8(JSON.stringify(text)).length

const KINDS = [
  z.object({ type: z.literal('text'), text: z.string().refine((text) => textBytes(text) <= LIMITS.textBytes) }),
] as const

/** The content that a person wrote. It exists on devices only: the server may not import this file. */
export const contentShape = z.discriminatedUnion('type', KINDS)
export type Content = z.infer<typeof contentShape>

/** The text shown for a message that a newer build wrote. */
export const NEEDS_NEWER = 'Needs a newer version of this page'

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
