import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi, type KeyChange } from '../../../contract/account/devices.ts'
import { keyringShape } from '../../../contract/account/documents.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { lostBookStore, resetLostBook, syncBook } from '../../rooms/trust/book.ts'
import { CryptoFailure, type KeyChangeRequest, type ListedDevice, loadPart } from '../../worker/crypto.ts'
import { accountStore } from './accountState.ts'

/** A secret that opens the account's keys. `fresh` uses what the worker still holds, such as the password of the sign-up. */
export type Opener =
  | { kind: 'password'; password: string }
  | { kind: 'kit'; words: string }
  | { kind: 'passkey' }
  | { kind: 'fresh' }

/**
 * The ways in that open the account's keyring, read from its clear part. Times are ISO 8601, or null if an older build stored
 * none.
 */
export interface Ways {
  password: boolean
  kit: { madeAt: string | null } | null
  passkeys: { id: string; madeAt: string | null }[]
}

/** Fetches the account's keyring and manifest. Throws CryptoFailure('keyring') if the server has none. */
export async function storedKeys(env: Env): Promise<{ keyring: Signed; manifest: Signed }> {
  const { keyring, manifest } = await env.api(devicesApi.keys, {})
  if (!keyring || !manifest) throw new CryptoFailure('keyring', 'The server returned no keys for this account')
  return { keyring, manifest }
}

/** Reads the ways in from a keyring. The server could have changed them, so they are only offered, never trusted. */
export function waysIn(signed: Signed): Ways {
  const { ways } = keyringShape.parse(JSON.parse(signed.content))
  const kit = ways.find(({ kind }) => kind === 'kit')
  return {
    password: ways.some(({ kind }) => kind === 'password'),
    kit: kit ? { madeAt: kit.madeAt ?? null } : null,
    passkeys: ways
      .filter(({ kind }) => kind === 'passkey')
      .map(({ id, madeAt }) => ({ id: id.slice('passkey:'.length), madeAt: madeAt ?? null })),
  }
}

export const waysOf = async (env: Env): Promise<Ways> => waysIn((await storedKeys(env)).keyring)

/** Opens the account's keys in the worker for one change. Throws CryptoFailure 'way' or 'kit_words' if the opener is wrong. */
export async function openKeys(env: Env, opener: Opener): Promise<ListedDevice[]> {
  const keys = await storedKeys(env)
  if (opener.kind === 'password') await stretch(env, 'stretch', ownName(), opener.password)
  if (opener.kind === 'kit') await env.crypto.enterKit({ words: opener.words })
  if (opener.kind === 'passkey') {
    const ids = waysIn(keys.keyring).passkeys.map(({ id }) => id)
    await env.crypto.enterPasskey(await (await loadPasskeyCode()).askPasskey(ids))
  }
  return env.crypto.reviewAccount(keys)
}

/**
 * Opens the account's keys, applies the changes and erases the opener from the worker. After a failure a new kit stays in the
 * worker for a retry, until `forgetPassword`. Throws ApiError or CryptoFailure; then nothing has changed. `changes` may be a
 * function, which is called anew for each attempt.
 */
export async function changeKeys(
  env: Env,
  opener: Opener,
  changes: KeyChangeRequest | (() => Promise<KeyChangeRequest>),
  extra: { password?: string } = {},
): Promise<void> {
  const isFresh = opener.kind === 'fresh'
  try {
    await openKeys(env, opener)
    await putChange(env, async () => {
      const change = await env.crypto.draftChange(typeof changes === 'function' ? await changes() : changes)
      return { change, send: () => env.api(devicesApi.changeKeys, { ...change, ...extra }) }
    })
    if (!isFresh) await env.crypto.forgetPassword()
  } catch (error) {
    if (!isFresh) await env.crypto.eraseEntered()
    throw error
  }
}

/**
 * Removes a device, which cannot read later messages [Note: D3, H2]. `isStolen` also removes the verification marks that the
 * device may have set.
 */
