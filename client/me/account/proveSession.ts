import { devicesApi, type Unlock } from '../../../contract/account/devices.ts'
import type { Env } from '../../env.ts'

/**
 * Signs the session's challenge with this vault's device key, if the session is not proven yet [Note: D4]. Throws ApiError or
 * CryptoFailure.
 */
export async function proveSession(env: Env, { challenge }: Pick<Unlock, 'challenge'>): Promise<void> {
  if (challenge !== null) await env.api(devicesApi.prove, await env.crypto.proveSession(challenge))
}

/** Proves this page's session after another one has replaced the first. */
export const proveAgain = async (env: Env): Promise<void> => proveSession(env, await env.api(devicesApi.unlock, {}))

/** Returns the session proof by a device that is about to be added. */
export async function proofOfDraft(env: Env, userId: string): Promise<string> {
  const { challenge } = await env.api(devicesApi.challenge, {})
  return env.crypto.proveDraft({ userId, challenge })
}
