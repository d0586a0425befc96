import type { FactorDetails } from '../../../contract/account/assertion.ts'
import { passkeysApi } from '../../../contract/account/passkeys.ts'
import type { Env } from '../../env.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { OTHER_ACCOUNT } from '../account/account.ts'
import { type SignedByPasskey, signWithPasskey } from '../account/passkey.ts'
import { halfway } from './halfway.ts'
import { goOn, type SignInStep } from './signin.ts'

/** The time for which the step of the passkey shows at least, so that nobody wonders whether it took place. */
const SHOWN_MS = 2000

/**
 * Signs in by a passkey alone, which names the account. Where its authenticator can, it opens the keys as well [Note: K1]. Throws
 * ApiError or CryptoFailure.
 */
export async function signInByPasskey(env: Env): Promise<SignInStep> {
  const { challenge } = await env.api(passkeysApi.loginChallenge, {})
  const { assertion, userId, key } = await signWithPasskey(challenge, [])
  const { userHandle } = assertion
  if (!userHandle || userId === null)
    throw new CryptoFailure('passkey', 'This passkey does not say whose it is. Sign in with your password.')
  try {
    if (key) await env.crypto.enterPasskey(key)
    const deviceId = halfway.addsAnew ? null : await env.crypto.deviceHere(userId)
    const form = { assertion: { ...assertion, userHandle }, ...(deviceId && { deviceId }) }
    const user = await env.api(passkeysApi.login, form)
    if (user.id !== userId) throw new CryptoFailure('other_account', OTHER_ACCOUNT)
    return await goOn(env, user, { deviceId, key, isPasswordEntered: false })
  } catch (error) {
    await env.crypto.forgetPassword()
    throw error
  }
}

/** Has a passkey of the account sign after a right password. It takes two seconds at least. Throws CryptoFailure. */
export async function askFactor({ challenge, ids }: FactorDetails): Promise<SignedByPasskey> {
  if (ids.length === 0)
    throw new CryptoFailure(
      'passkey',
      `None of this account’s passkeys works at ${location.hostname}. Go where you made one, or use the recovery kit.`,
    )
  const shown = new Promise((resolve) => setTimeout(resolve, SHOWN_MS))
  const [signed] = await Promise.all([signWithPasskey(challenge, ids), shown])
  return signed
}
