import { webcrypto } from 'node:crypto'
import type { OrderAct } from '../../../contract/account/forms.ts'
import { encodeFields, fromBase64 } from '../../../contract/ground/bytes.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { Refusal } from '../../refuse.ts'
import { currentChallenges } from '../sessions/challenge.ts'
import { isSigned } from './signature.ts'

/**
 * Throws Refusal unless the identity key of an account with keys has signed this request [Note: D5]. No device stores that key,
 * so a signature shows that a way in was opened. `publicKey` is null for an account without keys, which cannot sign.
 */
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
  // Only pages send an Origin. The origin check has accepted it already.
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

/**
 * Returns the SHA-256 of the JSON that was sent, without the order at its end, where a page puts it. The JSON is not written anew:
 * with a book in it that would take as long as all the rest. An order elsewhere signs nothing.
 */
async function hashWithout(order: string, bytes: Buffer): Promise<Uint8Array> {
  const end = Buffer.from(`,"order":${JSON.stringify(order)}}`)
  const at = bytes.length - end.length
  if (at < 0 || !bytes.subarray(at).equals(end)) throw new Refusal('invalid_signature')
  // Another thread hashes, and takes its own copy at once: a book of megabytes would hold up everybody else.
  bytes[at] = CLOSING
  const hash = webcrypto.subtle.digest('SHA-256', bytes.subarray(0, at + 1))
  bytes[at] = COMMA
  return new Uint8Array(await hash)
}
