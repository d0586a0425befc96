import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { z } from 'zod'
import type { accountApi } from '../../../contract/account/account.ts'
import { forgetCalls } from '../../chat/calls/ends.ts'
import { dropObjectsOf } from '../../chat/files/objects.ts'
import { forgetTransfers } from '../../chat/transfers/endTransfer.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { announceChange } from '../../ground/db/changes.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { lockAccount, roomsOf } from '../../identity/devices/locked.ts'
import { requireOrder } from '../../identity/devices/order.ts'
import { countGuess, requireAuthSecret, verifierOf } from '../../identity/password/password.ts'
import { deleteSessionsOf } from '../../identity/sessions/sessions.ts'
import { forgetSignIns } from '../../identity/sessions/signins.ts'
import { leaveCard } from '../../money/payments/endCard.ts'
import { forgetPayer } from '../../money/receipts/receipts.ts'
import { forgetPresence } from '../../people/presence/presence.ts'
import { Refusal } from '../../refuse.ts'
import { retiredHash } from './names.ts'
import * as store from './store.ts'
import * as traces from './store-traces.ts'

/** Locks an account that is being deleted by `lock`. Throws Refusal if nobody could administer the server then. */
export type LockLeaving = <Locked>(tx: Queryable, userId: string, lock: () => Promise<Locked>) => Promise<Locked>

/**
 * Deletes the account for good. Of the person's data only what others have received remains. Closes those chats, retires
 * the name and ends all sessions. Throws Refusal.
 */
export async function removeAccount(
  env: Env,
  user: SignedInUser,
  { password, kdf }: z.infer<typeof accountApi.remove.input>,
  { caller, lockLeaving }: { caller: Caller; lockLeaving: LockLeaving },
): Promise<Record<string, never>> {
  await countGuess(env, user)
  if (kdf === 1) requireAuthSecret(password)
  const row = await store.findById(env.db, user.id)
  if (!row) throw new Refusal('not_signed_in')
  if (row.publicKey && kdf !== 1)
    throw new Refusal('invalid_input', { text: 'An account with keys is deleted in a browser (kdf 1)' })
  const verifier = await verifierOf(row.username, row.passwordSalt, password, kdf)
  // A wrong guess takes no lock. The password is compared again below, because it may change meanwhile.
  requireSame(verifier, row.passwordHash)
  await requireOrder(env, user, row.publicKey, 'delete account', caller)
  // Who stays keeps the card.
  await env.db.transaction((tx) => lockLeaving(tx, user.id, async () => undefined))
  // Nobody is charged for an account that is gone.
  await leaveCard(env, user.id)

  const { listing, tellCalls, tellTransfers } = await env.db.transaction(async (tx) => {
    const account = await lockLeaving(tx, user.id, () => lockAccount(tx, user.id, true))
    requireSame(verifier, account.passwordHash)
    await requireOrder(env, user, account.publicKey, 'delete account', caller)
    const roomIds = await roomsOf(tx, account)
    const listing = await traces.findListing(tx, user.id)
    await deleteSessionsOf(tx, user.id)
    await forgetSignIns(tx, user.id)
    const tellCalls = await forgetCalls(env, tx, user.id)
    const tellTransfers = await forgetTransfers(env, tx, user.id)
    await traces.deleteKeys(tx, user.id, roomIds)
    await traces.deleteInbox(tx, user.id)
    await dropObjectsOf(tx, user.id)
    await traces.lockMembers(tx, roomIds)
    await traces.leaveGroups(tx, user.id, roomIds)
    await traces.deleteContacts(tx, user.id)
    await traces.deleteReports(tx, user.id)
    await traces.deleteQuietHours(tx, user.id)
    await forgetPayer(tx, user.id)
    await announceChange(tx, await traces.endFamily(tx, user.id), 'plan')
    await traces.closeDirectRooms(tx, user.id, roomIds)
    await traces.retireName(tx, retiredHash(env, row.username))
    await traces.buryAccount(tx, user.id, newTombstone(env.clock()))
    await forgetPresence(tx, user.id)
    await env.fault?.('account:written')
    return { listing, tellCalls, tellTransfers }
  })
  env.hub.closeUser(user.id)
  tellCalls()
  await tellTransfers()
  env.hub.publish(listing, { type: 'contacts', data: { userIds: [user.id] } })
  caller.clearSession()
  return {}
}

// Columns that must not be null get random bytes, which open nothing.
const newTombstone = (now: Date) => ({
  username: `deleted_${randomBytes(6).toString('hex')}`,
  passwordHash: randomBytes(32),
  passwordSalt: randomBytes(16),
  month: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)),
  now,
})

function requireSame(verifier: Buffer, stored: Buffer): void {
  if (!timingSafeEqual(verifier, stored)) throw new Refusal('invalid_credentials')
}
