import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import type { Caller } from '../../ground/http/serve.ts'
import { lockAccount } from '../../identity/devices/locked.ts'
import { requireOrder } from '../../identity/devices/order.ts'
import { Refusal } from '../../refuse.ts'
import { dropLock } from '../chatlocks/chatlocks.ts'
import * as store from './store-block.ts'

/**
 * Removes a forgotten chat password. The caller's side of the chat goes with it, so that nobody gets round the password this
 * way. An account with keys signs an order for it: a way in was opened. Throws Refusal.
 */
export async function giveUpHistory(
  env: Env,
  user: SignedInUser,
  { contactId, chatRoomId }: { contactId: string; chatRoomId: string },
  caller: Caller,
): Promise<{ clearedSeq: number }> {
  const { contactUserId, clearedSeq } = await env.db.transaction(async (tx) => {
    const contact = await store.lockContact(tx, user.id, contactId)
    // The order names the room, not the contact.
    if (contact?.chatRoomId !== chatRoomId) throw new Refusal('not_found')
    const { publicKey } = await lockAccount(tx, user.id)
    await requireOrder(env, user, publicKey, 'give up chat history', caller)
    const clearedSeq = await forgetLocked(tx, contact)
    if (clearedSeq === undefined) throw new Refusal('not_found')
    return { contactUserId: contact.contactUserId, clearedSeq }
  })
  env.hub.publish([user.id], { type: 'contacts', data: { userIds: [contactUserId] } })
  return { clearedSeq }
}

/**
 * Forgets the chat password of a contact, whose room is locked, and clears the room to its end for its owner: what the password has
 * kept from the owner's browsers, nobody is given without it. Returns up to where it is cleared; undefined if there was no password.
 */
export async function forgetLocked(
  tx: Queryable,
  contact: { chatRoomId: string; userId: string; lastSeq: number },
): Promise<number | undefined> {
  if (!(await dropLock(tx, contact))) return undefined
  return await store.clearUpTo(tx, contact.chatRoomId, contact.userId, contact.lastSeq)
}
