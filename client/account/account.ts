import { accountApi, registrationShape, type SignedIn, type User } from '../../contract/account.ts'
import { devicesApi } from '../../contract/devices.ts'
import { CryptoFailure, type ListedDevice } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { thisBrowser } from './browser.ts'
import { storedKeys, stretch, type Ways, waysIn } from './keys.ts'
import { accountStore, halfway } from './store.ts'

export type SignInStep =
  | { step: 'done' }
  | { step: 'confirm_devices'; devices: ListedDevice[] }
  | { step: 'new_password' }
  /** The password alone does not open this account's keys: the person goes on with one of these. */
  | { step: 'open_keys'; ways: Ways }
  /** The recovery kit has opened the account: a new password comes next. */
  | { step: 'recover'; devices: ListedDevice[] }

const LOGOUT_OWED = 'logout-owed'
const USER = 'user'

/** Asks who is signed in and opens this browser's vault. Without either, the sign-in screen shows. */
export async function start(env: Env): Promise<void> {
  try {
    await payOwedLogout(env)
    const user = await env.api(accountApi.user, {})
    const unlock = user.deviceId ? await env.api(devicesApi.unlock, {}) : undefined
    if (!unlock) return signedOut('Sign in again to add this browser to your account.')
    await env.crypto.open({ userId: user.id, unlock })
    signedIn(user)
  } catch (error) {
    if (error instanceof CryptoFailure) return signedOut("This browser's keys are gone. Sign in again to add it to your account.")
    if (!(error instanceof ApiError)) throw error
    signedOut(error.code === 'not_signed_in' ? null : error.message)
  }
}

/** The plan or the name may have changed elsewhere. */
export async function refreshUser(env: Env): Promise<void> {
  const user = await env.api(accountApi.user, {})
  if (accountStore.getState().phase === 'signed_in') accountStore.setState({ user })
}

/** Whether a username is free. */
export const checkUsername = (env: Env, username: string) => env.api(accountApi.usernameAvailable, { username })

export interface SignUpForm {
  username: string
  displayName: string
  password: string
  confirmPassword: string
}

/** Makes an account and its keys in this browser. The password itself is never sent [Note: P1]. Throws ApiError. */
export async function signUp(env: Env, form: SignUpForm): Promise<void> {
  const checked = registrationShape.safeParse(form)
  if (!checked.success) throw new ApiError(400, 'invalid_input', checked.error.issues[0]?.message ?? 'The form is not complete')
  const { username, displayName } = checked.data
  const authSecret = await stretch(env, 'stretch', username, form.password)
  const keys = await env.crypto.draftAccount({ deviceName: thisBrowser() })
  const user = await env.api(accountApi.register, {
    username,
    displayName,
    password: authSecret,
    confirmPassword: authSecret,
    kdf: 1,
    keys,
  })
  // The password stays in the worker for the recovery kit, which comes next.
  await openKept(env, user)
  signedIn(user, { isNew: true })
}

/** Signs in. A browser that is not part of the account yet needs one more step. Throws ApiError or CryptoFailure. */
export async function signIn(env: Env, typed: { username: string; password: string }): Promise<SignInStep> {
  try {
    return await enterBy(env, typed)
  } catch (error) {
    await env.crypto.forgetPassword()
    throw error
  }
}

async function enterBy(env: Env, { username, password }: { username: string; password: string }): Promise<SignInStep> {
  const authSecret = await stretch(env, 'stretch', username, password)
  const deviceId = await env.crypto.deviceHere(username)
  const user = await env.api(accountApi.login, { username, password: authSecret, kdf: 1, ...(deviceId && { deviceId }) })
  if (!user.hasKeys) {
    halfway.bare = { username: user.username, authSecret }
    return { step: 'new_password' }
  }
  if (user.unlock && (await opens(env, user))) {
    await env.crypto.forgetPassword()
    signedIn(user)
    return { step: 'done' }
  }
  const keys = await storedKeys(env)
  const ways = waysIn(keys.keyring)
  if (!ways.password) {
    await env.crypto.forgetPassword()
    return { step: 'open_keys', ways }
  }
  return { step: 'confirm_devices', devices: await env.crypto.reviewAccount(keys) }
}

