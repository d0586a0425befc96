import { timingSafeEqual } from 'node:crypto'
import type { SignedIn } from '../../../contract/account/account.ts'
import type { AccountKeys } from '../../../contract/account/devices.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { readKeys } from '../../identity/devices/documents.ts'
import { storeFirstKeys } from '../../identity/devices/enrol.ts'
import { countGuess, requireAuthSecret, verifierOf } from '../../identity/password/password.ts'
import { challengeOf } from '../../identity/sessions/challenge.ts'
import { closeSessions, deleteSessionsOf, nameDevice } from '../../identity/sessions/sessions.ts'
import { Refusal } from '../../refuse.ts'
import { shownUser } from './account.ts'
import * as store from './store.ts'

interface FirstKeys {
  /** The authSecret of the account's first password: a browser never sends the typed password [Note: P1]. */
  currentPassword: string
  password: string
  keys: AccountKeys
}

/** Stores the first keys of an account and a new password in one transaction. Ends its other sessions. Throws Refusal. */
export async function makeKeys(env: Env, user: SignedInUser, { currentPassword, password, keys }: FirstKeys): Promise<SignedIn> {
  await countGuess(env, user)
  requireAuthSecret(currentPassword)
  requireAuthSecret(password)
  const read = readKeys(keys)
  const before = await store.findById(env.db, user.id)
  if (!before) throw new Refusal('not_signed_in')
  if (before.publicKey) throw new Refusal('has_keys')
  const current = await verifierOf(before.username, before.passwordSalt, currentPassword, 1)
  if (!timingSafeEqual(current, before.passwordHash)) throw new Refusal('invalid_credentials')
  const next = await verifierOf(before.username, before.passwordSalt, password, 1)

  const { row, unlock, ended } = await env.db.transaction(async (tx) => {
    const unlock = await storeFirstKeys(tx, env.clock(), user.id, read)
    await store.replaceVerifier(tx, user.id, next)
    await nameDevice(tx, user, unlock.deviceId)
    const ended = await deleteSessionsOf(tx, user.id, user.sessionHash)
    return { row: (await store.findById(tx, user.id)) ?? before, unlock, ended }
  })
  closeSessions(env, ended)
  const challenge = challengeOf(env, user.sessionHash)
  return { ...shownUser(row, user.subscriptionTier, unlock.deviceId), unlock: { ...unlock, challenge } }
}
