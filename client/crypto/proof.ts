import { fromBase64, toBase64 } from '../../contract/bytes.ts'
import { sign } from '../primitives/seal.ts'
import type { DeviceKeys } from './identity.ts'
import type { Live } from './live.ts'

const SESSION = 'conclave/session/v1'

/** The page that this code runs in, as the browser says it: a server cannot have a signature made for another page. */
export type OriginOf = () => string

/** This device signs the server's challenge for the session [Note: D4]. The ids are the vault's. */
export const proveSession = (
  { userId, device }: Live,
  origin: string,
  challenge: string,
): { deviceId: string; proof: string } => ({
  deviceId: device.id,
  proof: signSession(device, origin, userId, challenge),
})

/** The leaf key's signature over origin, user id, device id and challenge, in base64. */
export const signSession = (
  { id, leafSeed }: Pick<DeviceKeys, 'id' | 'leafSeed'>,
  origin: string,
  userId: string,
  challenge: string,
): string => toBase64(sign(leafSeed, SESSION, origin, userId, id, fromBase64(challenge)))
