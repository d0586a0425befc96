import { devicesApi } from '../../../contract/account/devices.ts'
import { type Passkey, passkeysApi } from '../../../contract/account/passkeys.ts'
import type { Env } from '../../env.ts'
import { accountStore } from './accountState.ts'
import { changeKeys, loadPasskeyCode, type Opener, openKeys, putChange, type Ways, waysOf } from './keys.ts'
import { orderFor } from './signedOrder.ts'

/** [Note: K1] */
export interface ListedPasskey {
  id: string
  name: string
  /** ISO 8601; null from older builds. */
  madeAt: string | null
  lastUsedAt: string | null
  /** null if the passkey signs in nowhere. */
  host: string | null
  opensKeys: boolean
}

export const factorsOf = (env: Env): Promise<Passkey[]> => env.api(passkeysApi.list, {})

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

/** Returns true if the passkey opens the keys too [Note: K1]. Throws ApiError or CryptoFailure. */
export async function addPasskey(env: Env, opener: Opener, name: string): Promise<{ opensKeys: boolean }> {
  try {
    // A failure here leaves no useless passkey.
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

/** Throws ApiError or CryptoFailure. */
export async function renamePasskey(env: Env, opener: Opener, id: string, name: string): Promise<void> {
  const fields = { id, name }
  await withKeys(env, opener, async () => {
    await env.api(passkeysApi.rename, { ...fields, order: await orderFor(env, 'rename passkey', fields) })
  })
}

/** Throws ApiError or CryptoFailure. */
export async function removePasskey(
  env: Env,
  opener: Opener,
  { id, opensKeys }: Pick<ListedPasskey, 'id' | 'opensKeys'>,
): Promise<void> {
  // The server ends the passkey's sign-in too.
  if (opensKeys) return changeKeys(env, opener, { removePasskeys: [id] })
  await withKeys(env, opener, async () => {
    await env.api(passkeysApi.remove, { id, order: await orderFor(env, 'remove passkey', { id }) })
  })
}

/** Throws ApiError or CryptoFailure. */
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
