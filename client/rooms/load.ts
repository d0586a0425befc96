import { type Contact, contactsApi } from '../../contract/contacts.ts'
import { notificationsApi } from '../../contract/notifications.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { type Person, personById, putPeople } from '../trust/people.ts'
import { verifiedAmong } from '../trust/verified.ts'
import { roomOfContact } from './contact.ts'
import { putRooms, type RoomRow, roomById, roomsStore } from './list.ts'
import { sumUnread, updateCount } from './updates.ts'

/** Where messages never cease, the last answer has to do. */
const LIST_TRIES = 3

/** Reads the list again, and returns its rooms. What this browser itself knows of a room or a person stays. */
export async function reloadRooms(env: Env): Promise<RoomRow[]> {
  try {
    const rooms = putRows(await askForList(env))
    const ids = new Set(rooms.map(({ id }) => id))
    putRooms(
      [],
      [...roomsStore.getState().rooms.keys()].filter((id) => !ids.has(id)),
    )
    roomsStore.setState({ status: 'ready' })
    sumUnread()
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
export const keepRooms = async (env: Env, contacts: Contact[]): Promise<RoomRow[]> => putRows(await readRows(env, contacts))

interface Rows {
  read: ReturnType<typeof roomOfContact>[]
  verified: ReadonlySet<string>
}

/** The list as it is after all that frames have said: put over it, an answer from before a frame would take its news back. */
async function askForList(env: Env): Promise<Rows> {
  for (let attempt = 1; ; attempt++) {
    const before = updateCount()
    const rows = await readRows(env, await env.api(contactsApi.list, {}))
    if (updateCount() === before || attempt === LIST_TRIES) return rows
  }
}

async function readRows(env: Env, contacts: Contact[]): Promise<Rows> {
  const read = contacts.map(roomOfContact)
  const people = read.map(({ person }) => person)
  return { read, verified: await verifiedAmong(env, people) }
}

function putRows({ read, verified }: Rows): RoomRow[] {
  putPeople(read.map(({ person }) => knownPerson(person, verified)))
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
