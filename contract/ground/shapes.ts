import { z } from 'zod'
import { LIMITS } from './limits.ts'

/** Shapes that several features share. */
export const userId = z.uuid().meta({ description: 'A lower-case UUID' })
export const instant = z.iso.datetime().meta({ description: 'UTC, ISO 8601, milliseconds' })
/** How a connection came: `onion` by the onion listener. The listener decides, never a header. */
export const ingressShape = z.enum(['onion', 'direct'])
export const seqShape = z.number().int().nonnegative()
/** A version, generation or epoch: the range of a 32-bit column. */
export const counterShape = z.number().int().nonnegative().max(2_147_483_647)

/** A username as signed documents and screens show it: in lower case [Note: I3]. */
export const signedName = z
  .string()
  .max(LIMITS.usernameMax)
  .regex(/^[a-z0-9_]+$/)

/** A multiple of four. What `atob` makes of so many characters is garbage that costs nothing to collect. */
const PIECE_CHARS = 64 * 1024

/** True for standard base64. Native code reads the text once: `z.base64` takes three times as long for a book of megabytes. */
function isBase64(text: string): boolean {
  // `atob` takes padding at the end of each piece, but it stands at the end of the text.
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

/** Characters of standard base64 of so many bytes. */
export const base64Chars = (bytes: number): number => Math.ceil(bytes / 3) * 4

/** Standard base64 of at most `max` bytes. */
export const base64 = (max: number) =>
  z.stringFormat('base64', isBase64).max(base64Chars(max)).meta({ contentEncoding: 'base64' })

/** Like `base64`, for megabytes that whoever takes them decodes anyway: another text is refused then, and read once. */
export const longBase64 = (max: number) => z.string().max(base64Chars(max)).meta({ contentEncoding: 'base64' })

/** A required text of at most `max` characters: absent, empty or another type gets "is required". It is not trimmed. */
export const required = (label: string, max: number) =>
  z
    .string({ error: `${label} is required` })
    .min(1, `${label} is required`)
    .max(max, `${label} must be at most ${max} characters`)
/** Standard base64 of exactly this many bytes. */
export const base64Of = (bytes: number) =>
  base64(bytes).refine(
    (text) => text.length === Math.ceil(bytes / 3) * 4 && padding(text) === (3 - (bytes % 3)) % 3,
    `${bytes} bytes`,
  )

const padding = (text: string): number => text.length - text.replace(/=+$/, '').length

/** A signed document. The signature covers exactly the characters of `content`. */
export const signedShape = z.object({ content: z.string().max(LIMITS.bodyBytes), signature: base64(64) })
export type Signed = z.infer<typeof signedShape>

/** A direct room: "dm_" and two user ids in the order of JavaScript's string sort. Any other room: "room_" and a UUID. */
export const chatRoomId = z.string().regex(/^(dm_[0-9a-f-]{36}_[0-9a-f-]{36}|room_[0-9a-f-]{36})$/)

/** Returns the id of the direct room of two people. */
export const directRoomId = (a: string, b: string): string => `dm_${[a, b].sort().join('_')}`

/** Returns the two user ids in a direct room's id. Only the server knows the members of other rooms. */
export const membersOfDirectRoom = (roomId: string): [string, string] => {
  const [, a = '', b = ''] = roomId.split('_')
  return [a, b]
}

/** An object with at most `max` keys. Its members are parsed before they are counted, so bound untrusted text beforehand too. */
export const boundedRecord = <K extends z.ZodType<string, string>, V extends z.ZodType>(key: K, value: V, max: number) =>
  z.record(key, value).refine((record) => Object.keys(record).length <= max, `At most ${max} keys`)

export const done = z.object({})
export const nothing = z.object({})
