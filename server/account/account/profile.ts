import type { z } from 'zod'
import type { accountApi, User } from '../../../contract/account/account.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { announceChange } from '../../ground/db/changes.ts'
import { Refusal } from '../../refuse.ts'
import { shownUser } from './account.ts'
import * as store from './store.ts'
import { findListing } from './store-traces.ts'

/**
 * Sets the display name and, where one is sent, the email. Tells the account's own pages, and of a new name everybody who lists the
 * person. The name is not signed: what others trust is the username of the manifest [Note: I3]. Throws Refusal.
 */
export async function updateProfile(
  env: Env,
  user: SignedInUser,
  { displayName, email }: z.infer<typeof accountApi.updateProfile.input>,
): Promise<User> {
  const { row, listing } = await env.db.transaction(async (tx) => {
    const profile = { displayName, ...(email !== undefined && { email: email || null }) }
    const changed = await store.replaceProfile(tx, user.id, profile)
    if (!changed) throw new Refusal('not_signed_in')
    await announceChange(tx, [user.id], 'name')
    return { row: changed.row, listing: changed.nameBefore === displayName ? [] : await findListing(tx, user.id) }
  })
  env.hub.publish(listing, { type: 'contacts', data: { userIds: [user.id] } })
  return shownUser(row, user.subscriptionTier, user.namedDeviceId)
}
