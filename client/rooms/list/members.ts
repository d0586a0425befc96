import { nameOf, type Person } from '../trust/people.ts'
import { isDirect, type Room } from './room.ts'
import type { DirectRow, RoomRow } from './roomList.ts'

type People = ReadonlyMap<string, Person>

/** A direct room and its other person. */
export interface DirectChat {
  room: DirectRow
  person: Person
}

/** The other members of a room that are known here, in the order of the room. */
export const peopleOf = ({ peers }: Pick<Room, 'peers'>, people: People): Person[] =>
  peers.flatMap(({ id }) => people.get(id) ?? [])

/** The other person of a direct room; undefined in any other, and where nothing is known of the person. */
export const personOfDirect = (room: Room, people: People): Person | undefined =>
  isDirect(room) ? peopleOf(room, people)[0] : undefined

/** A direct room with its person; undefined for any other room. */
export function directChat(room: RoomRow | undefined, people: People): DirectChat | undefined {
  const person = room && personOfDirect(room, people)
  return room && person && isDirect(room) ? { room, person } : undefined
}

/** What stands for a room: of a direct room its person, of any other its members. */
export interface RoomFace {
  /** The account or the room: it decides the colour. */
  id: string
  name: string
  photo: string | null
}

/** Names of members that stand for a room; of more, their number is said. */
const NAMES_MAX = 3

/** Returns what stands for a room; undefined for a direct room of whose person nothing is known. */
export function faceOf(room: Room, people: People): RoomFace | undefined {
  const known = peopleOf(room, people)
  if (!room.direct) return { id: room.id, name: namesOf(known), photo: null }
  const [person] = known
  return person && { id: person.id, name: nameOf(person), photo: person.photo }
}

function namesOf(people: Person[]): string {
  const names = people.slice(0, NAMES_MAX).map(nameOf)
  if (people.length > NAMES_MAX) names.push(`+${people.length - NAMES_MAX}`)
  return names.join(', ') || 'Nobody else'
}
