import { devicesApi } from '../../../contract/account/devices.ts'
import { type Passkey, passkeysApi } from '../../../contract/account/passkeys.ts'
import type { Env } from '../../env.ts'
import { accountStore } from './accountState.ts'
import { changeKeys, loadPasskeyCode, type Opener, openKeys, putChange, type Ways, waysOf } from './keys.ts'
import { orderFor } from './signedOrder.ts'

/** A passkey of the account: whether it signs in at its address, and whether it opens the keys on a new browser [Note: K1]. */
export interface ListedPasskey {
  id: string
  /** '' for one that was made before passkeys signed in. */
  name: string
  /** ISO 8601; null if an older build stored none. */
  madeAt: string | null
  lastUsedAt: string | null
  /** The host at which it signs in; null if it signs in nowhere. */
  host: string | null
  opensKeys: boolean
}

/** Fetches the passkeys that sign in. */
export const factorsOf = (env: Env): Promise<Passkey[]> => env.api(passkeysApi.list, {})

/** Joins the passkeys of the keyring with those that sign in, oldest first. */
export function joinPasskeys({ passkeys }: Pick<Ways, 'passkeys'>, factors: Passkey[]): ListedPasskey[] {
  const opening = new Set(passkeys.map(({ id }) => id))
  const signing = new Set(factors.map(({ id }) => id))
  return [
    ...passkeys
      .filter(({ id }) => !signing.has(id))
      .map(({ id, madeAt }) => ({ id, name: '', madeAt, lastUsedAt: null, host: null, opensKeys: true })),
    ...factors.map(({ createdAt, ...factor }) => ({ ...factor, madeAt: createdAt, opensKeys: opening.has(factor.id) })),
  ]
}

/**
 * Creates a passkey that signs in, and opens the keys where its authenticator can [Note: K1]. Returns whether it does. Throws ApiError
 * or CryptoFailure.
 */
export async function addPasskey(env: Env, opener: Opener, name: string): Promise<{ opensKeys: boolean }> {
  try {
    // Open the keys first: after a failure here no useless passkey remains on the person's authenticator.
    await openKeys(env, opener)
    const [ways, factors, { challenge }] = await Promise.all([waysOf(env), factorsOf(env), env.api(passkeysApi.challenge, {})])
    const { createPasskey } = await loadPasskeyCode()
    const known = new Set([...ways.passkeys, ...factors].map(({ id }) => id))
    const { registration, key } = await createPasskey(challenge, [...known])
    const fields = { ...registration, name }
    if (key) {
      await env.crypto.newPasskey(key)
      await putChange(env, async () => {
        const { challenge } = await env.api(devicesApi.challenge, {})
        const drafted = await env.crypto.draftOrderedChange({ passkey: 'new' }, { act: 'add passkey', fields, challenge })
        return { change: drafted.keys, send: () => env.api(passkeysApi.add, { ...fields, ...drafted }) }
      })
    } else await env.api(passkeysApi.add, { ...fields, order: await orderFor(env, 'add passkey', fields) })
    return { opensKeys: key !== null }
  } finally {
    if (opener.kind !== 'fresh') await env.crypto.forgetPassword()
  }
}

/** Renames a passkey that signs in. Throws ApiError or CryptoFailure. */
export async function renamePasskey(env: Env, opener: Opener, id: string, name: string): Promise<void> {
  const fields = { id, name }
  await withKeys(env, opener, async () => {
    await env.api(passkeysApi.rename, { ...fields, order: await orderFor(env, 'rename passkey', fields) })
  })
}

/** Removes a passkey from the keyring, if it opens that, and from the sign-in. Throws ApiError or CryptoFailure. */
export async function removePasskey(
  env: Env,
  opener: Opener,
  { id, opensKeys }: Pick<ListedPasskey, 'id' | 'opensKeys'>,
): Promise<void> {
  // The server takes a passkey that leaves the keyring out of the sign-in as well.
  if (opensKeys) return changeKeys(env, opener, { removePasskeys: [id] })
  await withKeys(env, opener, async () => {
    await env.api(passkeysApi.remove, { id, order: await orderFor(env, 'remove passkey', { id }) })
  })
}

/** Sets whether a sign-in by password needs a passkey too. Throws ApiError or CryptoFailure. */
export async function setBiometric(env: Env, opener: Opener, enabled: boolean): Promise<void> {
  await withKeys(env, opener, async () => {
    await env.api(passkeysApi.setBiometric, { enabled, order: await orderFor(env, 'switch biometric', { enabled }) })
  })
  accountStore.setState(({ user }) => ({ user: user && { ...user, biometricEnabled: enabled } }))
}

async function withKeys(env: Env, opener: Opener, act: () => Promise<void>): Promise<void> {
  try {
    await openKeys(env, opener)
    await act()
  } finally {
    if (opener.kind !== 'fresh') await env.crypto.forgetPassword()
  }
}
