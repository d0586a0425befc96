import type { OrderAct } from '../../../contract/account/forms.ts'
import { fromBase64, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { sign } from '../primitives/seal.ts'
import type { DeviceKeys } from './identity.ts'
import type { Live } from './live.ts'

const SESSION = 'conclave/session/v1'
const ORDER = 'conclave/order/v1'

/** The origin of this page as the browser reports it, so that a server cannot obtain a signature for another origin. */
export type OriginOf = () => string

/** Signs the server's challenge for the session with this device's leaf key [Note: D4]. The ids are the vault's. */
export const proveSession = (
  { userId, device }: Live,
  origin: string,
  challenge: string,
): { deviceId: string; proof: string } => ({
  deviceId: device.id,
  proof: signSession(device, origin, userId, challenge),
})

/** Signs origin, user id, device id and challenge with the leaf key; returns base64. */
export const signSession = (
  { id, leafSeed }: Pick<DeviceKeys, 'id' | 'leafSeed'>,
  origin: string,
  userId: string,
  challenge: string,
): string => toBase64(sign(leafSeed, SESSION, origin, userId, id, fromBase64(challenge)))

/** The request that a page signs: its other fields, as they are sent, and the server's challenge. */
export interface Order {
  act: OrderAct
  fields: Record<string, unknown>
  challenge: string
}

/**
 * Signs a request with the identity key: origin, user id, challenge, act and SHA-256 of the fields' JSON; returns base64 [Note:
 * D5].
 */
export async function signOrder(
  identitySeed: Uint8Array,
  origin: string,
  userId: string,
  { act, fields, challenge }: Order,
): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(JSON.stringify(fields))))
  return toBase64(sign(identitySeed, ORDER, origin, userId, fromBase64(challenge), act, hash))
}