async function opens(env: Env, { id, unlock }: SignedIn): Promise<boolean> {
  if (!unlock) return false
  try {
    await env.crypto.open({ userId: id, unlock })
    return true
  } catch (error) {
    // A vault that the browser lost or that is of an older device: this browser is added anew.
    if (error instanceof CryptoFailure) return false
    throw error
  }
}

/** Adds this browser to the account after the person has seen its devices [Note: D1]. `name`: the person's word for it. */
export async function enrolThisBrowser(env: Env, name?: string): Promise<void> {
  const keys = await env.crypto.draftDevice({ deviceName: thisBrowser(name) })
  const unlock = await env.api(devicesApi.enrol, keys)
  const user = await env.api(accountApi.user, {})
  await keepKeys(env, { ...user, unlock })
}

/** Gives up a sign-in half way: nothing of it stays. */
export async function cancelSignIn(env: Env): Promise<void> {
  halfway.bare = undefined
  halfway.recovery = undefined
  await env.crypto.forgetPassword()
  await env.api(accountApi.logout, {})
}

/** The first keys of an account that a program made, behind a password that only the browser knows [Note: P2]. */
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
  const keys = await env.crypto.draftAccount({ deviceName: thisBrowser() })
  const user = await env.api(accountApi.makeKeys, { currentPassword: bare.authSecret, password: authSecret, kdf: 1, keys })
  halfway.bare = undefined
  await keepKeys(env, user)
}

/** Ends the session here at once, and on the server as soon as it can be reached. */
export async function logout(env: Env, { removeKeys }: { removeKeys: boolean }): Promise<{ reached: boolean }> {
  const userId = accountStore.getState().user?.id
  env.socket.close()
  localStorage.setItem(LOGOUT_OWED, JSON.stringify({ removeKeys }))
  if (userId && removeKeys) await env.crypto.destroy(userId)
  else await env.crypto.close()
  const reached = await payOwedLogout(env).then(
    () => true,
    () => false,
  )
  signedOut(reached ? null : 'You are signed out here. The server could not be reached: it will be told as soon as it can be.')
  return { reached }
}

/** The session is over, by another hand than this page's. What is to become of the keys here, the caller has seen to. */
export async function endedElsewhere(env: Env, notice: string): Promise<void> {
  env.socket.close()
  await env.crypto.close()
  signedOut(notice)
}

/** A logout that the server has not heard of yet is said before anything else. */
export async function payOwedLogout(env: Env): Promise<void> {
  const owed = localStorage.getItem(LOGOUT_OWED)
  if (!owed) return
  await env.api(accountApi.logout, JSON.parse(owed))
  localStorage.removeItem(LOGOUT_OWED)
}

/** The server accepted this browser: its keys are kept and opened, and what opened the account is forgotten. */
export async function keepKeys(env: Env, user: SignedIn): Promise<void> {
  await openKept(env, user)
  await env.crypto.forgetPassword()
  signedIn(user)
}

async function openKept(env: Env, user: SignedIn): Promise<void> {
  if (!user.unlock) throw new CryptoFailure('unlock', 'The server did not accept this device')
  await env.crypto.keepDraft({ userId: user.id, username: user.username, unlockSecret: user.unlock.unlockSecret })
}

function signedIn({ id, username, displayName, ...rest }: User, { isNew } = { isNew: false }): void {
  const user: User = { id, username, displayName, ...rest }
  // Never trusted for roles: it only names whose page this was.
  localStorage.setItem(USER, JSON.stringify({ id, username, displayName }))
  accountStore.setState({ phase: 'signed_in', user, notice: null, isNew })
}

function signedOut(notice: string | null): void {
  for (const key of Object.keys(localStorage)) if (key !== 'theme' && key !== LOGOUT_OWED) localStorage.removeItem(key)
  sessionStorage.clear()
  accountStore.setState({ phase: 'signed_out', user: null, notice, isNew: false })
}
