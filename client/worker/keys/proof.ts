import type { OrderAct } from '../../../contract/account/forms.ts'
import { fromBase64, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { sign } from '../primitives/seal.ts'
import type { DeviceKeys } from './identity.ts'
import type { Live } from './live.ts'

const SESSION = 'conclave/session/v1'
const ORDER = 'conclave/order/v1'

/** The browser's own word: no server may choose the origin that is signed. */
export type OriginOf = () => string

/** Signs with the leaf key [Note: D4]. The ids are the vault's. */
export const proveSession = (
  { userId, device }: Live,
  origin: string,
  challenge: string,
): { deviceId: string; proof: string } => ({
  deviceId: device.id,
  proof: signSession(device, origin, userId, challenge),
})

/** Returns 64 bytes, base64. */
export const signSession = (
  { id, leafSeed }: Pick<DeviceKeys, 'id' | 'leafSeed'>,
  origin: string,
  userId: string,
  challenge: string,
): string => toBase64(sign(leafSeed, SESSION, origin, userId, id, fromBase64(challenge)))

/** `fields`: as they are sent. `challenge`: base64. */
export interface Order {
  act: OrderAct
  fields: Record<string, unknown>
  challenge: string
}

/** Signs with the identity key; of `fields` the SHA-256 of their JSON [Note: D5]. Returns 64 bytes, base64. */
export async function signOrder(
  identitySeed: Uint8Array,
  origin: string,
  userId: string,
  { act, fields, challenge }: Order,
): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(JSON.stringify(fields))))
  return toBase64(sign(identitySeed, ORDER, origin, userId, fromBase64(challenge), act, hash))
}
