import { createStore } from 'zustand/vanilla'
import type { FrameOf } from '../../../contract/frames.ts'
import type { KnownAccount } from '../../worker/crypto.ts'
import type { Stop } from './refusedList.ts'

export interface Person {
  id: string
  /** Lower case; the pinned name comes before the server's [Note: I3]. */
  username: string
  listedUsername: string
  displayName: string
  /** A path; null before both have accepted each other. */
  photo: string | null
  alias: string | null
  isDeleted: boolean
  isOnline: boolean
  /** ISO 8601; null if hidden or never seen. */
  lastSeen: string | null
  /** Ed25519, base64, from the server; null before the account's first browser. */
  identityKey: string | null
  /** True if the own person entered this key's onion address. */
  isByAddress: boolean
  /** Two conflicting keys or names, this browser's first. */
  choices: NonNullable<KnownAccount['choices']> | null
  /** The difference from the pin, or what is wrong with the list. Sending stops [Note: D1, I1, I3]. */
  mismatch: Stop | null
  isVerified: boolean
  /** ISO 8601; null if unknown. */
  comparedAt: string | null
  isByCode: boolean
}

export const peopleStore = createStore<{ people: ReadonlyMap<string, Person> }>(() => ({ people: new Map() }))

export const personById = (id: string): Person | undefined => peopleStore.getState().people.get(id)

export const nameOf = ({ isDeleted, alias, displayName }: Person): string =>
  alias ?? (isDeleted ? 'Deleted account' : displayName)

export function putPeople(list: Person[]): void {
  peopleStore.setState(({ people }) => ({ people: new Map([...people, ...list.map((person) => [person.id, person] as const)]) }))
}

export function changePerson(id: string, change: Partial<Person>): void {
  const person = personById(id)
  if (person && !Object.entries(change).every(([name, value]) => person[name as keyof Person] === value))
    putPeople([{ ...person, ...change }])
}

/** An online person keeps the earlier time. */
export function showPresence({ userId, isOnline, lastSeen }: FrameOf<'presence'>['data']): void {
  changePerson(userId, isOnline ? { isOnline } : { isOnline, lastSeen })
}

export const resetPeople = (): void => peopleStore.setState({ people: new Map() })
