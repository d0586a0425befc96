import { randomUUID } from 'node:crypto'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { directRoomId } from '../../../contract/ground/shapes.ts'
import type { Env } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import * as store from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const LAPSED_AT_ONCE = 500

/** The row of a request: the asker as a contact on the asked person's list. */
export const newRequest = (askerId: string, askedId: string, now: Date) => ({
  id: randomUUID(),
  userId: askedId,
  contactUserId: askerId,
  chatRoomId: directRoomId(askerId, askedId),
  state: 'pending' as const,
  addedAt: now,
})

/** Puts a request on the asked person's list. If that list has too many, the oldest unanswered request is deleted. */
export async function putRequest(tx: Queryable, askerId: string, askedId: string, now: Date): Promise<void> {
  await store.insertContacts(tx, [newRequest(askerId, askedId, now)])
  await store.trimRequests(tx, askedId, LIMITS.requestsMax)
}

/**
 * Deletes requests that were not answered for `LIMITS.requestDays` from the asked people's lists. The asker keeps the contact, the
 * room and the messages, is not notified, and may ask again. One piece of a job: returns true if more are left.
 */
export async function dropStaleRequests(env: Env): Promise<boolean> {
  const askedBefore = new Date(env.clock().getTime() - LIMITS.requestDays * DAY_MS)
  const lapsed = await store.deleteRequests(env.db, askedBefore, LAPSED_AT_ONCE)
  for (const { askedId, askerId } of lapsed) env.hub.publish([askedId], { type: 'contacts', data: { userIds: [askerId] } })
  return lapsed.length === LAPSED_AT_ONCE
}

/** Makes a lapsed request again, because the asker has written once more. Notifies the asked person alone. */
export async function askAgain(env: Env, askerId: string, askedId: string): Promise<void> {
  const [chatRoomId, now] = [directRoomId(askerId, askedId), env.clock()]
  const isPut = await env.db.transaction(async (tx) => {
    // The room is locked first, as in `addContact`.
    if (!(await store.openRoom(tx, chatRoomId, askerId, [askerId, askedId], now))) return false
    const pair = await store.findPair(tx, askerId, askedId)
    if (pair.some((row) => row.userId === askedId)) return false
    await putRequest(tx, askerId, askedId, now)
    return true
  })
  if (isPut) env.hub.publish([askedId], { type: 'contacts', data: { userIds: [askerId] } })
}
