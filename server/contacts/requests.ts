import { LIMITS } from '../../contract/limits.ts'
import type { Env } from '../env.ts'
import * as store from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const LAPSED_AT_ONCE = 500

/**
 * Takes requests that nobody answered for long off the lists of those who were asked. Whoever asked keeps the contact, the room
 * and what they sent, is told nothing, and may ask again. A piece of work of a job: true where more is left.
 */
export async function dropStaleRequests(env: Env): Promise<boolean> {
  const askedBefore = new Date(env.clock().getTime() - LIMITS.requestDays * DAY_MS)
  const lapsed = await store.deleteRequests(env.db, askedBefore, LAPSED_AT_ONCE)
  for (const { askedId, askerId } of lapsed) env.hub.publish([askedId], { type: 'contacts', data: { userIds: [askerId] } })
  return lapsed.length === LAPSED_AT_ONCE
}
