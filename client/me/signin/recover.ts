import { accountApi, type SignedIn } from '../../../contract/account/account.ts'
import { devicesApi, type SealedBook } from '../../../contract/account/devices.ts'
import { registrationShape } from '../../../contract/account/forms.ts'
import { recoveryApi } from '../../../contract/account/recovery.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { keepKeys, requireName, requireSame } from '../account/account.ts'
import { thisBrowser } from '../account/browserName.ts'
import { isUnanswered, type Opener, openKeys, storedKeys, stretch } from '../account/keys.ts'
import { proofOfDraft } from '../account/proveSession.ts'
import { halfway } from './halfway.ts'
import { cancelSignIn, type SignInStep } from './signin.ts'

/** Opens the keys by another way in if what signed in does not. Throws ApiError or CryptoFailure. */
export async function openWith(env: Env, opener: Opener): Promise<SignInStep> {
  if (opener.kind === 'password') {
    if (!halfway.entered) throw new CryptoFailure('password', 'Sign in again')
    await stretch(env, 'stretch', halfway.entered.username, opener.password)
    return { step: 'confirm_devices', devices: await openKeys(env, { kind: 'fresh' }) }
  }
  return { step: 'confirm_devices', devices: await openKeys(env, opener) }
}

/**
 * Signs in with the recovery kit; the next step shows the devices. Throws CryptoFailure('kit_words') or ApiError('wrong_kit').
 */
export async function signInByKit(env: Env, { username, words }: { username: string; words: string }): Promise<SignInStep> {
  const { kitSecret } = await env.crypto.enterKit({ words })
  try {
    const user = await env.api(recoveryApi.loginByKit, { username, kitSecret })
    requireName(username, user)
    halfway.recovery = { id: user.id, username: user.username, kitSecret }
  } catch (error) {
    await env.crypto.forgetPassword()
    throw error
  }
  try {
    const devices = await openKeys(env, { kind: 'fresh' })
    return { step: 'recover', devices, isBookLost: (await bookFor(env, kitSecret)).book === null }
  } catch (error) {
    await cancelSignIn(env)
    throw error
  }
}

/**
 * Fetches the book that a recovery seals again: the newest, or else the newest other one that holds; null if none does [Note: I1].
 * The account must have been reviewed.
 */
async function bookFor(env: Env, kitSecret: string): Promise<{ bookVersion: number; book: SealedBook | null }> {
  const { others, ...newest } = await env.api(recoveryApi.recoveryBook, { kitSecret })
  const bookVersion = newest.version
  if (await env.crypto.bookHolds({ book: newest, isNewest: true })) return { bookVersion, book: newest }
  for (const { writer } of others) {
    const { others: _, ...book } = await env.api(recoveryApi.recoveryBook, { kitSecret, writer })
    if (await env.crypto.bookHolds({ book, isNewest: false })) return { bookVersion, book }
  }
  return { bookVersion, book: null }
}

interface Recovery {
  password: string
  confirmPassword: string
  deviceName?: string
  /** Removes all other browsers from the account, in case another person has one of them. */
  removesOthers: boolean
  /** True if the person knows that no address book holds: an empty one begins [Note: I1]. */
  startsBook?: boolean
}

/**
 * Recovers the account with the kit entered in `signInByKit`, all at once: a new password, a new history key with the book under
 * it, this browser, and the removal of the others. The kit is used up; one made by `newKit` replaces it. Throws ApiError or
 * CryptoFailure; the call can be repeated.
 */
export async function recoverAccount(env: Env, { password, confirmPassword, ...how }: Recovery): Promise<void> {
  const { recovery } = halfway
  if (!recovery) throw new CryptoFailure('password', 'Enter the recovery kit again')
  const { username } = recovery
  const checked = registrationShape.safeParse({ username, displayName: username, password, confirmPassword })
  if (!checked.success) throw new ApiError(400, 'invalid_input', checked.error.issues[0]?.message ?? 'The form is not complete')
  const authSecret = await stretch(env, 'stretchNew', username, password)
  const user = (await acceptedBefore(env)) ?? (await recover(env, authSecret, how))
  if (halfway.recovery?.sent?.password !== authSecret)
    throw new ApiError(409, 'stale_version', 'The new password that you entered first is set already. Enter that one')
  requireSame(recovery, user)
  await keepKeys(env, user)
  halfway.recovery = undefined
}

/** Attempts while other browsers of the account change its keys or its book. */
const TRIES = 3

async function recover(env: Env, password: string, how: Omit<Recovery, 'password' | 'confirmPassword'>): Promise<SignedIn> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await recoverOnce(env, password, how)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const accepted = isUnanswered(error) ? await acceptedBefore(env).catch(() => undefined) : undefined
      if (accepted) return accepted
      if (error.code !== 'stale_version' || attempt === TRIES) throw error
    }
  }
}

async function recoverOnce(
  env: Env,
  password: string,
  { deviceName, removesOthers, startsBook = false }: Omit<Recovery, 'password' | 'confirmPassword'>,
): Promise<SignedIn> {
  const { recovery } = halfway
  if (!recovery) throw new CryptoFailure('password', 'Enter the recovery kit again')
  const { kitSecret, username } = recovery
  await openKeys(env, { kind: 'fresh' })
  const kept = await bookFor(env, kitSecret)
  if (kept.book === null && !startsBook)
    throw new CryptoFailure('book_unread', 'Your address book cannot be read. Cancel, and enter the recovery kit again')
  const drafted = await env.crypto.draftRecovery({ deviceName: thisBrowser(deviceName), username, removesOthers, ...kept })
  recovery.sent = { manifest: drafted.keys.manifest.content, password }
  const proof = await proofOfDraft(env, recovery.id)
  return await env.api(recoveryApi.recover, { kitSecret, password, kdf: 1, ...drafted, proof })
}

/** Fetches the account if the server accepted the request although its response was lost. */
async function acceptedBefore(env: Env): Promise<SignedIn | undefined> {
  const sent = halfway.recovery?.sent
  if (!sent || (await storedKeys(env)).manifest.content !== sent.manifest) return undefined
  const [user, unlock] = await Promise.all([env.api(accountApi.user, {}), env.api(devicesApi.unlock, {})])
  return { ...user, unlock }
}
