import { devicesApi, type Unlock } from '../../contract/devices.ts'
import type { Env } from '../env.ts'

/** The device of the open vault signs for this session, where none has yet [Note: D4]. Throws ApiError or CryptoFailure. */
export async function proveSession(env: Env, { challenge }: Pick<Unlock, 'challenge'>): Promise<void> {
  if (challenge !== null) await env.api(devicesApi.prove, await env.crypto.proveSession(challenge))
}

/** The same for a page whose session is another one meanwhile. */
export const proveAgain = async (env: Env): Promise<void> => proveSession(env, await env.api(devicesApi.unlock, {}))

/** What the device that is about to be added signs for this session. */
export async function proofOfDraft(env: Env, userId: string): Promise<string> {
  const { challenge } = await env.api(devicesApi.challenge, {})
  return env.crypto.proveDraft({ userId, challenge })
}
