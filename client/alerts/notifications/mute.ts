import { MUTED_FOR_GOOD, type MuteTerm, notificationsApi } from '../../../contract/chat/notifications.ts'
import type { Env } from '../../env.ts'
import { fetchRooms } from '../../rooms/list/loadRooms.ts'
import type { Room } from '../../rooms/list/room.ts'
import { failureWords } from '../../ui/failure.ts'
import { clockTime, dayOf, moment } from '../../ui/time.ts'
import { showToast } from '../../ui/toast.ts'

export const TERMS: { term: MuteTerm; words: string }[] = [
  { term: 'hour', words: '1 hour' },
  { term: 'eight_hours', words: '8 hours' },
  { term: 'week', words: '1 week' },
  { term: 'always', words: 'Always' },
]

/** Mutes a chat in all browsers of the account. Its messages are still counted in its row. */
export async function muteRoom(env: Env, { id: chatRoomId }: Room, term: MuteTerm): Promise<void> {
  await env.api(notificationsApi.mute, { chatRoomId, term })
  await showMute(env, chatRoomId)
}

/** Ends a mute, or says why it goes on. */
export async function unmuteRoom(env: Env, { id: chatRoomId }: Room): Promise<void> {
  try {
    await env.api(notificationsApi.unmute, { chatRoomId })
    await showMute(env, chatRoomId)
  } catch (error) {
    showToast({ tone: 'bad', title: 'The chat is still muted', text: failureWords(error) })
  }
}

/**
 * Reads the row: another browser may have changed the mute since, and its news may have come before this answer. The server has stored
 * the change: where the row cannot be read now, the next read of the list shows it.
 */
const showMute = (env: Env, chatRoomId: string) => fetchRooms(env, [chatRoomId]).catch(() => undefined)

/** "Muted until 6:41 PM", with the day where it is another one. */
export function mutedWords(mutedUntil: string, now: Date): string {
  if (mutedUntil === MUTED_FOR_GOOD) return 'Muted until you unmute it'
  const until = new Date(mutedUntil)
  return `Muted until ${dayOf(until) === dayOf(now) ? clockTime(until) : moment(until)}`
}
