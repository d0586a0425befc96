import { z } from 'zod'
import { utf8 } from './bytes.ts'
import { LIMITS } from './limits.ts'
import { boundedRecord } from './shapes.ts'

/** What a text takes in a message: the UTF-8 bytes of its JSON form. */
export const textBytes = (text: string): number => utf8(JSON.stringify(text)).length

/** What a person wrote: it exists on devices only. The server may not import this file. */
export const contentShape = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string().refine((text) => textBytes(text) <= LIMITS.textBytes) }),
])
export type Content = z.infer<typeof contentShape>

/** The signed part of a message's body, as JSON [Note: M4]. */
export const statementShape = z.object({
  id: z.uuid(),
  chatRoomId: z.string(),
  sentAt: z.iso.datetime(),
  content: contentShape,
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
export type Statement = z.infer<typeof statementShape>