export const removeDevice = (env: Env, opener: Opener, deviceId: string, { isStolen = false } = {}): Promise<void> =>
  changeKeys(env, opener, { removeDevices: [deviceId], areStolen: isStolen })

/**
 * Starts an empty address book with a new history key, where no device's book holds [Note: I1]. The copy of a browser that has
 * read the book merges in whenever that browser is opened.
 */
export async function startBook(env: Env, opener: Opener): Promise<void> {
  await changeKeys(env, opener, async () => ({ startsBookAfter: (await env.api(devicesApi.book, {})).version }))
  resetLostBook()
}

/** Switches the storage of history on the server for new devices on or off [Note: H1]. */
export const switchHistory = (env: Env, opener: Opener, isOn: boolean): Promise<void> =>
  changeKeys(env, opener, { keepsHistory: isOn })

/** Adds the kit made by `newKit` to the keyring and replaces an older kit. */
export const addKit = (env: Env, opener: Opener): Promise<void> => changeKeys(env, opener, { kit: 'new' })

/**
 * Sets whether the password alone opens the keyring. Off needs a kit or a passkey; on needs the password, which the server
 * checks.
 */
export async function setPasswordOpens(
  env: Env,
  opener: Opener,
  { isOn, password = '' }: { isOn: boolean; password?: string },
): Promise<void> {
  if (!isOn) return changeKeys(env, opener, { password: 'remove' })
  const authSecret = await stretch(env, 'stretchNew', ownName(), password)
  await changeKeys(env, opener, { password: 'add' }, { password: authSecret })
}

/** Builds the new keyring and manifest, sends them, stores them. Retries when another device changed them first. */
export async function putChange(
  env: Env,
  draft: () => Promise<{ change: KeyChange; send: () => Promise<unknown> }>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    // A new history key reseals the book, so merge entries that other devices have saved first.
    await syncBook(env).catch(ignoreBook)
    const { change, send } = await draft()
    try {
      await send()
      return await env.crypto.changeKept()
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.code === 'stale_version' && attempt < 5) await env.crypto.reviewAccount(await storedKeys(env))
      else if (isUnanswered(error) && (await tookEffect(env, change))) return await env.crypto.changeKept()
      else throw error
    }
  }
}

/**
 * Ignores a spoiled book on the server: the removed device may have spoiled it, and the removal replaces it by this browser's
 * book. Ignores also that no book holds: the worker then seals none, unless the change starts a new one.
 */
function ignoreBook(error: unknown): void {
  const isSpoiled = error instanceof CryptoFailure && error.code === 'book_spoiled'
  if (!isSpoiled && !lostBookStore.getState().isLost) throw error
}

/**
 * True if the server stored this change although its response was lost. False if the server cannot be reached; the next start
 * checks again.
 */
async function tookEffect(env: Env, { manifest }: KeyChange): Promise<boolean> {
  try {
    return (await storedKeys(env)).manifest.content === manifest.content
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/**
 * Stretches a password in the worker, which keeps the encryption part. Returns the authentication part for the server [Note: P1].
 */
export async function stretch(env: Env, verb: 'stretch' | 'stretchNew', username: string, password: string): Promise<string> {
  const { salt } = await env.api(accountApi.salt, { username })
  return (await env.crypto[verb]({ username, password, salt })).authSecret
}

/** Returns the username of the open account. Throws CryptoFailure('closed') if none is open. */
export function ownName(): string {
  const { user } = accountStore.getState()
  if (!user) throw new CryptoFailure('closed', 'Sign in again')
  return user.username
}

/** True if a request may have taken effect although no valid response arrived. */
export const isUnanswered = ({ status, code }: ApiError): boolean => status === 0 || status >= 500 || code === 'unreadable_answer'

/** Loads the code that asks for passkeys, which the sign-in form does without. Throws as `loadPart` does. */
export const loadPasskeyCode = () => loadPart(() => import('./passkey.ts'))
