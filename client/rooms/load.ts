import { type Contact, contactsApi } from '../../contract/contacts.ts'
import { notificationsApi } from '../../contract/notifications.ts'
import type { KnownAccount } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { type Person, personById, putPeople } from '../trust/people.ts'
import { knownOf, shownOf } from '../trust/verified.ts'
import { roomOfContact } from './contact.ts'
import { putRooms, type RoomRow, roomById, roomsStore } from './list.ts'
import { sumUnread, updatesOf } from './updates.ts'

/** Limit of requests while messages keep arriving. After it, rooms with new messages keep their current rows. */
const LIST_TRIES = 5

/** Fetches the list and returns its rooms. Keeps what only this browser knows of a room or a person. */
export async function reloadRooms(env: Env): Promise<RoomRow[]> {
  try {
    const ids = await putList(env)
    putRooms(
      [],
      [...roomsStore.getState().rooms.keys()].filter((id) => !ids.has(id)),
    )
    roomsStore.setState({ status: 'ready' })
    sumUnread()
    return [...roomsStore.getState().rooms.values()]
  } catch (error) {
    if (error instanceof ApiError && roomsStore.getState().status === 'loading') roomsStore.setState({ status: 'failed' })
    throw error
  }
}

/**
 * Stores the server's rows, except rows that a frame has changed since the request, whose news they would undo. Repeats the
 * request for those. Returns the ids of all rooms.
 */
async function putList(env: Env): Promise<ReadonlySet<string>> {
  for (let attempt = 1; ; attempt++) {
    const before = new Map([...roomsStore.getState().rooms.keys()].map((id) => [id, updatesOf(id)]))
    const rows = await readRows(env, await env.api(contactsApi.list, {}))
    const isCurrent = ({ id }: RoomRow) => (before.get(id) ?? updatesOf(id)) === updatesOf(id)
    const current = rows.filter(({ room }) => isCurrent(room))
    putRows(current)
    if (current.length === rows.length || attempt === LIST_TRIES) return new Set(rows.map(({ room }) => room.id))
  }
}

export async function reloadUnreadTotal(env: Env): Promise<void> {
  const { count } = await env.api(notificationsApi.unreadCount, {})
  roomsStore.setState({ unreadTotal: count })
}

/** Stores rows of the server's contact list. */
export const keepRooms = async (env: Env, contacts: Contact[]): Promise<RoomRow[]> => putRows(await readRows(env, contacts))

type Row = ReturnType<typeof roomOfContact>

async function readRows(env: Env, contacts: Contact[]): Promise<Row[]> {
  const rows = contacts.map(roomOfContact)
  const known = await knownOf(
    env,
    rows.map(({ room, person }) => ({ ...person, isContact: room.state === 'accepted' })),
  )
  return rows.map(({ room, person }, at) => ({ room, person: known[at] ? shownPerson(person, known[at]) : person }))
}

function putRows(rows: Row[]): RoomRow[] {
  putPeople(rows.map(({ person }) => person))
  const rooms = rows.map(({ room }) => knownRoom(room))
  putRooms(rooms)
  return rooms
}

/** Keeps the mismatch found in device lists until they are read again, because a row alone does not show it. */
const shownPerson = (person: Person, known: KnownAccount): Person => ({
  ...person,
  ...shownOf(known, person),
  mismatch: person.isDeleted ? null : (known.mismatch ?? personById(person.id)?.mismatch ?? null),
})

function knownRoom(room: RoomRow): RoomRow {
  const before = roomById(room.id)
  if (!before) return room
  const { preview, asksRestart, forks, isTyping } = before
  return { ...room, preview, asksRestart, forks, isTyping }
}
