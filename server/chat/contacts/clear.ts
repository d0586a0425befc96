import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { dropPages } from '../chatlocks/chatlocks.ts'
import { requireRoom } from '../rooms/members.ts'
import * as store from './store-block.ts'

const EMPTIED_AT_ONCE = 1000

/**
 * Clears the caller's side up to a place of the log, or to its end: of these messages the caller is given place and hash alone. The other
 * side keeps theirs, and is not told. Throws Refusal, also if the chat is locked.
 */
export async function clearChat(env: Env, user: SignedInUser, contactId: string, upTo?: number): Promise<{ clearedSeq: number }> {
  const { contactUserId, clearedSeq } = await env.db.transaction(async (tx) => {
    const contact = await store.lockContact(tx, user.id, contactId)
    if (!contact) throw new Refusal('not_found')
    const { chatRoomId, contactUserId, lastSeq } = contact
    await requireRoom(tx, user, chatRoomId, env.clock())
    // The pages hold keys of what is cleared. The session that goes on in the chat writes new ones.
    await dropPages(tx, contact)
    return { contactUserId, clearedSeq: await store.clearUpTo(tx, chatRoomId, user.id, Math.min(upTo ?? lastSeq, lastSeq)) }
  })
  env.hub.publish([user.id], { type: 'contacts', data: { userIds: [contactUserId] } })
  return { clearedSeq }
}

/** Empties messages that all members of a room have cleared. One piece of a job: returns true if more may be left. */
export async function emptyClearedMessages(env: Env): Promise<boolean> {
  return (await store.emptyCleared(env.db, EMPTIED_AT_ONCE)) > 0
}
