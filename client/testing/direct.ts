import type { Contact } from '../../contract/chat/contacts.ts'
import type { ListedPerson, ListedRoom } from '../../contract/chat/roomlist.ts'
import { roomOfContact } from '../rooms/list/listedRoom.ts'
import type { DirectChat } from '../rooms/list/members.ts'
import { type Direct, isDirect } from '../rooms/list/room.ts'

/** How two people stand who have accepted each other. */
export const FRIENDS: Direct = { contactId: crypto.randomUUID(), state: 'accepted', isBlocked: false, hasAnswered: true }

/** Reads a contact as a direct room and its person. */
export function directOf(contact: Contact): DirectChat {
  const { room, people } = roomOfContact(contact)
  const [person] = people
  if (!isDirect(room) || !person) throw new Error('A contact has a direct room')
  return { room, person }
}

/** The other person of a row that the server in memory answers. */
export function personIn({ people }: Pick<ListedRoom, 'people'>): ListedPerson {
  const [person] = people
  if (!person) throw new Error('The row has nobody else')
  return person
}
