import { MUTED_FOR_GOOD, type MuteTerm } from '../../../contract/chat/notifications.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import * as store from './store.ts'

const HOUR_MS = 3_600_000
const TERMS_MS: Record<Exclude<MuteTerm, 'always'>, number> = { hour: HOUR_MS, eight_hours: 8 * HOUR_MS, week: 7 * 24 * HOUR_MS }

/** Mutes a room for the caller, in all of their browsers. Throws Refusal `not_found` for a stranger to it. */
export async function muteRoom(
  env: Env,
  user: SignedInUser,
  chatRoomId: string,
  term: MuteTerm,
): Promise<{ mutedUntil: string }> {
  const until = term === 'always' ? new Date(MUTED_FOR_GOOD) : new Date(env.clock().getTime() + TERMS_MS[term])
  await setMuted(env, user, chatRoomId, until)
  return { mutedUntil: until.toISOString() }
}

/** Ends a mute. Throws Refusal `not_found` for a stranger to the room. */
export async function unmuteRoom(env: Env, user: SignedInUser, chatRoomId: string): Promise<Record<string, never>> {
  await setMuted(env, user, chatRoomId, null)
  return {}
}

async function setMuted(env: Env, user: SignedInUser, chatRoomId: string, until: Date | null): Promise<void> {
  if (!(await store.setMuted(env.db, chatRoomId, user.id, until))) throw new Refusal('not_found')
  // The caller's other browsers read what has changed in their list.
  env.hub.publish([user.id], { type: 'contacts', data: {} })
}
