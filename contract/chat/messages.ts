import { z } from 'zod'
import { utf8 } from '../ground/bytes.ts'
import { endpoint } from '../ground/endpoint.ts'
import { LIMITS } from '../ground/limits.ts'
import { REFUSAL_TEXTS } from '../ground/refusaltexts.ts'
import { chatRoomId, done, instant, seqShape, userId } from '../ground/shapes.ts'
import { LIFETIMES } from './lifetimes.ts'

export const messageType = z.enum(['text', 'image', 'file', 'audio'])
export const deliveryStatus = z.enum(['sending', 'sent', 'delivered', 'read'])

export const messageShape = z.object({
  id: z.uuid(),
  /** Unique, gapless, shared with commits. */
  seq: seqShape,
  chatRoomId,
  senderId: userId,
  /** An envelope, or an API caller's plain text. Unbounded: too long content is unreadable, and the page still opens. */
  content: z.string(),
  messageType,
  filePath: z.string().max(512).nullable(),
  fileName: z.string().max(255).nullable(),
  fileSize: z.number().int().nullable(),
  isEncrypted: z.boolean(),
  deliveryStatus,
  replyToId: z.uuid().nullable(),
  createdAt: instant,
  /** Nobody's list changes. */
  isSilent: z.literal(true).optional(),
})
export type Message = z.infer<typeof messageShape>

export const SIGN_IN_TO_SEND = 'You must be logged in to send messages'

/** An invalid name, size or path gets the refusal of a missing file. */
const NO_FILE = REFUSAL_TEXTS.file_not_found

export const SILENT_LIMITS = {
  bytes: 2048,
  /** If the plan limits messages. */
  aMonth: 200,
  ofMessage: 20,
} as const

/** In a UTC month, if the plan limits messages. */
export const NOTES_LIMITS = { aMonth: 100 } as const

export const TAKE_BACK_LIMITS = { places: 51, hours: 48, spareMinutes: 10 } as const

/**
 * Posting an id twice is harmless; `senderId` is ignored. A type other than `text` names the sender's file that no message
 * carries: `filePath`, `fileSize` (stored), `fileName` (id, optional).
 */
export const draftShape = z
  .object({
    id: z.uuid().optional(),
    chatRoomId,
    content: z
      .string()
      .refine((text) => text.trim() !== '', 'A message cannot be empty')
      .refine(
        (text) => text.length <= LIMITS.contentBytes && utf8(text).length <= LIMITS.contentBytes,
        'A message is at most 64 KiB',
      ),
    messageType,
    fileName: z.string(NO_FILE).max(255, NO_FILE).optional(),
    fileSize: z.number(NO_FILE).int(NO_FILE).nonnegative(NO_FILE).optional(),
    filePath: z.string(NO_FILE).max(512, NO_FILE).optional(),
    replyToId: z.uuid().optional(),
    /** Counts for nobody. */
    isSilent: z.boolean().optional(),
    /** Places of own messages to empty [Note: M8]. */
    takesBack: z.array(seqShape).min(1).max(TAKE_BACK_LIMITS.places).optional(),
    /** In seconds, from being read by all [Note: M9]. */
    lifetime: z.number().int().min(LIFETIMES.min).max(LIFETIMES.max).optional(),
    /** [Note: M14] */
    isOnce: z.literal(true).optional(),
    /** The place of what it opens. */
    opens: seqShape.optional(),
    /** A new message is answered without its content. */
    isBrief: z.boolean().optional(),
  })
  .refine(({ takesBack, isSilent, content }) => !takesBack || (isSilent && utf8(content).length <= SILENT_LIMITS.bytes), {
    path: ['takesBack'],
    error: 'Only a silent message of at most 2 KiB takes others back',
  })
  .refine(
    ({ opens, takesBack, isSilent, content }) =>
      !opens || (!takesBack && isSilent && utf8(content).length <= SILENT_LIMITS.bytes),
    {
      path: ['opens'],
      error: 'Only a silent message of at most 2 KiB opens another, and takes none back',
    },
  )
  .refine(({ isSilent, messageType: carries }) => !isSilent || carries === 'text', {
    path: ['messageType'],
    error: 'A silent message carries no file',
  })
  .refine(({ isOnce, messageType: carries }) => !isOnce || ['image', 'audio'].includes(carries), {
    path: ['isOnce'],
    error: 'Only a picture or a voice message opens once',
  })
export type Draft = z.infer<typeof draftShape>

const place = z.coerce.number().int().nonnegative()

export const messagesApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/messages',
    access: 'signed_in',
    summary:
      'A page of a room, oldest first: the newest, those before a seq, or those after a seq. One of more than 50 long messages ends early.',
    input: z.object({
      chatRoomId,
      before: place.optional(),
      after: place.optional(),
      limit: z.coerce.number().int().min(1).max(LIMITS.pageMax).default(LIMITS.pageDefault),
    }),
    output: z.array(messageShape).max(LIMITS.pageMax),
    answerLimitBytes: LIMITS.pageAnswerBytes,
  }),
  send: endpoint({
    method: 'POST',
    path: '/api/messages',
    access: 'signed_in',
    rates: ['messages', 'messagesADay', 'messagesInRoom'],
    signInText: SIGN_IN_TO_SEND,
    summary: 'Appends a message. The answer is the acknowledgement: it is durable.',
    input: draftShape,
    output: messageShape,
  }),
  markRead: endpoint({
    method: 'POST',
    path: '/api/messages/:chatRoomId/mark-read',
    access: 'signed_in',
    rates: ['marks', 'marksInRoom'],
    summary: 'Moves the read mark up to `seq`, or to the newest message.',
    input: z.object({ chatRoomId, seq: seqShape.optional() }),
    output: done,
  }),
  markDelivered: endpoint({
    method: 'POST',
    path: '/api/messages/:chatRoomId/mark-delivered',
    access: 'signed_in',
    rates: ['marks', 'marksInRoom'],
    summary: 'Says that everything up to `seq` is kept on a device of the caller.',
    input: z.object({ chatRoomId, seq: seqShape }),
    output: done,
  }),
}
