import { z } from 'zod'
import { LIMITS } from './limits.ts'

/** Shapes that several features share. */
export const userId = z.uuid().meta({ description: 'A lower-case UUID' })
export const instant = z.iso.datetime().meta({ description: 'UTC, ISO 8601, milliseconds' })
export const seqShape = z.number().int().nonnegative()
/** Versions, generations, epochs: what a 32-bit column holds. */
export const counterShape = z.number().int().nonnegative().max(2_147_483_647)

/** A username as documents sign it, and as screens show it: in lower case [Note: I3]. */
export const signedName = z
  .string()
  .max(LIMITS.usernameMax)
  .regex(/^[a-z0-9_]+$/)

/** Bytes as standard base64, at most `max` bytes once decoded. */
export const base64 = (max: number) => z.base64().max(Math.ceil(max / 3) * 4)

/** A text that a person must give: absent, empty or no text at all, it "is required". Trims nothing; `max` in characters. */
export const required = (label: string, max: number) =>
  z
    .string({ error: `${label} is required` })
    .min(1, `${label} is required`)
    .max(max, `${label} must be at most ${max} characters`)
/** Exactly so many bytes as standard base64. */
export const base64Of = (bytes: number) =>
  base64(bytes).refine(
    (text) => text.length === Math.ceil(bytes / 3) * 4 && padding(text) === (3 - (bytes % 3)) % 3,
    `${bytes} bytes`,
  )

const padding = (text: string): number => text.length - text.replace(/=+$/, '').length

/** A document that its owner signed: the signature covers exactly these characters. */
export const signedShape = z.object({ content: z.string().max(LIMITS.bodyBytes), signature: base64(64) })
export type Signed = z.infer<typeof signedShape>

/** A direct room: "dm_" and its two user ids, sorted as JavaScript sorts strings. Any other room: "room_" and a UUID. */
export const chatRoomId = z.string().regex(/^(dm_[0-9a-f-]{36}_[0-9a-f-]{36}|room_[0-9a-f-]{36})$/)

/** The id of the room that two people share. */
export const directRoomId = (a: string, b: string): string => `dm_${[a, b].sort().join('_')}`

/** The two user ids in a direct room's id. Of any other room only the server knows the members. */
export const membersOfDirectRoom = (roomId: string): [string, string] => {
  const [, a = '', b = ''] = roomId.split('_')
  return [a, b]
}

/** An object with at most `max` keys. Its members are parsed first: bound the text too where it comes from others. */
export const boundedRecord = <K extends z.ZodType<string, string>, V extends z.ZodType>(key: K, value: V, max: number) =>
  z.record(key, value).refine((record) => Object.keys(record).length <= max, `At most ${max} keys`)

export const done = z.object({})
export const nothing = z.object({})
