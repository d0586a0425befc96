import type { User } from '../../../contract/account/account.ts'
import { objectIdOf, objectPath } from '../../../contract/chat/objects.ts'
import { bindPhoto, dropObject } from '../../chat/files/objects.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { announceChange, announceSwitched } from '../../ground/db/changes.ts'
import { tellSwitched, whoSeeAnother } from '../../people/privacy/privacy.ts'
import { Refusal } from '../../refuse.ts'
import { shownUser } from './account.ts'
import * as store from './store.ts'

/**
 * Sets the profile photo to an uploaded picture of the caller, or removes it with null. Tells the own pages, and those of mutual
 * contacts: nobody else learns that it has changed. The photo of before is deleted. Throws Refusal.
 */
export async function setPhoto(env: Env, user: SignedInUser, address: string | null): Promise<User> {
  const { row, viewers } = await env.db.transaction(async (tx) => {
    const before = await store.holdById(tx, user.id)
    if (!before) throw new Refusal('not_signed_in')
    const id = address === null ? undefined : objectIdOf(address)
    const path = address === null ? null : objectPath(id ?? '')
    if (path === before.profileImageUrl) return { row: before, viewers: [] }
    if (path !== null) await bindPhoto(tx, user.id, id)
    const replaced = before.profileImageUrl && objectIdOf(before.profileImageUrl)
    if (replaced) await dropObject(tx, user.id, replaced)
    let row = before
    const viewers = await whoSeeAnother(tx, user.id, async () => {
      row = await store.replacePhoto(tx, user.id, path)
    })
    await announceChange(tx, [user.id], 'name')
    await announceSwitched(tx, env.node, user.id, viewers)
    return { row, viewers }
  })
  tellSwitched(env, user.id, viewers)
  return shownUser(row, user.subscriptionTier, user.namedDeviceId)
}
