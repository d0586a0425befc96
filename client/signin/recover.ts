import { accountApi, registrationShape, type SignedIn } from '../../contract/account.ts'
import { devicesApi } from '../../contract/devices.ts'
import { keepKeys, requireName, requireSame } from '../account/account.ts'
import { thisBrowser } from '../account/browser.ts'
import { isUnanswered, type Opener, openKeys, renewKeys, storedKeys, stretch } from '../account/keys.ts'
import { proofOfDraft } from '../account/proof.ts'
import { CryptoFailure, isClosed } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { failureWords } from '../ui/failure.ts'
import { showToast } from '../ui/toast.ts'
import { halfway } from './halfway.ts'
import { cancelSignIn, type SignInStep } from './signin.ts'

/** Opens the keys by the kit or a passkey if the password alone does not. Throws CryptoFailure. */
export async function openWith(env: Env, opener: Opener): Promise<SignInStep> {
  return { step: 'confirm_devices', devices: await openKeys(env, opener) }
}

/**
 * Signs in with the recovery kit; the next step asks for a new password. Throws CryptoFailure('kit_words') or
 * ApiError('wrong_kit').
 */
export async function signInByKit(env: Env, { username, words }: { username: string; words: string }): Promise<SignInStep> {
  const { kitSecret } = await env.crypto.enterKit({ words })
  try {
    const user = await env.api(accountApi.loginByKit, { username, kitSecret })
    requireName(username, user)
    halfway.recovery = { id: user.id, username: user.username, kitSecret }
  } catch (error) {
    await env.crypto.forgetPassword()
    throw error
  }
  try {
    return { step: 'recover', devices: await openKeys(env, { kind: 'fresh' }) }
  } catch (error) {
    await cancelSignIn(env)
    throw error
  }
}

interface Recovery {
  password: string
  confirmPassword: string
  deviceName?: string
  /** Removes all other browsers from the account, in case another person has one of them. */
  removesOthers: boolean
}

/**
 * Sets a new password and adds this browser, with the kit entered in `signInByKit`. The kit is used up; one made by `newKit`
 * replaces it. Throws ApiError or CryptoFailure; the call can be repeated.
 */
export async function recoverAccount(
  env: Env,
  { password, confirmPassword, deviceName, removesOthers }: Recovery,
): Promise<void> {
  const { recovery } = halfway
  if (!recovery) throw new CryptoFailure('password', 'Enter the recovery kit again')
  const { username } = recovery
  const checked = registrationShape.safeParse({ username, displayName: username, password, confirmPassword })
  if (!checked.success) throw new ApiError(400, 'invalid_input', checked.error.issues[0]?.message ?? 'The form is not complete')
  const authSecret = await stretch(env, 'stretchNew', username, password)
  const user = (await acceptedBefore(env)) ?? (await recover(env, authSecret, deviceName))
  if (halfway.recovery?.sent?.password !== authSecret)
    throw new ApiError(409, 'stale_version', 'The new password that you entered first is set already. Enter that one')
  requireSame(recovery, user)
  await keepKeys(env, user)
  halfway.recovery = undefined
  // The account stays open after a failure here, which a toast explains.
  await renewKeys(env, password, { removesOthers }).catch(sayNotRenewed)
}

/** Shows a toast after a failure, unless the page was signed out meanwhile. */
function sayNotRenewed(error: unknown): void {
  if (isClosed(error)) return
  showToast({
    tone: 'bad',
    title: 'Your other browsers are still in your account',
    text: `${failureWords(error)}. Remove those that you do not have in your hands, in Settings, Security.`,
    mustBeSeen: true,
  })
}

async function recover(env: Env, password: string, deviceName?: string): Promise<SignedIn> {
  const { recovery } = halfway
  if (!recovery) throw new CryptoFailure('password', 'Enter the recovery kit again')
  await openKeys(env, { kind: 'fresh' })
  const { newKitSecret, ...keys } = await env.crypto.draftRecovery({
    deviceName: thisBrowser(deviceName),
    username: recovery.username,
  })
  recovery.sent = { manifest: keys.manifest.content, password }
  const proof = await proofOfDraft(env, recovery.id)
  try {
    return await env.api(accountApi.recover, { kitSecret: recovery.kitSecret, password, kdf: 1, keys, newKitSecret, proof })
  } catch (error) {
    const accepted =
      error instanceof ApiError && isUnanswered(error) ? await acceptedBefore(env).catch(() => undefined) : undefined
    if (!accepted) throw error
    return accepted
  }
}

/** Fetches the account if the server accepted the request although its response was lost. */
async function acceptedBefore(env: Env): Promise<SignedIn | undefined> {
  const sent = halfway.recovery?.sent
  if (!sent || (await storedKeys(env)).manifest.content !== sent.manifest) return undefined
  const [user, unlock] = await Promise.all([env.api(accountApi.user, {}), env.api(devicesApi.unlock, {})])
  return { ...user, unlock }
}
