import { accountApi, type SignedIn, type User } from '../../contract/account.ts'
import { devicesApi } from '../../contract/devices.ts'
import { CryptoFailure } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { proveSession } from './proof.ts'
import { accountStore } from './store.ts'

const PENDING_LOGOUT = 'logout-owed'
const USER = 'user'

/** Why somebody who was signed in here has to sign in again. */
export const SESSION_ENDED = 'Your session has ended. Sign in again.'

/** What the person reads where the server answers for somebody else than the account that is open or was entered. */
export const OTHER_ACCOUNT =
  'The server answered for another account than yours. Nothing was changed in this browser. Sign in again.'

type Who = Pick<User, 'id' | 'username'>

const isSameName = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase()

const isSame = (one: Who, other: Who): boolean => one.id === other.id && isSameName(one.username, other.username)

/** Throws CryptoFailure('other_account') where the server answers for another name than was typed. */
export function requireName(typed: string, answered: Who): void {
  if (!isSameName(typed, answered.username)) throw new CryptoFailure('other_account', OTHER_ACCOUNT)
}

/** Throws CryptoFailure('other_account') where the server answers for another account than the one that was entered. */
export function requireSame(entered: Who, answered: Who): void {
  if (!isSame(entered, answered)) throw new CryptoFailure('other_account', OTHER_ACCOUNT)
}

/** After these nothing may take the vault's place: only a newer page can read it, or it is somebody else's. */
const MUST_STAY = ['vault_newer', 'vault_upgrade', 'vault_row', 'other_account', 'worker']

/**
 * True of a failure after which this browser may be added to the account anew: it keeps no keys, or such as do not open. Those stay,
 * put aside [Note: V4].
 */
export const isReplaceable = (error: unknown): boolean => error instanceof CryptoFailure && !MUST_STAY.includes(error.code)

/**
 * Opens this browser's vault, by its lock too where the password of this sign-in opens it. False where the lock wants something
 * else: an older password after a change elsewhere, or a passkey. Throws what `crypto.open` throws.
 */
export async function opensUnlocked(env: Env, { id, username }: Who, unlock: NonNullable<SignedIn['unlock']>): Promise<boolean> {
  try {
    await env.crypto.open({ userId: id, username, unlock })
    return true
  } catch (error) {
    if (error instanceof CryptoFailure && (error.code === 'vault_locked' || error.code === 'lock_secret')) return false
    throw error
  }
}

/**
 * Asks who is signed in and opens this browser's vault. Where either fails, the sign-in screen shows and the failure is logged. A
 * visitor of whom this browser keeps nothing has no session: that is no failure.
 */
export async function start(env: Env, log: (error: unknown) => void): Promise<void> {
  const before = localStorage.getItem(USER)
  const isVisitor = before === null
  try {
    await sendPendingLogout(env)
    const user = await env.api(accountApi.user, {})
    if (before !== null) requireSame(JSON.parse(before), user)
    const unlock = user.deviceId ? await env.api(devicesApi.unlock, {}) : undefined
    if (!unlock) return signedOut('Sign in again to add this browser to your account.')
    if (!(await opensUnlocked(env, user, unlock))) return showLocked(user)
    await proveSession(env, unlock)
    signedIn(user)
  } catch (error) {
    const isCrypto = error instanceof CryptoFailure
    if (!isCrypto && !(error instanceof ApiError)) throw error
    const hasNoSession = error instanceof ApiError && error.code === 'not_signed_in'
    if (!(hasNoSession && isVisitor)) log(error)
    if (isCrypto && error.code === 'vault_absent')
      return signedOut("This browser's keys are gone. Sign in again to add it to your account.")
    if (hasNoSession) return signedOut(isVisitor ? null : SESSION_ENDED)
    signedOut(error.message)
  }
}

/**
 * Reads the own user again: the plan or the name on screen may have changed on the server. A page whose account is answered as
 * another one closes it and says so: what it does next would be done to that one's keys.
 */
export async function refreshUser(env: Env): Promise<void> {
  const answered = await env.api(accountApi.user, {})
  const { phase, user } = accountStore.getState()
  if (phase !== 'signed_in' || !user) return
  if (isSame(user, answered)) accountStore.setState({ user: answered })
  else await closeAccount(env, OTHER_ACCOUNT)
}

/** Ends the session here at once, and on the server as soon as it can be reached. */
export async function logout(
  env: Env,
  { removeKeys, notice = null }: { removeKeys: boolean; notice?: string | null },
): Promise<{ reached: boolean }> {
  const userId = accountStore.getState().user?.id
  env.socket.close()
  localStorage.setItem(PENDING_LOGOUT, JSON.stringify({ removeKeys }))
  if (userId && removeKeys) await env.crypto.destroy(userId)
  else await env.crypto.close()
  const reached = await sendPendingLogout(env).then(
    () => true,
    () => false,
  )
  signedOut(reached ? notice : 'You are signed out here. The server could not be reached: it will be told as soon as it can be.')
  return { reached }
}

/** Closes the account on this page because its session is over. The caller decides about the keys. */
export async function closeAccount(env: Env, notice: string): Promise<void> {
  env.socket.close()
  await env.crypto.close()
  signedOut(notice)
}

/** Sends a logout that did not reach the server yet: before any other call. */
export async function sendPendingLogout(env: Env): Promise<void> {
  const owed = localStorage.getItem(PENDING_LOGOUT)
  if (!owed) return
  await env.api(accountApi.logout, JSON.parse(owed))
  localStorage.removeItem(PENDING_LOGOUT)
}

/** Stores and opens this browser's keys once the server has accepted it, and forgets what opened the account. */
export async function keepKeys(env: Env, user: SignedIn): Promise<void> {
  await openKept(env, user)
  await env.crypto.forgetPassword()
  signedIn(user)
}

/** Keeps the drafted keys of an account in this browser and opens them. Throws CryptoFailure where the server refused the device. */
export async function openKept(env: Env, user: SignedIn): Promise<void> {
  if (!user.unlock) throw new CryptoFailure('unlock', 'The server did not accept this device')
  await env.crypto.keepKeys({ userId: user.id, username: user.username, unlockSecret: user.unlock.unlockSecret })
  await proveSession(env, user.unlock).catch((error: unknown) => {
    // The account is made: the first call that needs the proof asks for it again.
    if (!(error instanceof ApiError)) throw error
  })
}

/** Signed in, with the vault shut: the lock screen asks for what opens it. */
export function showLocked(user: User): void {
  rememberUser(user)
  accountStore.setState({ phase: 'locked', user, notice: null, isNew: false })
}

/** The account is open on this page. `isNew`: it was just made, and its recovery kit comes next. */
export function signedIn(user: User, { isNew } = { isNew: false }): void {
  rememberUser(user)
  accountStore.setState({ phase: 'signed_in', user, notice: null, isNew })
}

/** Never trusted for roles: it only names the person who used this page. */
const rememberUser = ({ id, username, displayName }: User): void =>
  localStorage.setItem(USER, JSON.stringify({ id, username, displayName }))

/** The recovery kit of a new account was made or declined. */
export const showMessenger = (): void => accountStore.setState({ isNew: false })

function signedOut(notice: string | null): void {
  for (const key of Object.keys(localStorage)) if (key !== 'theme' && key !== PENDING_LOGOUT) localStorage.removeItem(key)
  sessionStorage.clear()
  accountStore.setState({ phase: 'signed_out', user: null, notice, isNew: false })
}
