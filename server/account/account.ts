import { type SignedIn, tierShape, type User } from '../../contract/account.ts'
import { forgetUnlock } from '../devices/devices.ts'
import type { Env, SignedInUser } from '../env.ts'
import { Refusal } from '../http/refuse.ts'
import type { Visitor } from '../http/serve.ts'
import { endSession, startSession } from '../http/session.ts'
import * as store from './store.ts'

type AccountRow = NonNullable<Awaited<ReturnType<typeof store.findById>>>

/** Who is signed in. Throws Refusal. */
export async function currentUser(env: Env, user: SignedInUser): Promise<User> {
  const row = await store.findById(env.db, user.id)
  if (!row) throw new Refusal('not_signed_in')
  return shownUser(row, user.deviceId)
}

/** Ends the session; without one it is harmless. With `removeKeys` the vault of this device stays shut for good [Note: V1]. */
export async function logout(env: Env, visitor: Visitor, removeKeys: boolean): Promise<Record<string, never>> {
  const { session } = visitor
  if (session) {
    if (removeKeys && session.deviceId) await forgetUnlock(env, session.id, session.deviceId)
    await endSession(env, session.sessionHash)
  }
  visitor.clearSession()
  return {}
}

/** A new session for this visitor; the one that its cookie named before is over. */
export async function signIn(env: Env, visitor: Visitor, row: AccountRow, unlock: SignedIn['unlock']): Promise<SignedIn> {
  if (visitor.session) await endSession(env, visitor.session.sessionHash)
  const { token, expiresAt } = await startSession(env, row.id, unlock?.deviceId ?? null)
  visitor.setSession(token, expiresAt)
  return { ...shownUser(row, unlock?.deviceId ?? null), unlock }
}

/** What an account's owner sees of it. */
export const shownUser = (row: AccountRow, deviceId: string | null): User => ({
  id: row.id,
  username: row.username,
  displayName: row.displayName,
  profileImageUrl: row.profileImageUrl,
  isAdmin: row.isAdmin,
  subscriptionTier: tierShape.parse(row.subscriptionTier),
  biometricEnabled: row.biometricEnabled,
  email: row.email,
  onionAddress: row.onionAddress,
  hasKeys: row.publicKey !== null,
  deviceId,
})
