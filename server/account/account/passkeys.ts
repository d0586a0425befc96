import type { z } from 'zod'
import { PASSKEY_LIMITS } from '../../../contract/account/assertion.ts'
import type { passkeysApi, Registration } from '../../../contract/account/passkeys.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { announceChange } from '../../ground/db/changes.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { applyChange, finishChange, lockForChange, type ReadChange, readChange } from '../../identity/devices/change.ts'
import { announceKeys } from '../../identity/devices/devices.ts'
import { type LockedAccount, lockAccount } from '../../identity/devices/locked.ts'
import { requireOrder } from '../../identity/devices/order.ts'
import { newChallenge, takeChallenge } from '../../identity/passkeys/passkeyChallenge.ts'
import { addTo, countOf, dropPasskeys, renamePasskeyOf, requireWayBack, switchFactor } from '../../identity/passkeys/passkeys.ts'
import { type ReadRegistration, readRegistration } from '../../identity/passkeys/registration.ts'
import { Refusal } from '../../refuse.ts'

type Renaming = z.output<typeof passkeysApi.rename.input>
type Removal = z.output<typeof passkeysApi.remove.input>

/** Makes the challenge that a new passkey of the caller signs. */
export const registrationChallenge = (env: Env, { id }: SignedInUser): { challenge: string } => ({
  challenge: newChallenge(env, { act: 'register', userId: id }),
})

/**
 * Adds a passkey that signs in, by an order of the account's keys, and the keyring that it opens too, in one transaction
 * [Note: K1, K3, D5]. Throws Refusal.
 */
export async function addPasskey(
  env: Env,
  user: SignedInUser,
  registration: Registration,
  caller: Caller,
): Promise<Record<string, never>> {
  const made = await readRegistration(env, caller, registration, { act: 'register', userId: user.id })
  const read = registration.keys && readChange(registration.keys)
  if (read) requireItsWay(read, made)
  const ended = await env.db.transaction(async (tx) => {
    const account = read ? await lockForChange(tx, user.id, read) : await lockAccount(tx, user.id)
    await requireKeyOrder(env, user, account, 'add passkey', caller)
    if (!(await takeChallenge(env, tx, made.challenge)))
      throw new Refusal('invalid_input', { text: 'This passkey was sent before' })
    if ((await countOf(tx, user.id)) >= PASSKEY_LIMITS.max) throw new Refusal('too_many_passkeys')
    const ended = read ? await applyChange(env, tx, user, account, read) : []
    await addTo(tx, user.id, made, registration.name, env.clock())
    await env.fault?.('keys:written')
    return ended
  })
  if (registration.keys) await finishChange(env, user, ended, registration.keys.manifest)
  else await announceKeys(env, user.id)
  return {}
}

// A keyring that comes along is for the passkey: it opens it from now on.
function requireItsWay({ keyring }: ReadChange, { id }: ReadRegistration): void {
  if (!keyring.ways.some((way) => way.kind === 'passkey' && way.id === `passkey:${id}`))
    throw new Refusal('invalid_input', { text: 'The keyring must be sealed to the new passkey' })
}

/**
 * Renames a passkey that signs in, by an order of the account's keys: by its name the person knows which one to remove. Throws
 * Refusal.
 */
export async function renamePasskey(
  env: Env,
  user: SignedInUser,
  { id, name }: Pick<Renaming, 'id' | 'name'>,
  caller: Caller,
): Promise<Record<string, never>> {
  await env.db.transaction(async (tx) => {
    const account = await lockAccount(tx, user.id)
    await requireKeyOrder(env, user, account, 'rename passkey', caller)
    await renamePasskeyOf(tx, user.id, id, name)
  })
  await announceKeys(env, user.id)
  return {}
}

/** Removes a passkey that opens no keys, by an order of the account's keys. Throws Refusal. */
export async function removePasskey(
  env: Env,
  user: SignedInUser,
  { id }: Removal,
  caller: Caller,
): Promise<Record<string, never>> {
  await env.db.transaction(async (tx) => {
    const account = await lockAccount(tx, user.id)
    await requireKeyOrder(env, user, account, 'remove passkey', caller)
    await dropPasskeys(tx, user.id, [id])
    if (account.biometricEnabled) await requireWayBack(tx, user.id, account.kitHash !== null)
  })
  await announceKeys(env, user.id)
  return {}
}

/** Sets whether a sign-in by password also needs a passkey, by an order of the account's keys. Throws Refusal. */
export async function setBiometric(
  env: Env,
  user: SignedInUser,
  { enabled }: Pick<z.output<typeof passkeysApi.setBiometric.input>, 'enabled'>,
  caller: Caller,
): Promise<{ enabled: boolean }> {
  await env.db.transaction(async (tx) => {
    const account = await lockAccount(tx, user.id)
    if (account.biometricEnabled === enabled) return
    if (enabled && (await countOf(tx, user.id)) === 0) throw new Refusal('invalid_input', { text: 'Make a passkey first' })
    await requireKeyOrder(env, user, account, 'switch biometric', caller)
    if (enabled) await requireWayBack(tx, user.id, account.kitHash !== null)
    await switchFactor(tx, user.id, enabled)
    await announceChange(tx, [user.id], 'biometric')
  })
  return { enabled }
}

async function requireKeyOrder(
  env: Env,
  user: SignedInUser,
  { publicKey }: Pick<LockedAccount, 'publicKey'>,
  act: 'add passkey' | 'rename passkey' | 'remove passkey' | 'switch biometric',
  caller: Caller,
): Promise<void> {
  // Without keys nothing tells the account's owner from who knows the password.
  if (publicKey === null) throw new Refusal('order_required')
  await requireOrder(env, user, publicKey, act, caller)
}
