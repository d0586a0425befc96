import { z } from 'zod'
import { LIMITS } from './limits.ts'

export const userId = z.uuid().meta({ description: 'A lower-case UUID' })
export const instant = z.iso.datetime().meta({ description: 'UTC, ISO 8601, milliseconds' })
/** The listener decides, never a header. */
export const ingressShape = z.enum(['onion', 'direct'])
export const seqShape = z.number().int().nonnegative()
/** A 32-bit column. */
export const counterShape = z.number().int().nonnegative().max(2_147_483_647)

/** A username in lower case [Note: I3]. */
export const signedName = z
  .string()
  .max(LIMITS.usernameMax)
  .regex(/^[a-z0-9_]+$/)

/** A multiple of four. */
const PIECE_CHARS = 64 * 1024

/** `z.base64` is three times as slow for megabytes. */
function isBase64(text: string): boolean {
  // `atob` takes padding in each piece.
  const padding = text.indexOf('=')
  if (text.length % 4 !== 0 || (padding >= 0 && padding < text.length - 2)) return false
  let bytes = 0
  try {
    for (let at = 0; at < text.length; at += PIECE_CHARS) bytes += atob(text.slice(at, at + PIECE_CHARS)).length
  } catch {
    return false
  }
  // `atob` leaves spaces out.
  return bytes === (text.length / 4) * 3 - (padding < 0 ? 0 : text.length - padding)
}

export const base64Chars = (bytes: number): number => Math.ceil(bytes / 3) * 4

/** `max` counts bytes. */
export const base64 = (max: number) =>
  z.stringFormat('base64', isBase64).max(base64Chars(max)).meta({ contentEncoding: 'base64' })

/** The reader refuses text that is not base64. */
export const longBase64 = (max: number) => z.string().max(base64Chars(max)).meta({ contentEncoding: 'base64' })

/** Not trimmed. */
export const required = (label: string, max: number) =>
  z
    .string({ error: `${label} is required` })
    .min(1, `${label} is required`)
    .max(max, `${label} must be at most ${max} characters`)
export const base64Of = (bytes: number) =>
  base64(bytes).refine(
    (text) => text.length === Math.ceil(bytes / 3) * 4 && padding(text) === (3 - (bytes % 3)) % 3,
    `${bytes} bytes`,
  )

const padding = (text: string): number => text.length - text.replace(/=+$/, '').length

/** The signature covers the characters of `content`. */
export const signedShape = z.object({ content: z.string().max(LIMITS.bodyBytes), signature: base64(64) })
export type Signed = z.infer<typeof signedShape>

/** The two user ids stand in JavaScript's string order. */
export const chatRoomId = z.string().regex(/^(dm_[0-9a-f-]{36}_[0-9a-f-]{36}|room_[0-9a-f-]{36})$/)

export const directRoomId = (a: string, b: string): string => `dm_${[a, b].sort().join('_')}`

/** The room of one person, for notes [Note: M10]. */
export const notesRoomId = (userId: string): string => directRoomId(userId, userId)

/** Only the server knows other rooms' members. */
export const membersOfDirectRoom = (roomId: string): [string, string] => {
  const [, a = '', b = ''] = roomId.split('_')
  return [a, b]
}

/** Danger: all members are parsed before they are counted. */
export const boundedRecord = <K extends z.ZodType<string, string>, V extends z.ZodType>(key: K, value: V, max: number) =>
  z.record(key, value).refine((record) => Object.keys(record).length <= max, `At most ${max} keys`)

export const done = z.object({})
export const nothing = z.object({})
