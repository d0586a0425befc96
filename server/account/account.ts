import type { SignedIn, User } from '../../contract/account.ts'
import type { Tier } from '../../contract/plans.ts'
import type { RefusalCode } from '../../contract/refusals.ts'
import { forgetUnlock, unlockOf } from '../devices/devices.ts'
import type { Env, SignedInUser } from '../env.ts'
import { hashOfToken } from '../http/cookie.ts'
import type { Visitor } from '../http/serve.ts'
import { effectiveTier } from '../plans/plans.ts'
import { Refusal } from '../refuse.ts'
import { challengeOf } from '../sessions/challenge.ts'
import { endSession, startSession } from '../sessions/sessions.ts'
import * as store from './store.ts'

type AccountRow = NonNullable<Awaited<ReturnType<typeof store.findById>>>

/** Who is signed in. Throws Refusal. */
export async function currentUser(env: Env, user: SignedInUser): Promise<User> {
  const row = await store.findById(env.db, user.id)
  if (!row) throw new Refusal('not_signed_in')
  return shownUser(row, user.subscriptionTier, user.namedDeviceId)
}

/**
 * Ends the session; without one it is harmless. With `removeKeys` the vault of the device that has signed for it stays shut for
 * good [Note: V1, D4].
 */
export async function logout(env: Env, visitor: Visitor, removeKeys: boolean): Promise<Record<string, never>> {
  const { session } = visitor
  if (session) {
    if (removeKeys && session.deviceId) await forgetUnlock(env, session.id, session.deviceId)
    await endSession(env, session)
  }
  visitor.clearSession()
  return {}
}

interface Entrance {
  /** The device that the session names, unless its keys were removed. */
  deviceId: string | undefined
  /** Where the account changed meanwhile: a secret that was replaced a moment ago opens nothing. */
  otherwise: RefusalCode
}

/** A new session for this visitor; the one that its cookie named before is over. Throws Refusal. */
export async function signIn(env: Env, visitor: Visitor, row: AccountRow, { deviceId, otherwise }: Entrance): Promise<SignedIn> {
  // One transaction: a removal of the device, or an end of all sessions, happens wholly before it or after it.
  const { tier, unlock, token, expiresAt } = await env.db.transaction(async (tx) => {
    if (!(await store.holdSecrets(tx, row))) throw new Refusal(otherwise)
    const unlock = deviceId === undefined ? undefined : await unlockOf(tx, row.id, deviceId)
    const tier = await effectiveTier(tx, row.id, env.clock())
    return { tier, unlock, ...(await startSession(env, row.id, unlock?.deviceId ?? null, tx)) }
  })
  if (visitor.session) await endSession(env, visitor.session)
  visitor.setSession(token, expiresAt)
  const challenge = challengeOf(env, hashOfToken(token))
  return { ...shownUser(row, tier, unlock?.deviceId ?? null), unlock: unlock ? { ...unlock, challenge } : null }
}

/** What an account's owner sees of it; `tier` is the plan that counts now. */
export const shownUser = (row: AccountRow, tier: Tier, deviceId: string | null): User => ({
  id: row.id,
  username: row.username,
  displayName: row.displayName,
  profileImageUrl: row.profileImageUrl,
  isAdmin: row.isAdmin,
  subscriptionTier: tier,
  biometricEnabled: row.biometricEnabled,
  email: row.email,
  onionAddress: row.onionAddress,
  hasKeys: row.publicKey !== null,
  deviceId,
})
