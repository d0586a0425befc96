import { devicesApi, type Unlock } from '../../../contract/account/devices.ts'
import type { Env } from '../../env.ts'

/** Signs an unproven session's challenge by this vault's device key [Note: D4]. Throws ApiError or CryptoFailure. */
export async function proveSession(env: Env, { challenge }: Pick<Unlock, 'challenge'>): Promise<void> {
  if (challenge !== null) await env.api(devicesApi.prove, await env.crypto.proveSession(challenge))
}

export const proveAgain = async (env: Env): Promise<void> => proveSession(env, await env.api(devicesApi.unlock, {}))

export async function proofOfDraft(env: Env, userId: string): Promise<string> {
  const { challenge } = await env.api(devicesApi.challenge, {})
  return env.crypto.proveDraft({ userId, challenge })
}
