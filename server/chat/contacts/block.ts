import type { Blocked } from '../../../contract/chat/contacts.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { seemAway, seemBack } from '../../people/presence/presence.ts'
import { areMutual } from '../../people/relations/relations.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store-block.ts'

/**
 * Blocks a person of the caller's list, or one who asks. What the person writes from now on takes its place and is withheld from the
 * caller for good. The person is not told: for them the caller leaves, and stays away. Throws Refusal.
 */
export async function blockContact(env: Env, user: SignedInUser, contactId: string): Promise<Record<string, never>> {
  const now = env.clock()
  const { contactUserId, wasMutual, isNew } = await env.db.transaction(async (tx) => {
    const contact = await store.lockContact(tx, user.id, contactId)
    if (!contact) throw new Refusal('not_found')
    const { contactUserId, chatRoomId, lastSeq, isBlocked } = contact
    if (isBlocked) return { contactUserId, wasMutual: false, isNew: false }
    const wasMutual = await areMutual(tx, user.id, contactUserId)
    await store.setBlocked(tx, user.id, contactId, now)
    await store.beginWithholding(tx, chatRoomId, user.id, lastSeq)
    return { contactUserId, wasMutual, isNew: true }
  })
  if (!isNew) return {}
  env.hub.publish([user.id], { type: 'contacts', data: { userIds: [contactUserId] } })
  if (wasMutual) await seemAway(env, user.id, contactUserId)
  return {}
}

/** Returns everybody whom the caller blocks, also those who are not on their list. */
export const listBlocked = (env: Env, user: SignedInUser): Promise<Blocked[]> => store.findBlocked(env.db, user.id)

/** Ends a block. What came meanwhile stays withheld. For the person the caller comes back. Throws Refusal. */
export async function unblockContact(env: Env, user: SignedInUser, contactId: string): Promise<Record<string, never>> {
  const { contactUserId, isMutual, isNew } = await env.db.transaction(async (tx) => {
    const contact = await store.lockContact(tx, user.id, contactId)
    if (!contact) throw new Refusal('not_found')
    const { contactUserId, chatRoomId, lastSeq, isBlocked } = contact
    if (!isBlocked) return { contactUserId, isMutual: false, isNew: false }
    await store.setUnblocked(tx, user.id, contactId)
    await store.endWithholding(tx, chatRoomId, user.id, lastSeq)
    return { contactUserId, isMutual: await areMutual(tx, user.id, contactUserId), isNew: true }
  })
  if (!isNew) return {}
  env.hub.publish([user.id], { type: 'contacts', data: { userIds: [contactUserId] } })
  if (isMutual) await seemBack(env, user.id, contactUserId)
  return {}
}
