import { z } from 'zod'
import { NEEDS_NEWER } from '../../../contract/chat/contentwords.ts'
import { fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { type Signed, signedShape } from '../../../contract/ground/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { type Label, sign, verify } from '../primitives/seal.ts'
import { boundUnknown } from './unknownFields.ts'

/** Signs label and JSON text: exactly the characters of `content`. */
export function signDocument(identitySeed: Uint8Array, label: Label, document: unknown): Signed {
  const content = JSON.stringify(document)
  return { content, signature: toBase64(sign(identitySeed, label, content)) }
}

/** Throws 'signature', 'newer_version', 'malformed', or 'identity' if the document names another key. */
export function readDocument<Shape extends z.ZodType<{ identityKey: string }>>(
  signed: Signed,
  label: Label,
  shape: Shape,
  identityKey: Uint8Array,
): z.infer<Shape> {
  const outer = signedShape.safeParse(signed)
  if (!outer.success) throw new CryptoFailure('malformed', `${label} is not a signed document`, { cause: outer.error })
  if (!verify(identityKey, fromBase64(signed.signature), label, signed.content)) {
    throw new CryptoFailure('signature', `The signature of ${label} does not match`)
  }
  const document = parseDocument(signed.content, label, shape)
  if (document.identityKey !== toBase64(identityKey)) throw new CryptoFailure('identity', `${label} names another identity`)
  return document
}

/**
 * Danger: checks no signature, so pass only what was checked before it was stored. Bounds unknown fields. Throws 'malformed',
 * 'newer_version' [Note: F2].
 */
export const parseDocument = <Shape extends z.ZodType>(content: string, label: Label, shape: Shape): z.infer<Shape> =>
  parseBounded(content, label, shape).value

/** Throws as `parseDocument`. */
export function parseBounded<Shape extends z.ZodType>(
  content: string,
  label: Label,
  shape: Shape,
): { value: z.infer<Shape>; hasDropped: boolean } {
  const document = json(content)
  if (isNewer(document)) throw new CryptoFailure('newer_version', NEEDS_NEWER)
  const parsed = shape.safeParse(document)
  if (!parsed.success) throw new CryptoFailure('malformed', `${label} is not as it must be`, { cause: parsed.error })
  return boundUnknown(shape, parsed.data)
}

/** Documents without `v` have form 1. */
const NEWEST_FORM = 1
const formed = z.object({ v: z.number() })

export function isNewer(document: unknown): boolean {
  const form = formed.safeParse(document)
  return form.success && form.data.v > NEWEST_FORM
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // No `cause`: the engine's message quotes the text, which may be a secret.
    throw new CryptoFailure('malformed', 'This is not JSON')
  }
}
