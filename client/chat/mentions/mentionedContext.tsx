import { createContext, useMemo } from 'react'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { type MentionedPeople, mentionedOf } from './mentionedPeople.ts'

export const MentionedContext = createContext<MentionedPeople>(new Map())

/** Stays the same while somebody comes and goes: each line of words waits for it. */
export function useMentioned(person: Person): MentionedPeople {
  const { id, username, photo, isDeleted } = person
  const name = nameOf(person)
  return useMemo(() => mentionedOf(isDeleted ? [] : [{ id, username, name, photo }]), [id, username, name, photo, isDeleted])
}
