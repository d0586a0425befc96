import { readUser } from '../../me/account/storedUser.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'

export interface Mentioned {
  id: string
  username: string
  name: string
  photo: string | null
  isOwn: boolean
}

/** By username. */
export type MentionedPeople = ReadonlyMap<string, Mentioned>

/** Returns who can be named, by the reader's names. */
export function mentionedOf(people: Person[]): MentionedPeople {
  const own = readUser()
  const others = people.filter(({ isDeleted }) => !isDeleted)
  const found = others.map(
    (person): Mentioned => ({
      ...{ id: person.id, username: person.username, name: nameOf(person), photo: person.photo },
      isOwn: false,
    }),
  )
  if (own) found.push({ id: own.id, username: own.username.toLowerCase(), name: own.username, photo: null, isOwn: true })
  return new Map(found.map((one) => [one.username, one]))
}
