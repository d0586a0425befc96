import { z } from 'zod'
import { isWithinBounds } from '../ground/json.ts'
import { base64, base64Chars } from '../ground/shapes.ts'

/** The server reads groupId and epoch only [Note: M1]. */
const BYTES = { mls: 16 * 1024, archive: 1024, body: 64 * 1024 }

const envelopeShape = z.strictObject({
  v: z.literal(1),
  groupId: base64(48),
  epoch: z.number().int().nonnegative(),
  /** The MLS PrivateMessage carries the body's key. */
  mls: base64(BYTES.mls),
  /** The body's key under the epoch's archive key. */
  archive: base64(BYTES.archive),
  /** Commitment, nonce and AES-256-GCM ciphertext of the padded body. */
  body: base64(BYTES.body),
})
export type Envelope = z.infer<typeof envelopeShape>

const ENVELOPE_BOUNDS = { depthMax: 4, membersMax: 64 }

const versioned = /^\{"v":(\d{1,9})[,}]/

/** Returns undefined for other content. */
export function envelopeVersion(content: string): number | undefined {
  const version = versioned.exec(content)?.[1]
  return version === undefined ? undefined : Number(version)
}

/** True for a version that this build reads. */
export const isKnownVersion = (version: number): boolean => version === 1

/** Returns undefined for content that is no envelope of this version. */
export function parseEnvelope(content: string): Envelope | undefined {
  if (!content.startsWith('{"v":1,') || !isWithinBounds(content, ENVELOPE_BOUNDS)) return undefined
  try {
    return envelopeShape.safeParse(JSON.parse(content)).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

// Matches what `writeEnvelope` writes, without parsing the base64.
const BASE64 = '([A-Za-z0-9+/]*={0,2})'
const WRITTEN = new RegExp(
  `^\\{"v":1,"groupId":"([A-Za-z0-9+/]{64})","epoch":(0|[1-9]\\d{0,8}),"mls":"${BASE64}","archive":"${BASE64}","body":"${BASE64}"\\}$`,
)

/** Returns undefined for content that is no envelope of this version. */
export function readSealedFor(content: string): Pick<Envelope, 'groupId' | 'epoch'> | undefined {
  const [, groupId, epoch, mls = '', archive = '', body = ''] = WRITTEN.exec(content) ?? []
  if (groupId !== undefined && fits(mls, BYTES.mls) && fits(archive, BYTES.archive) && fits(body, BYTES.body))
    return { groupId, epoch: Number(epoch) }
  const envelope = parseEnvelope(content)
  return envelope && { groupId: envelope.groupId, epoch: envelope.epoch }
}

const fits = (text: string, maxBytes: number): boolean => text.length % 4 === 0 && text.length <= base64Chars(maxBytes)

/** Serializes for `content`. */
export const writeEnvelope = (envelope: Envelope): string => JSON.stringify(envelope)
