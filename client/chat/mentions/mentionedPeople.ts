import { readUser } from '../../me/account/storedUser.ts'

export interface Mentioned {
  id: string
  username: string
  name: string
  photo: string | null
  isOwn: boolean
}

/** By username. */
export type MentionedPeople = ReadonlyMap<string, Mentioned>

/** Returns who can be named beside the reader. */
export function mentionedOf(others: Omit<Mentioned, 'isOwn'>[]): MentionedPeople {
  const own = readUser()
  const found = others.map((other): Mentioned => ({ ...other, isOwn: false }))
  if (own) found.push({ id: own.id, username: own.username.toLowerCase(), name: own.username, photo: null, isOwn: true })
  return new Map(found.map((one) => [one.username, one]))
}
