import { timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'
import type { passwordChangeShape } from '../../../contract/account/forms.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Caller } from '../../ground/http/serve.ts'
import {
  applyChange,
  finishChange,
  lockForChange,
  type ReadChange,
  readChange,
  requireVerifier,
} from '../../identity/devices/change.ts'
import { storedKeyring, wayOf } from '../../identity/devices/documents.ts'
import { isStored, type LockedAccount, lockAccount, requireNext } from '../../identity/devices/locked.ts'
import { requireOrder } from '../../identity/devices/order.ts'
import { countGuess, requireAuthSecret, verifierOf } from '../../identity/password/password.ts'
import { closeSessions, deleteSessionsOf } from '../../identity/sessions/sessions.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store.ts'

/**
 * Stores a new password. If the old password opens the keyring, also stores the keyring that the new one opens, in the same
 * transaction [Note: K3]. Ends all other sessions. Throws Refusal.
 */
export async function changePassword(
  env: Env,
  user: SignedInUser,
  { currentPassword, newPassword, kdf, keys }: z.infer<typeof passwordChangeShape>,
  caller: Caller,
): Promise<Record<string, never>> {
  await countGuess(env, user)
  if (kdf === 1) {
    requireAuthSecret(currentPassword)
    requireAuthSecret(newPassword)
  }
  const row = await store.findById(env.db, user.id)
  if (!row) throw new Refusal('not_signed_in')
  if (row.publicKey && kdf !== 1) throw invalid('The password of an account with keys is changed in a browser (kdf 1)')
  const read = keys && readChange(keys)
  const current = await verifierOf(row.username, row.passwordSalt, currentPassword, kdf)
  const next = await verifierOf(row.username, row.passwordSalt, newPassword, kdf)

  const ended = await env.db.transaction(async (tx) => {
    const account = read ? await lockForChange(tx, user.id, read) : await lockAccount(tx, user.id)
    // The response to an earlier attempt was lost.
    if (read && isStored(account, read) && timingSafeEqual(account.passwordHash, next)) return undefined
    requireVerifier(account, current)
    await requireOrder(env, user, account.publicKey, 'change password', caller)
    if (timingSafeEqual(current, next)) throw invalid('Choose a password that is not the current one')
    requireFit(account, read)
    const removed = read ? await applyChange(env, tx, user, account, read) : []
    await store.replaceVerifier(tx, user.id, next)
    const others = await deleteSessionsOf(tx, user.id, user.sessionHash)
    await env.fault?.('keys:written')
    return { removed, others }
  })
  if (!ended) return {}
  closeSessions(env, ended.others)
  if (keys) await finishChange(env, user, ended.removed, keys.manifest)
  return {}
}

// A password change without the matching keyring would leave a password that signs in but opens nothing, or the reverse.
function requireFit(account: LockedAccount, read: ReadChange | undefined): void {
  const { documents } = account
  if (!read) {
    if (documents && wayOf(storedKeyring(documents.keyring), 'password'))
      throw invalid('The keyring must be sealed to the new password')
    return
  }
  const before = wayOf(requireNext(account, read).keyring, 'password')
  const next = wayOf(read.keyring, 'password')
  if (before === undefined) throw invalid('The password of this account opens no keyring')
  if (next === undefined || next === before) throw invalid('The keyring must be sealed to the new password')
}

const invalid = (text: string): Refusal => new Refusal('invalid_input', { text })
