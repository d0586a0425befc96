import { keyPackagesApi } from '../../../contract/account/keypackages.ts'
import type { Env } from '../../env.ts'

/** Keeps enough one-time key packages on the server for contacts to create rooms while this device is offline. */
export async function refillKeyPackages(env: Env): Promise<void> {
  const fresh = await env.crypto.refillKeyPackages(await env.api(keyPackagesApi.left, {}))
  if (fresh) await env.api(keyPackagesApi.add, fresh)
}
