import { accountApi, type SignedIn, type User } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { endUnderway } from '../../rooms/list/underway.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { type AccountState, accountStore } from './accountState.ts'
import { proveAgain, proveSession } from './proveSession.ts'
import {
  dropEnded,
  dropPendingLogout,
  KEPT_AT_SIGN_OUT,
  readEnded,
  readPendingLogout,
  readUser,
  type StoredUser,
  writeEnded,
  writePendingLogout,
  writeUser,
} from './storedUser.ts'

/** The server keeps nothing of an ended session. */
export const SESSION_ENDED =
  'Your session has ended. Sign in again: this browser’s keys and what you wrote are still here. A session ends when you end it from another browser, when the password changes, after 14 days without use and after 90 days at most. If it was none of these, look over Devices in the settings.'

export const OTHER_ACCOUNT =
  'The server answered for another account than yours. Nothing was changed in this browser. Sign in again.'

const isSameName = (one: string, other: string) => one.trim().toLowerCase() === other.trim().toLowerCase()

const isSame = (one: StoredUser, other: StoredUser): boolean => one.id === other.id && isSameName(one.username, other.username)

/** Throws CryptoFailure('other_account') for another name. */
export function requireName(typed: string, answered: StoredUser): void {
  if (!isSameName(typed, answered.username)) throw new CryptoFailure('other_account', OTHER_ACCOUNT)
}

/** Throws CryptoFailure('other_account') for another user. */
export function requireSame(entered: StoredUser, answered: StoredUser): void {
  if (!isSame(entered, answered)) throw new CryptoFailure('other_account', OTHER_ACCOUNT)
}

/** No new vault may replace this one. */
const MUST_STAY = ['vault_newer', 'vault_upgrade', 'vault_row', 'other_account', 'worker', 'not_loaded']

/** True for absent keys, or keys that do not open: those stay on disk [Note: V4]. */
export const isReplaceable = (error: unknown): boolean => error instanceof CryptoFailure && !MUST_STAY.includes(error.code)

/** Returns false if the lock needs another secret. Throws what `crypto.open` throws. */
export async function opensUnlocked(
  env: Env,
  { id, username }: StoredUser,
  unlock: NonNullable<SignedIn['unlock']>,
): Promise<boolean> {
  try {
    await env.crypto.open({ userId: id, username, unlock })
    return true
  } catch (error) {
    if (error instanceof CryptoFailure && (error.code === 'vault_locked' || error.code === 'lock_secret')) return false
    throw error
  }
}

export const isAway = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || AWAY.includes(error.status))
const AWAY = [502, 503, 504]

/**
 * Shows the sign-in screen after a failure, and logs. A stored user waits (`away`) for an unreachable server, and after
 * `patienceMs` if this browser opens without the server.
 */
export async function start(env: Env, log: (error: unknown) => void, patienceMs?: number): Promise<void> {
  const before = readUser()
  const isVisitor = before === undefined
  const { phase: phaseBefore } = accountStore.getState()
  // The vault opened without the server meanwhile.
  const isOpened = () => phaseBefore !== 'signed_in' && accountStore.getState().phase === 'signed_in'
  try {
    await sendPendingLogout(env)
    const asked = env.api(accountApi.user, {})
    const isBounded = before !== undefined && patienceMs !== undefined
    const user = await (isBounded ? Promise.race([asked, lateFor(env, before, patienceMs)]) : asked)
    if (isOpened()) return
    if (before) requireSame(before, user)
    const unlock = user.deviceId ? await env.api(devicesApi.unlock, {}) : undefined
    if (isOpened()) return
    if (!unlock) return signedOut('Sign in again to add this browser to your account.')
    if (!(await opensUnlocked(env, user, unlock))) return showLocked(user)
    await proveSession(env, unlock)
    signedIn(user)
  } catch (error) {
    if (isOpened()) return
    if (before && isAway(error)) return accountStore.setState({ phase: 'away', user: null, notice: null, isNew: false })
    const isCrypto = error instanceof CryptoFailure
    if (!isCrypto && !(error instanceof ApiError)) throw error
    const hasNoSession = error instanceof ApiError && error.code === 'not_signed_in'
    if (!(hasNoSession && isVisitor)) log(error)
    if (isCrypto && error.code === 'vault_absent')
      return signedOut('This browser’s keys are gone. Sign in again to add it to your account.')
    const ended = isVisitor ? readEnded() : SESSION_ENDED
    if (hasNoSession) return showForm(ended || null, ended)
    // The failure did not end the session.
    showForm(error.message, isVisitor ? ended : '')
  }
}

