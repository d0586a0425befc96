import type { SignedIn, User } from '../../../contract/account/account.ts'
import type { RefusalCode } from '../../../contract/ground/refusals.ts'
import type { Tier } from '../../../contract/money/plans.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Visitor } from '../../ground/http/serve.ts'
import { forgetUnlock, unlockOf } from '../../identity/devices/devices.ts'
import { acceptAssertion, type ReadAssertion } from '../../identity/passkeys/assertion.ts'
import { challengeOf } from '../../identity/sessions/challenge.ts'
import { endSession, originOf, startSession } from '../../identity/sessions/sessions.ts'
import { noteCopiedPasskey, noteSignIn } from '../../identity/sessions/signins.ts'
import { effectiveTier } from '../../money/plans/plans.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store.ts'

type AccountRow = NonNullable<Awaited<ReturnType<typeof store.findById>>>

/** Returns the signed-in user. Throws Refusal. */
export async function currentUser(env: Env, user: SignedInUser): Promise<User> {
  const row = await store.findById(env.db, user.id)
  if (!row) throw new Refusal('not_signed_in')
  return shownUser(row, user.subscriptionTier, user.namedDeviceId)
}

/**
 * Ends the session; does nothing without one. With `removeKeys`, if a device has signed for the session, its vault can never be
 * opened again [Note: V1, D4].
 */
export async function logout(env: Env, visitor: Visitor, removeKeys: boolean): Promise<Record<string, never>> {
  const session = await visitor.session()
  if (session) {
    if (removeKeys && session.deviceId) await forgetUnlock(env, session.id, session.deviceId)
    await endSession(env, session)
  }
  visitor.clearSession()
  return {}
}

interface Entrance {
  /** The device that the session shall name; undefined if its keys were removed. */
  deviceId: string | undefined
  /** The refusal if the account has changed meanwhile: a secret that was just replaced must not sign in. */
  otherwise: RefusalCode
  /** What a passkey of the account has signed; absent if none was asked. */
  passkey?: ReadAssertion
  /** True if the account was made just now, so that nobody is to be told. */
  isNew?: boolean
}

/** Starts a session for this visitor and ends the one that its cookie named before. Throws Refusal. */
export async function signIn(
  env: Env,
  visitor: Visitor,
  row: AccountRow,
  { deviceId, otherwise, passkey, isNew = false }: Entrance,
): Promise<SignedIn> {
  const origin = originOf(visitor)
  // One transaction: the removal of the device, or the end of all sessions, commits wholly before or after it.
  const started = env.db.transaction(async (tx) => {
    if (!(await store.holdSecrets(tx, row))) throw new Refusal(otherwise)
    if (passkey) await acceptAssertion(env, tx, passkey)
    const unlock = deviceId === undefined ? undefined : await unlockOf(tx, row.id, deviceId)
    const tier = await effectiveTier(tx, row.id, env.clock())
    const session = await startSession(
      env,
      row.id,
      { ...origin, listener: visitor.ingress, deviceId: unlock?.deviceId ?? null },
      tx,
    )
    // An account without keys has no browsers that could be told.
    if (row.publicKey && !isNew) await noteSignIn(tx, env.clock(), row.id, { ...origin, id: session.id })
    return { tier, unlock, ...session }
  })
  const { tier, unlock, token, sessionHash, expiresAt } = await started.catch(async (error: unknown) => {
    // Told outside the transaction, which has left nothing: every browser of the account is to know.
    if (passkey && error instanceof Refusal && error.code === 'passkey_copied')
      await noteCopiedPasskey(env, row.id, origin, passkey.passkey.name)
    throw error
  })
  const before = await visitor.session()
  if (before) await endSession(env, before)
  visitor.setSession(token, expiresAt)
  const challenge = challengeOf(env, sessionHash)
  return { ...shownUser(row, tier, unlock?.deviceId ?? null), unlock: unlock ? { ...unlock, challenge } : null }
}

/** The user as its owner sees it; `tier` is the effective plan. */
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
  privacy: {
    presence: row.showsPresence,
    lastSeen: row.showsLastSeen,
    typing: row.showsTyping,
    receipts: row.showsReceipts,
  },
})
