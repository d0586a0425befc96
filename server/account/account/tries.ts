import type { Env } from '../../env.ts'
import type { GiveBack } from '../../ground/http/limits.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { isBrowserOf } from '../../identity/devices/prove.ts'

interface Try {
  kind: 'password' | 'kit'
  username: string
  /** The account with that name; undefined if there is none. */
  userId: string | undefined
}

/**
 * Counts a sign-in attempt before it is checked. The caller calls the returned function after a successful one, so that only
 * failed attempts stay counted. A browser that has proven a session of the account has its own limit, which nobody else can use
 * up. The onion service knows no addresses, so there only the name counts, separately from the other listener. Throws Refusal.
 */
export async function countTry(
  env: Env,
  { addressKey, ingress, browserHash }: Pick<Caller, 'addressKey' | 'ingress' | 'browserHash'>,
  { kind, username, userId }: Try,
): Promise<GiveBack> {
  const name = `${kind} ${username.toLowerCase()}`
  const { limits } = env
  const browser = userId === undefined ? undefined : browserHash()
  if (userId !== undefined && (await isBrowserOf(env, userId, browser)))
    return await limits.take('signInByBrowser', `${name} ${browser}`)
  if (ingress === 'onion') return await limits.take('signInByName', `onion ${name}`)
  const address = addressKey()
  const counted = [
    await limits.take('signInByAddress', `${kind} ${address}`),
    await limits.take('signInByNameAndAddress', `${name} ${address}`),
    await limits.take('signInByName', name),
  ]
  return async () => {
    for (const giveBack of counted) await giveBack()
  }
}
