import { ApiError, refusalOf } from './api.ts'
import { patience } from './patience.ts'
import { requireOwnAddress } from './transfer.ts'

/** Throws ApiError. */
export async function putBytes(address: string, bytes: Blob): Promise<void> {
  requireOwnAddress(address)
  const response = await fetch(address, {
    method: 'PUT',
    body: bytes,
    credentials: 'same-origin',
    cache: 'no-store',
    // The server looks at the bytes, not at name and type.
    headers: { 'Content-Type': 'application/octet-stream' },
    signal: AbortSignal.timeout(patience().bodySilenceMs),
  }).catch(() => {
    throw new ApiError(0, 'offline', 'The server cannot be reached')
  })
  if (!response.ok) throw await refusalOf(response, await response.text())
}