/** Throws ApiError('no_answer') after `ms` if this browser opens without the server; else never ends. */
async function lateFor(env: Env, { id }: StoredUser, ms: number): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, ms))
  if (await env.crypto.offlineWays(id).catch(() => null)) throw new ApiError(0, 'no_answer', 'The server does not answer')
  return await new Promise<never>(() => undefined)
}

export const untilStarted = (): Promise<void> =>
  new Promise((resolve) => {
    const off = accountStore.subscribe(({ phase }) => settle(phase))
    const settle = (phase: AccountState['phase']) => {
      if (phase === 'starting') return
      off()
      resolve()
    }
    settle(accountStore.getState().phase)
  })

export const refreshUser = async (env: Env): Promise<void> => showUser(env, await env.api(accountApi.user, {}))

/** Closes another account: later actions would use the wrong keys. */
export async function showUser(env: Env, answered: User): Promise<void> {
  const { phase, user } = accountStore.getState()
  if (phase !== 'signed_in' || !user) return
  if (!isSame(user, answered)) return await closeAccount(env, OTHER_ACCOUNT)
  rememberUser(answered)
  accountStore.setState({ user: answered })
}

const TOLD_LATER = 'You are signed out here. The server could not be reached: it will be told as soon as it can be.'
const PART_LEFT =
  'The keys are removed here, but the server may keep its part of them, which opens nothing alone. To end that too, remove this browser under Devices in the settings of another one.'

/** A slow network must not keep the keys here. */
const PROOF_WITHIN_MS = 10_000

/** The server deletes its part of the keys in a proven session only [Note: D4]. */
async function isProvenSoon(env: Env): Promise<boolean> {
  const isLate = new Promise<boolean>((resolve) => setTimeout(resolve, PROOF_WITHIN_MS, false))
  const isProven = proveAgain(env).then(
    () => true,
    () => false,
  )
  return await Promise.race([isProven, isLate])
}

export async function logout(
  env: Env,
  { removeKeys, notice = null }: { removeKeys: boolean; notice?: string | null },
): Promise<{ reached: boolean }> {
  const userId = (accountStore.getState().user ?? readUser())?.id
  endUnderway('ended')
  env.socket.close()
  const isProven = removeKeys && (await isProvenSoon(env))
  writePendingLogout({ removeKeys })
  if (userId && removeKeys) await env.crypto.destroy(userId)
  else await env.crypto.close()
  const reached = await sendPendingLogout(env).then(
    () => true,
    () => false,
  )
  const words = [reached ? notice : TOLD_LATER, removeKeys && !(reached && isProven) ? PART_LEFT : null]
  signedOut(words.filter((each) => each !== null).join(' ') || null)
  return { reached }
}

/** The caller decides whether to delete the keys. */
export async function closeAccount(env: Env, notice: string): Promise<void> {
  endUnderway('ended')
  env.socket.close()
  await env.crypto.close()
  signedOut(notice)
}

/** Runs before any other API call. */
export async function sendPendingLogout(env: Env): Promise<void> {
  const owed = readPendingLogout()
  if (!owed) return
  await env.api(accountApi.logout, owed)
  dropPendingLogout()
}

/** Erases the password from the worker. */
export async function keepKeys(env: Env, user: SignedIn): Promise<void> {
  await openKept(env, user)
  await env.crypto.forgetPassword()
  signedIn(user)
}

/** Throws CryptoFailure if the server refused the device. */
export async function openKept(env: Env, user: SignedIn): Promise<void> {
  if (!user.unlock) throw new CryptoFailure('unlock', 'The server did not accept this device')
  await env.crypto.keepKeys({ userId: user.id, username: user.username, unlockSecret: user.unlock.unlockSecret })
  await proveSession(env, user.unlock).catch((error: unknown) => {
    // The account exists; the next call proves again.
    if (!(error instanceof ApiError)) throw error
  })
}

export function showLocked(user: User): void {
  rememberUser(user)
  accountStore.setState({ phase: 'locked', user, notice: null, isNew: false })
}

/** `isNew` asks for a recovery kit. */
export function signedIn(user: User, { isNew } = { isNew: false }): void {
  rememberUser(user)
  dropEnded()
  accountStore.setState({ phase: 'signed_in', user, notice: null, isNew })
}

const rememberUser = ({ id, username, displayName }: User): void => writeUser({ id, username, displayName })

export const showMessenger = (): void => accountStore.setState({ isNew: false })

const signedOut = (notice: string | null): void => showForm(notice, notice ?? '')

/** The tab's next load says `ended`. */
function showForm(notice: string | null, ended: string | undefined): void {
  for (const key of Object.keys(localStorage)) if (!KEPT_AT_SIGN_OUT.includes(key)) localStorage.removeItem(key)
  sessionStorage.clear()
  if (ended !== undefined) writeEnded(ended)
  accountStore.setState({ phase: 'signed_out', user: null, notice, isNew: false })
}
