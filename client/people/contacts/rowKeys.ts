import type { Env } from '../../env.ts'
import { faceOf, peopleOf } from '../../rooms/list/members.ts'
import { isDirect, isNotes, isRequest, NOTES } from '../../rooms/list/room.ts'
import { roomById } from '../../rooms/list/roomList.ts'
import { peopleStore } from '../../rooms/trust/people.ts'
import type { MenuItem } from '../../ui/Menu.tsx'
import { markItems, muteItem } from './markItems.tsx'

/** What the menu of a row does by a letter. */
export function rowItems(env: Env, chatRoomId: string): MenuItem[] {
  const room = roomById(chatRoomId)
  if (!room) return []
  const { people } = peopleStore.getState()
  const name = isNotes(room) ? NOTES : (faceOf(room, people)?.name ?? '')
  const canMute = isDirect(room) && !isRequest(room) && !peopleOf(room, people).some(({ isDeleted }) => isDeleted)
  return [...markItems(env, room, name), ...(canMute ? [muteItem(env, room)] : [])]
}

export const pressRow = (env: Env, chatRoomId: string, letter: string): void =>
  rowItems(env, chatRoomId)
    .find(({ press }) => press === letter)
    ?.onSelect()
