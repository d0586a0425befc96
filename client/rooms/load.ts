import { type Contact, contactsApi } from '../../contract/contacts.ts'
import { notificationsApi } from '../../contract/notifications.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { type Person, personById, putPeople } from '../trust/people.ts'
import { verifiedAmong } from '../trust/verified.ts'
import { roomOfContact } from './contact.ts'
import { putRooms, type RoomRow, roomById, roomsStore } from './list.ts'

/** Reads the list again, and returns its rooms. What this browser itself knows of a room or a person stays. */
export async function reloadRooms(env: Env): Promise<RoomRow[]> {
  try {
    const rooms = await keepRooms(env, await env.api(contactsApi.list, {}))
    const ids = new Set(rooms.map(({ id }) => id))
    putRooms(
      [],
      [...roomsStore.getState().rooms.keys()].filter((id) => !ids.has(id)),
    )
    roomsStore.setState({ status: 'ready' })
    await reloadUnreadTotal(env)
    return rooms
  } catch (error) {
    if (error instanceof ApiError && roomsStore.getState().status === 'loading') roomsStore.setState({ status: 'failed' })
    throw error
  }
}

export async function reloadUnreadTotal(env: Env): Promise<void> {
  const { count } = await env.api(notificationsApi.unreadCount, {})
  roomsStore.setState({ unreadTotal: count })
}

/** Takes rows of the server's list into the stores. */
export async function keepRooms(env: Env, contacts: Contact[]): Promise<RoomRow[]> {
  const read = contacts.map(roomOfContact)
  const people = read.map(({ person }) => person)
  const verified = await verifiedAmong(env, people)
  putPeople(people.map((person) => knownPerson(person, verified)))
  const rooms = read.map(({ room }) => knownRoom(room))
  putRooms(rooms)
  return rooms
}

const knownPerson = (person: Person, verified: ReadonlySet<string>): Person => ({
  ...person,
  keyChanged: !person.isDeleted && (personById(person.id)?.keyChanged ?? false),
  isVerified: verified.has(person.id),
})

function knownRoom(room: RoomRow): RoomRow {
  const before = roomById(room.id)
  return before ? { ...room, preview: before.preview, isTyping: before.isTyping } : room
}
