import { accountApi, type SignedIn } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { registrationShape } from '../../../contract/account/forms.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { CryptoFailure, type ListedDevice } from '../../worker/crypto.ts'
import {
  isReplaceable,
  keepKeys,
  logout,
  openKept,
  opensUnlocked,
  requireName,
  requireSame,
  showLocked,
  showMessenger,
  signedIn,
} from '../account/account.ts'
import { thisBrowser } from '../account/browserName.ts'
import { storedKeys, stretch, type Ways, waysIn } from '../account/keys.ts'
import type { PasskeyOutput, SignedByPasskey } from '../account/passkey.ts'
import { proofOfDraft, proveSession } from '../account/proveSession.ts'
import { halfway } from './halfway.ts'

export type SignInStep =
  | { step: 'done' }
  | { step: 'confirm_devices'; devices: ListedDevice[] }
  | { step: 'new_password' }
  /** What signed in does not open this account's keys. The person continues with one of these ways in. */
  | { step: 'open_keys'; ways: Ways; isPasswordEntered: boolean }
  /** The recovery kit has opened the account. A new password is the next step. */
  | { step: 'recover'; devices: ListedDevice[]; isBookLost: boolean }

/** Asks the server whether a username is free. */
export const checkUsername = (env: Env, username: string) => env.api(accountApi.usernameAvailable, { username })

export interface SignUpForm {
  username: string
  displayName: string
  password: string
  confirmPassword: string
}

/** Creates an account and its keys in this browser. The password itself is never sent [Note: P1]. Throws ApiError. */
export async function signUp(env: Env, form: SignUpForm): Promise<void> {
  const checked = registrationShape.safeParse(form)
  if (!checked.success) throw new ApiError(400, 'invalid_input', checked.error.issues[0]?.message ?? 'The form is not complete')
  const { username, displayName } = checked.data
  const authSecret = await stretch(env, 'stretch', username, form.password)
  const keys = await env.crypto.draftAccount({ deviceName: thisBrowser(), username })
  const user = await env.api(accountApi.register, {
    username,
    displayName,
    password: authSecret,
    confirmPassword: authSecret,
    kdf: 1,
    keys,
  })
  requireName(username, user)
  // The worker keeps the password for the recovery kit, which is the next step.
  await openKept(env, user)
  signedIn(user, { isNew: true })
}

interface Typed {
  username: string
  password: string
  /** What the account’s passkey has signed, where the server asks for one beside the password [Note: K1]. */
  factor?: SignedByPasskey | undefined
}

/** Signs in. A browser that is not part of the account needs one more step. Throws ApiError or CryptoFailure. */
export async function signIn(env: Env, typed: Typed): Promise<SignInStep> {
  try {
    return await enterBy(env, typed)
  } catch (error) {
    await env.crypto.forgetPassword()
    throw error
  }
}

async function enterBy(env: Env, { username, password, factor }: Typed): Promise<SignInStep> {
  const key = factor?.key ?? null
  // A passkey may open the lock of this browser as well as a password does.
  if (key) await env.crypto.enterPasskey(key)
  const authSecret = await stretch(env, 'stretch', username, password)
  const deviceId = await env.crypto.deviceHere(username)
  const form = { username, password: authSecret, kdf: 1 as const, ...(factor && { assertion: factor.assertion }) }
  const user = await env.api(accountApi.login, { ...form, ...(deviceId && { deviceId }) })
  requireName(username, user)
  if (!user.hasKeys) {
    halfway.bare = { username: user.username, authSecret }
    return { step: 'new_password' }
  }
  return await goOn(env, user, { deviceId, key, isPasswordEntered: true })
}

/** The ways in that a sign-in has brought, and the device whose vault this browser stores. */
interface Brought {
  deviceId: string | null
  key: PasskeyOutput | null
  isPasswordEntered: boolean
}

