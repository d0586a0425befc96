import { isBrowserOf } from '../devices/prove.ts'
import type { Env } from '../env.ts'
import type { GiveBack } from '../http/limits.ts'
import type { Caller } from '../http/serve.ts'

interface Try {
  kind: 'password' | 'kit'
  username: string
  /** Whose name that is; undefined: nobody's. */
  userId: string | undefined
}

/**
 * Counts a try at the door before it is looked at; who was right calls the answer, so that only wrong ones stay counted. A browser
 * that has proven a session of the account has tries of its own: nobody elsewhere can use them up. Those who come by the onion
 * service have no address to tell them apart, so there only the name counts, apart from the other listener. Throws Refusal.
 */
export async function countTry(
  env: Env,
  { addressKey, ingress, browserHash }: Pick<Caller, 'addressKey' | 'ingress' | 'browserHash'>,
  { kind, username, userId }: Try,
): Promise<GiveBack> {
  const name = `${kind} ${username.toLowerCase()}`
  const { limits } = env
  if (userId !== undefined && (await isBrowserOf(env, userId, browserHash)))
    return await limits.take('signInByBrowser', `${name} ${browserHash}`)
  if (ingress === 'onion') return await limits.take('signInByName', `onion ${name}`)
  const counted = [
    await limits.take('signInByAddress', `${kind} ${addressKey}`),
    await limits.take('signInByNameAndAddress', `${name} ${addressKey}`),
    await limits.take('signInByName', name),
  ]
  return async () => {
    for (const giveBack of counted) await giveBack()
  }
}
