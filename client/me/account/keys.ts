import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi, type KeyChange } from '../../../contract/account/devices.ts'
import { keyringShape } from '../../../contract/account/documents.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { lostBookStore, resetLostBook, syncBook } from '../../rooms/trust/book.ts'
import { CryptoFailure, type KeyChangeRequest, type ListedDevice, loadPart } from '../../worker/crypto.ts'
import { accountStore } from './accountState.ts'

/** `fresh` uses what the worker holds. */
export type Opener =
  | { kind: 'password'; password: string }
  | { kind: 'kit'; words: string }
  | { kind: 'passkey' }
  | { kind: 'fresh' }

/** ISO 8601; null from older builds. */
export interface Ways {
  password: boolean
  kit: { madeAt: string | null } | null
  passkeys: { id: string; madeAt: string | null }[]
}

/** Throws CryptoFailure('keyring') without one. */
export async function storedKeys(env: Env): Promise<{ keyring: Signed; manifest: Signed }> {
  const { keyring, manifest } = await env.api(devicesApi.keys, {})
  if (!keyring || !manifest) throw new CryptoFailure('keyring', 'The server returned no keys for this account')
  return { keyring, manifest }
}

/** The server could have changed them: never trust them. */
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

/** Throws CryptoFailure 'way' for a wrong password or passkey, 'kit_words' for a wrong kit. */
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
 * Erases the opener. After a failure nothing has changed, and a new kit stays in the worker until `forgetPassword`. Throws
 * ApiError or CryptoFailure.
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

/** Later messages stay closed to the device [Note: D3, H2]. `isStolen` also removes verification marks that it may have set. */
export const removeDevice = (env: Env, opener: Opener, deviceId: string, { isStolen = false } = {}): Promise<void> =>
  changeKeys(env, opener, { removeDevices: [deviceId], areStolen: isStolen })

/** No device's book holds [Note: I1]. Copies of other browsers merge in later. */
export async function startBook(env: Env, opener: Opener): Promise<void> {
  await changeKeys(env, opener, async () => ({ startsBookAfter: (await env.api(devicesApi.book, {})).version }))
  resetLostBook()
}

/** [Note: H1] */
export const switchHistory = (env: Env, opener: Opener, isOn: boolean): Promise<void> =>
  changeKeys(env, opener, { keepsHistory: isOn })

export const addKit = (env: Env, opener: Opener): Promise<void> => changeKeys(env, opener, { kit: 'new' })

/** Off needs a kit or passkey; on needs the password. */
export async function setPasswordOpens(
  env: Env,
  opener: Opener,
  { isOn, password = '' }: { isOn: boolean; password?: string },
): Promise<void> {
  if (!isOn) return changeKeys(env, opener, { password: 'remove' })
  const authSecret = await stretch(env, 'stretchNew', ownName(), password)
  await changeKeys(env, opener, { password: 'add' }, { password: authSecret })
}

/** Retries if another device changed the keys first. */
export async function putChange(
  env: Env,
  draft: () => Promise<{ change: KeyChange; send: () => Promise<unknown> }>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    // A new history key reseals the book: merge entries first.
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

/** The removed device may have spoiled or filled the book, which this browser's replaces, and used its rate up. */
function ignoreBook(error: unknown): void {
  if (error instanceof ApiError) return
  const isTaken = error instanceof CryptoFailure && (error.code === 'book_spoiled' || error.code === 'book_ahead')
  if (!isTaken && !lostBookStore.getState().isLost) throw error
}

/** False without a server: the next start checks again. */
async function tookEffect(env: Env, { manifest }: KeyChange): Promise<boolean> {
  try {
    return (await storedKeys(env)).manifest.content === manifest.content
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}

/** Returns the authentication part [Note: P1]. */
export async function stretch(env: Env, verb: 'stretch' | 'stretchNew', username: string, password: string): Promise<string> {
  const { salt } = await env.api(accountApi.salt, { username })
  return (await env.crypto[verb]({ username, password, salt })).authSecret
}

/** Throws CryptoFailure('closed') if nobody is signed in. */
export function ownName(): string {
  const { user } = accountStore.getState()
  if (!user) throw new CryptoFailure('closed', 'Sign in again')
  return user.username
}

export const isUnanswered = ({ status, code }: ApiError): boolean => status === 0 || status >= 500 || code === 'unreadable_answer'

/** Throws as `loadPart` does. */
export const loadPasskeyCode = () => loadPart(() => import('./passkey.ts'))