/** Goes on with a new session: opens this browser’s vault, or else the account’s keys by what the sign-in has brought. */
export async function goOn(env: Env, user: SignedIn, { deviceId, key, isPasswordEntered }: Brought): Promise<SignInStep> {
  halfway.entered = { id: user.id, username: user.username, keepsShutVault: deviceId !== null && !halfway.addsAnew }
  const outcome = halfway.addsAnew ? 'shut' : await opens(env, user)
  if (outcome !== 'shut') {
    await env.crypto.forgetPassword()
    if (outcome === 'open') signedIn(user)
    else showLocked(user)
    return { step: 'done' }
  }
  const keys = await storedKeys(env)
  const ways = waysIn(keys.keyring)
  const opensByPasskey = key !== null && ways.passkeys.some(({ id }) => id === key.id)
  if (opensByPasskey) await env.crypto.enterPasskey(key)
  else if (!isPasswordEntered || !ways.password) {
    await env.crypto.forgetPassword()
    return { step: 'open_keys', ways, isPasswordEntered }
  }
  return { step: 'confirm_devices', devices: await env.crypto.reviewAccount(keys) }
}

async function opens(env: Env, { unlock, ...user }: SignedIn): Promise<'open' | 'locked' | 'shut'> {
  if (!unlock) return 'shut'
  try {
    if (!(await opensUnlocked(env, user, unlock))) return 'locked'
  } catch (error) {
    // The vault is lost or does not open, so the person decides whether to add this browser again.
    if (isReplaceable(error)) return 'shut'
    throw error
  }
  await proveSession(env, unlock)
  // The password may have been changed on another browser. It did not open this one without the server then.
  if ((await env.crypto.offlineWays(user.id))?.passwordSalt) await env.crypto.renewOffline(unlock.unlockSecret)
  return 'open'
}

/** Adds this browser to the account after the person has seen its devices [Note: D1]. `name` is what the person typed. */
export async function enrolThisBrowser(env: Env, name?: string): Promise<void> {
  const { entered } = halfway
  if (!entered) throw new CryptoFailure('password', 'Sign in again')
  const keys = await env.crypto.draftDevice({ deviceName: thisBrowser(name), username: entered.username })
  const unlock = await env.api(devicesApi.enrol, { ...keys, proof: await proofOfDraft(env, entered.id) })
  const user = await env.api(accountApi.user, {})
  requireSame(entered, user)
  await keepKeys(env, { ...user, unlock })
  halfway.entered = undefined
  halfway.addsAnew = false
}

/** Signs out of a browser whose lock does not open. The next sign-in adds it again and puts the locked keys aside [Note: V4]. */
export async function addBrowserAnew(env: Env): Promise<void> {
  const notice = 'Sign in to add this browser anew. The keys that are locked here stay, sealed.'
  await logout(env, { removeKeys: false, notice })
  halfway.addsAnew = true
}

/** Cancels an incomplete sign-in and clears its state. */
export async function cancelSignIn(env: Env): Promise<void> {
  halfway.entered = undefined
  halfway.addsAnew = false
  halfway.bare = undefined
  halfway.recovery = undefined
  await env.crypto.forgetPassword()
  await env.api(accountApi.logout, {})
}

/** Makes the first keys of an account created by a program, with a password that only the browser knows [Note: P2]. */
export async function chooseNewPassword(
  env: Env,
  { password, confirmPassword }: { password: string; confirmPassword: string },
): Promise<void> {
  const { bare } = halfway
  if (!bare) throw new CryptoFailure('password', 'Sign in again')
  const checked = registrationShape.safeParse({ username: bare.username, displayName: bare.username, password, confirmPassword })
  if (!checked.success) throw new ApiError(400, 'invalid_input', checked.error.issues[0]?.message ?? 'The form is not complete')
  const authSecret = await stretch(env, 'stretch', bare.username, password)
  if (authSecret === bare.authSecret) throw new ApiError(400, 'invalid_input', 'Choose a password that no program has seen')
  const keys = await env.crypto.draftAccount({ deviceName: thisBrowser(), username: bare.username })
  const user = await env.api(accountApi.makeKeys, { currentPassword: bare.authSecret, password: authSecret, kdf: 1, keys })
  requireName(bare.username, user)
  halfway.bare = undefined
  await keepKeys(env, user)
}

/** Ends a sign-up, with or without a kit: erases the password from the worker and shows the messenger. */
export async function endSignUp(env: Pick<Env, 'crypto'>): Promise<void> {
  await env.crypto.forgetPassword()
  showMessenger()
}
