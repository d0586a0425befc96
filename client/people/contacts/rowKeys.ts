import type { Env } from '../../env.ts'
import { faceOf, peopleOf } from '../../rooms/list/members.ts'
import { isDirect, isNotes, isRequest, NOTES } from '../../rooms/list/room.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { peopleStore } from '../../rooms/trust/people.ts'
import { markItems, muteItem } from './markItems.tsx'

/** Does to a row what its menu does by this letter, if anything. */
export function pressRow(env: Env, chatRoomId: string, letter: string): void {
  const room = roomById(chatRoomId)
  if (!room) return
  const { people } = peopleStore.getState()
  const name = isNotes(room) ? NOTES : (faceOf(room, people)?.name ?? '')
  const canMute = isDirect(room) && !isRequest(room) && !peopleOf(room, people).some(({ isDeleted }) => isDeleted)
  const items = [...markItems(env, room, name), ...(canMute ? [muteItem(env, room)] : [])]
  items.find(({ press }) => press === letter)?.onSelect()
}
