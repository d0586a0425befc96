import { ApiError } from './api.ts'
import { isOnionOrigin } from './onion.ts'

/** On an onion origin no byte goes to another address, whatever the server names. Throws ApiError. */
export function requireOwnAddress(address: string): void {
  if (!isOnionOrigin() || new URL(address, location.href).origin === location.origin) return
  throw new ApiError(400, 'invalid_input', 'The server named an address outside of Tor for this file. Nothing was sent there')
}
