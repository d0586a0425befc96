import { nameOf, type Person } from '../trust/people.ts'
import { isDirect, isNotes, NOTES, type Room } from './room.ts'
import type { DirectRow, RoomRow } from './roomList.ts'

type People = ReadonlyMap<string, Person>

export interface DirectChat {
  room: DirectRow
  person: Person
}

export const peopleOf = ({ peers }: Pick<Room, 'peers'>, people: People): Person[] =>
  peers.flatMap(({ id }) => people.get(id) ?? [])

export const personOfDirect = (room: Room, people: People): Person | undefined =>
  isDirect(room) ? peopleOf(room, people)[0] : undefined

export function directChat(room: RoomRow | undefined, people: People): DirectChat | undefined {
  const person = room && personOfDirect(room, people)
  return room && person && isDirect(room) ? { room, person } : undefined
}

export interface RoomFace {
  id: string
  name: string
  photo: string | null
}

/** A room with more members shows their number. */
const NAMES_MAX = 3

export function faceOf(room: Room, people: People): RoomFace | undefined {
  const known = peopleOf(room, people)
  if (isNotes(room)) return { id: room.id, name: NOTES, photo: null }
  if (!room.direct) return { id: room.id, name: namesOf(known), photo: null }
  const [person] = known
  return person && { id: person.id, name: nameOf(person), photo: person.photo }
}

function namesOf(people: Person[]): string {
  const names = people.slice(0, NAMES_MAX).map(nameOf)
  if (people.length > NAMES_MAX) names.push(`+${people.length - NAMES_MAX}`)
  return names.join(', ') || 'Nobody else'
}
