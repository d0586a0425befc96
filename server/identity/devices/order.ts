import { webcrypto } from 'node:crypto'
import type { OrderAct } from '../../../contract/account/forms.ts'
import { encodeFields, fromBase64 } from '../../../contract/ground/bytes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { currentChallenges } from '../sessions/challenge.ts'
import { isSigned } from './signature.ts'

/** Throws Refusal unless the identity key has signed [Note: D5]: no device stores that key. `publicKey` is null without keys. */
export async function requireOrder(
  env: Env,
  user: SignedInUser,
  publicKey: Uint8Array | null,
  act: OrderAct,
  { headers: { origin }, posted }: Pick<Caller, 'headers' | 'posted'>,
): Promise<void> {
  if (publicKey === null) return
  const { bytes, fields } = posted()
  const { order } = fields
  if (typeof order !== 'string') throw new Refusal('order_required')
  // Only pages send an Origin, which is checked already.
  if (origin === undefined) throw new Refusal('forbidden_origin')
  const hash = await hashWithout(order, bytes)
  const holds = currentChallenges(env, user.sessionHash).some((challenge) => {
    const signed = encodeFields('conclave/order/v1', origin, user.id, challenge, act, hash)
    return isSigned(publicKey, fromBase64(order), signed)
  })
  if (!holds) throw new Refusal('invalid_signature')
}

const COMMA = 0x2c
const CLOSING = 0x7d

/** The order stands at the end. Serializing a book again would take as long as all the rest. */
async function hashWithout(order: string, bytes: Buffer): Promise<Uint8Array> {
  const end = Buffer.from(`,"order":${JSON.stringify(order)}}`)
  const at = bytes.length - end.length
  if (at < 0 || !bytes.subarray(at).equals(end)) throw new Refusal('invalid_signature')
  // Another thread hashes its own copy.
  bytes[at] = CLOSING
  const hash = webcrypto.subtle.digest('SHA-256', bytes.subarray(0, at + 1))
  bytes[at] = COMMA
  return new Uint8Array(await hash)
}
