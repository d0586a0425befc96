import { z } from 'zod'
import { textBytes } from '../ground/bytes.ts'
import { LIMITS } from '../ground/limits.ts'
import { base64, base64Of, boundedRecord, chatRoomId, seqShape } from '../ground/shapes.ts'
import { CALL_LIMITS, CALL_TYPES } from './calllimits.ts'
import { LIFETIMES } from './lifetimes.ts'
import { SAID } from './saidlimits.ts'

/** The words are those of whoever quotes. */
const quoteShape = z.object({ senderId: z.uuid(), id: z.uuid(), words: z.string().max(SAID.quoteMax) })
export type Quote = z.infer<typeof quoteShape>

const ONCE_AS = ['image', 'audio'] as const

const forwarded = { isForwarded: z.literal(true).optional() }

const pixels = z.number().int().min(1).max(100_000)

/** `as`: the server's message type; a video is a `file` [Note: A1]. */
const fileShape = z.object({
  type: z.literal('file'),
  as: z.enum(['image', 'file', 'audio']),
  /** The id and the padded, sealed size. */
  object: z.uuid(),
  storedBytes: z.number().int().min(LIMITS.sealedFileMinBytes).max(LIMITS.sealedFileBytes),
  /** SHA-256 of the bytes follows. */
  key: base64Of(32),
  hash: base64Of(32),
  name: z.string().max(SAID.nameMax),
  mediaType: z.string().max(100),
  sizeBytes: z.number().int().min(1).max(LIMITS.fileBytes),
  caption: z.string().refine((text) => textBytes(text) <= SAID.captionBytes),
  /** A small JPEG is shown until the file is there. */
  picture: z.object({ width: pixels, height: pixels, thumbnail: base64(SAID.thumbnailBytes) }).optional(),
  /** Seconds, and the loudness of equal parts, a byte each. */
  voice: z.object({ seconds: z.number().min(0).max(SAID.voiceSeconds), peaks: base64(SAID.voicePeaks) }).optional(),
  /** The length of a video. */
  seconds: z.number().min(0).max(SAID.videoSeconds).optional(),
  /** The act in which a picture was sent with others. Older builds show each alone. */
  album: z
    .object({
      id: z.uuid(),
      place: z
        .number()
        .int()
        .min(0)
        .max(SAID.albumMax - 1),
    })
    .optional(),
  quote: quoteShape.optional(),
  ...forwarded,
})
export type FileContent = z.infer<typeof fileShape>

/** `file` is gone where it was opened or sent [Note: M14]. */
const onceShape = z.object({
  type: z.literal('once'),
  as: z.enum(ONCE_AS),
  seconds: z.number().min(0).max(SAID.voiceSeconds).optional(),
  file: fileShape
    .pick({ object: true, storedBytes: true, key: true, hash: true, mediaType: true, sizeBytes: true, caption: true })
    .extend({ peaks: base64(SAID.voicePeaks).optional() })
    .optional(),
  quote: quoteShape.optional(),
})
export type OnceContent = z.infer<typeof onceShape>

export const callOutcome = z.enum(['answered', 'no_answer', 'declined', 'busy', 'cancelled', 'failed'])

/** What became of a call. The caller's browser writes it. */
const callShape = z.object({
  type: z.literal('call'),
  callId: z.uuid(),
  callType: z.enum(CALL_TYPES),
  outcome: callOutcome,
  /** From the answer to the end. */
  seconds: z.number().int().min(0).max(CALL_LIMITS.lineSecondsMax),
  /** The caller pressed "They match". */
  isCompared: z.boolean(),
})
export type CallContent = z.infer<typeof callShape>

/** A file that goes from browser to browser [Note: M11]. */
const transferShape = z.object({
  type: z.literal('transfer'),
  transferId: z.uuid(),
  name: z.string().max(SAID.nameMax),
  mediaType: z.string().max(100),
  sizeBytes: z.number().int().min(1).max(SAID.transferBytes),
  /** SHA-256 of the bytes. */
  hash: base64Of(32),
})
export type TransferContent = z.infer<typeof transferShape>

const lifetime = z.number().int().min(LIFETIMES.min).max(LIFETIMES.max)

/** 0 ends it. */
const timerShape = z.object({ type: z.literal('timer'), seconds: z.literal(0).or(lifetime) })
export type TimerContent = z.infer<typeof timerShape>

const KINDS = [
  z.object({
    type: z.literal('text'),
    text: z.string().refine((text) => textBytes(text) <= LIMITS.textBytes),
    quote: quoteShape.optional(),
    ...forwarded,
  }),
  fileShape,
  callShape,
  transferShape,
  timerShape,
  onceShape,
] as const

/** Devices only: the server may not import this file. */
export const contentShape = z.discriminatedUnion('type', KINDS)
export type Content = z.infer<typeof contentShape>

const targetShape = z.object({ senderId: z.uuid(), id: z.uuid() })

const LETTERS = /(?!ℹ)[\p{L}\s]/u
const SYMBOL = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u
const emoji = z
  .string()
  .max(SAID.emojiMax)
  .refine((text) => SYMBOL.test(text) && !LETTERS.test(text))

export const MARK_NAMES = ['pinned', 'archived', 'unread'] as const

