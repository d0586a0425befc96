import { z } from 'zod'
import { utf8 } from './bytes.ts'
import { LIMITS } from './limits.ts'
import { boundedRecord } from './shapes.ts'

/** What a text takes in a message: the UTF-8 bytes of its JSON form. */
export const textBytes = (text: string): number => utf8(JSON.stringify(text)).length

const KINDS = [
  z.object({ type: z.literal('text'), text: z.string().refine((text) => textBytes(text) <= LIMITS.textBytes) }),
] as const

/** What a person wrote: it exists on devices only. The server may not import this file. */
export const contentShape = z.discriminatedUnion('type', KINDS)
export type Content = z.infer<typeof contentShape>

/** What stands in the place of a message that a newer build wrote. */
export const NEEDS_NEWER = 'Needs a newer version of this page'

/** The parts of a statement that every build reads. A build that changes one of them writes another version of the envelope. */
const frameShape = z.object({
  id: z.uuid(),
  chatRoomId: z.string(),
  sentAt: z.iso.datetime(),
  content: z.object({ type: z.string() }).loose(),
  replyToId: z.uuid().nullable(),
  /** The newest manifest version known of each account, by user id [Note: D2]. */
  manifests: boundedRecord(z.string(), z.number().int(), LIMITS.roomMembersMax),
  /** The version of the sender's own book, for the account's other browsers: the server cannot hide it from them [Note: I1]. */
  book: z.number().int().nonnegative().optional(),
  /**
   * Where the sender stood: the last seq it had seen and the running hash of envelopes since the last commit, base64; `before`: the
   * running hash just before that commit, where the sender knows it [Note: M5].
   */
  seen: z.object({ seq: z.number().int(), hash: z.string(), before: z.string().optional() }),
})

/** A statement without its content: what other devices check, whatever was said. */
export type Frame = Omit<z.infer<typeof frameShape>, 'content'>

/** The signed part of a message's body, as JSON [Note: M4]. */
export type Statement = Frame & { content: Content }

/** A statement as somebody else wrote it; `content` is undefined where this build does not know its kind. */
export type ReadStatement = Frame & { content: Content | undefined }

/**
 * Reads a statement's JSON; undefined where it is not as any build writes it. What only a newer build knows is passed over, and
 * `isWhole` is false: the text is kept for that build.
 */
export function readStatement(written: unknown): { statement: ReadStatement; isWhole: boolean } | undefined {
  const parsed = frameShape.safeParse(written)
  if (!parsed.success) return undefined
  const { content: said, ...frame } = parsed.data
  const content = contentShape.safeParse(said)
  if (!content.success && KINDS.some(({ shape }) => shape.type.value === said.type)) return undefined
  const statement = { ...frame, content: content.data }
  return { statement, isWhole: holdsAll(statement, written) }
}

/** The content that a build of any age kept; undefined where it is of a kind that this build does not know. */
export const readContent = (kept: unknown): Content | undefined => contentShape.safeParse(kept).data

/** True if everything that was written was read. */
function holdsAll(read: unknown, written: unknown): boolean {
  if (typeof written !== 'object' || written === null) return true
  if (typeof read !== 'object' || read === null) return false
  const fields = new Map<string, unknown>(Object.entries(read))
  return Object.entries(written).every(([name, value]) => fields.has(name) && holdsAll(fields.get(name), value))
}
