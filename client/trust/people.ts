import { createStore } from 'zustand/vanilla'
import type { FrameOf } from '../../contract/frames.ts'
import type { Mismatch } from '../crypto/crypto.ts'

/** Another account, as the server describes it, with what this browser knows of its key. */
export interface Person {
  id: string
  /** In lower case: the pinned name of who is pinned [Note: I3], else the one that the server shows. */
  username: string
  /** The name that the server shows, in lower case. */
  listedUsername: string
  /** The name that they chose. */
  displayName: string
  /** The name that the own account gave them. */
  alias: string | null
  /** The account is gone for good: what was written stays, nothing can be sent. */
  isDeleted: boolean
  isOnline: boolean
  /** ISO 8601; null: never seen, or not shown to this account. */
  lastSeen: string | null
  /** Ed25519, base64, as the server names it; null until a browser of theirs has made keys. */
  identityKey: string | null
  /** Made from that key, never taken from the server. */
  onionAddress: string | null
  /** The own person entered the onion address of that key. */
  isByAddress: boolean
  /** Where two browsers of this account know two keys or names of this person: both, this browser's first. */
  choices: { identityKey: string; username: string }[] | null
  /** What differs from the pin: nothing is sent until the own person decides [Note: I1, I3]. */
  mismatch: Mismatch | null
  /** The safety number of that key was compared. */
  isVerified: boolean
}

/** Everybody with whom this account shares a room, by account id. */
export const peopleStore = createStore<{ people: ReadonlyMap<string, Person> }>(() => ({ people: new Map() }))

export const personById = (id: string): Person | undefined => peopleStore.getState().people.get(id)

/** What a person is called on screen. */
export const nameOf = ({ isDeleted, alias, displayName }: Person): string =>
  isDeleted ? 'Deleted account' : (alias ?? displayName)

/** Adds these people, each in the place of what was known of that account. */
export function putPeople(list: Person[]): void {
  peopleStore.setState(({ people }) => ({ people: new Map([...people, ...list.map((person) => [person.id, person] as const)]) }))
}

/** Changes what is known of one person; nothing where the person is unknown or nothing differs. */
export function changePerson(id: string, change: Partial<Person>): void {
  const person = personById(id)
  if (person && !Object.entries(change).every(([name, value]) => person[name as keyof Person] === value))
    putPeople([{ ...person, ...change }])
}

export function onPresence({ userId, isOnline, lastSeen }: FrameOf<'presence'>['data']): void {
  changePerson(userId, { isOnline, ...(lastSeen && { lastSeen }) })
}

export const resetPeople = (): void => peopleStore.setState({ people: new Map() })