const ACTS = [
  /** `n`: one above the highest seen. */
  z.object({
    type: z.literal('edit'),
    target: targetShape,
    n: z.number().int().min(1).max(SAID.editsMax),
    text: z.string().refine((text) => textBytes(text) <= LIMITS.textBytes),
  }),
  z.object({ type: z.literal('reaction'), target: targetShape, emojis: z.array(emoji).max(SAID.reactionsMax) }),
  /** `places`: of the message, then of its edits. */
  z.object({
    type: z.literal('delete'),
    target: targetShape,
    places: z
      .array(z.number().int().min(1))
      .min(1)
      .max(SAID.textsMax + 1),
  }),
  /** [Note: M14] */
  z.object({
    type: z.literal('opened'),
    target: targetShape,
    place: z.number().int().min(1),
    as: z.enum(ONCE_AS),
    seconds: z.number().min(0).max(SAID.voiceSeconds).optional(),
  }),
  /** A voice message was played. */
  z.object({ type: z.literal('listened'), target: targetShape }),
  /** `place`: of the message [Note: M7]. */
  z.object({ type: z.literal('pin'), target: targetShape, place: z.number().int().min(1), on: z.boolean() }),
  /** `at`: the chat's last seq [Note: M13]. */
  z.object({ type: z.literal('mark'), room: chatRoomId, is: z.enum(MARK_NAMES), on: z.boolean(), at: seqShape }),
  /** `at`: the message's seq [Note: M13]. */
  z.object({ type: z.literal('star'), room: chatRoomId, target: targetShape, on: z.boolean(), at: seqShape }),
  /** [Note: M13] */
  z.object({ type: z.literal('delete_chat'), room: chatRoomId, on: z.boolean(), at: seqShape }),
  /** [Note: M13] */
  z.object({ type: z.literal('hide'), room: chatRoomId, target: targetShape, at: seqShape }),
] as const

/** Changes another message or a chat [Note: M7]. */
export const actShape = z.discriminatedUnion('type', ACTS)
export type Act = z.infer<typeof actShape>
export type Mark = Extract<Act, { type: 'mark' }>
export type ChatDeletion = Extract<Act, { type: 'delete_chat' }>
export type Star = Extract<Act, { type: 'star' }>
export type Hide = Extract<Act, { type: 'hide' }>
export type Pin = Extract<Act, { type: 'pin' }>
export type MessageAct = Exclude<Act, Mark | Star | ChatDeletion | Hide | Pin>
export type Target = MessageAct['target']

const WRITTEN_CHARS = 30

/** A build that changes a field raises the envelope's version. */
const frameShape = z
  .object({
    id: z.uuid(),
    chatRoomId: z.string(),
    /** When it was sealed. */
    sentAt: z.iso.datetime(),
    /** The time of writing, if the message waited [Note: M4]. */
    writtenAt: z.iso.datetime().max(WRITTEN_CHARS).optional(),
    content: z.object({ type: z.string() }).loose(),
    replyToId: z.uuid().nullable(),
    /** In seconds [Note: M9]. */
    lifetime: lifetime.optional(),
    /** Versions that the sender knows, by user id [Note: D2]. */
    manifests: boundedRecord(z.string(), z.number().int(), LIMITS.roomMembersMax),
    /**
     * Hashes of those, 16 bytes each, in the order of user ids; 16 zero bytes without a list; absent in older builds [Note: D2].
     */
    hashes: base64(16 * LIMITS.roomMembersMax).optional(),
    /** Reveals a book that the server withholds [Note: I1]. */
    book: z.number().int().nonnegative().optional(),
    /**
     * The last seq, and the running hash since the last commit, base64 [Note: M5]. `before`: the hash before that commit, if known.
     */
    seen: z.object({ seq: z.number().int(), hash: z.string(), before: z.string().optional() }),
  })
  .refine(({ sentAt, writtenAt }) => writtenAt === undefined || Date.parse(writtenAt) <= Date.parse(sentAt))

export type Frame = Omit<z.infer<typeof frameShape>, 'content'>

/** The signed part of a message's body [Note: M4]. */
export type Statement = Frame & { content: Content | Act }

/** The content is undefined for an unknown kind. */
export type ReadStatement = Frame & { content: Content | Act | undefined }

/**
 * Returns undefined for a form that no build writes. `isWhole` is false for a newer build's fields or kinds: the text is kept for
 * that build.
 */
export function readStatement(written: unknown): { statement: ReadStatement; isWhole: boolean } | undefined {
  const parsed = frameShape.safeParse(written)
  if (!parsed.success) return undefined
  const { content: contentJson, ...frame } = parsed.data
  const content = readSaid(contentJson)
  if (!content && [...KINDS, ...ACTS].some(({ shape }) => shape.type.value === contentJson.type)) return undefined
  const statement = { ...frame, content }
  return { statement, isWhole: holdsAll(statement, written) }
}

export const readContent = (kept: unknown): Content | undefined => contentShape.safeParse(kept).data

export const readAct = (kept: unknown): Act | undefined => actShape.safeParse(kept).data

/** Returns undefined for an unknown kind. */
export const readSaid = (kept: unknown): Content | Act | undefined => readContent(kept) ?? readAct(kept)

function holdsAll(read: unknown, written: unknown): boolean {
  if (typeof written !== 'object' || written === null) return true
  if (typeof read !== 'object' || read === null) return false
  const fields = new Map<string, unknown>(Object.entries(read))
  return Object.entries(written).every(([name, value]) => fields.has(name) && holdsAll(fields.get(name), value))
}
