import { nameOf, type Person } from '../trust/people.ts'
import { isNotes, isRequest, NOTES, type Room } from './room.ts'

export function isNamed(room: Room, people: Person[], query: string): boolean {
  const part = query.trim().toLowerCase().replace(/^@/, '')
  const names = isNotes(room)
    ? [NOTES]
    : people.flatMap((person) => {
        const handle = person.isDeleted ? [] : [person.username]
        return isRequest(room) ? handle : [nameOf(person), ...(person.isDeleted ? [] : [person.displayName]), ...handle]
      })
  // A room of nobody else has no name to look for.
  return part === '' || names.some((name) => name.toLowerCase().includes(part))
}
