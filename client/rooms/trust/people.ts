import { createStore } from 'zustand/vanilla'
import type { FrameOf } from '../../../contract/frames.ts'
import type { KnownAccount, Mismatch } from '../../worker/crypto.ts'

/** Another account as the server describes it, with this browser's knowledge of its key. */
export interface Person {
  id: string
  /** The username in lower case: the pinned one if the account is pinned [Note: I3], else the one that the server shows. */
  username: string
  /** The username that the server shows, in lower case. */
  listedUsername: string
  /** The display name that they chose. */
  displayName: string
  /** The path of their photo; null without one, and before both have accepted each other. */
  photo: string | null
  /** The name that the own account gave them. */
  alias: string | null
  /** True if the account was deleted. Messages stay; nothing can be sent. */
  isDeleted: boolean
  isOnline: boolean
  /** ISO 8601; null if never seen or not visible to this account. */
  lastSeen: string | null
  /** Ed25519, base64, from the server; null until a browser of the account has made keys. */
  identityKey: string | null
  /** The onion address, derived from `identityKey` and never taken from the server. */
  onionAddress: string | null
  /** True if the own person entered the onion address of that key. */
  isByAddress: boolean
  /**
   * The two keys or names, this browser's first, if two browsers of this account know different ones or an entered address has
   * another.
   */
  choices: NonNullable<KnownAccount['choices']> | null
  /** The difference from the pin. Nothing is sent until the own person decides [Note: I1, I3]. */
  mismatch: Mismatch | null
  /** True if the safety number of that key was compared. */
  isVerified: boolean
  /** When it was, ISO 8601; null where that is not known. */
  comparedAt: string | null
  /** True if that was by a scanned contact code. */
  isByCode: boolean
}

/** All accounts that share a room with this one, by account id. */
export const peopleStore = createStore<{ people: ReadonlyMap<string, Person> }>(() => ({ people: new Map() }))

export const personById = (id: string): Person | undefined => peopleStore.getState().people.get(id)

/** Returns the name shown for a person. */
export const nameOf = ({ isDeleted, alias, displayName }: Person): string =>
  isDeleted ? 'Deleted account' : (alias ?? displayName)

/** Adds these people, or replaces the entries with the same account id. */
export function putPeople(list: Person[]): void {
  peopleStore.setState(({ people }) => ({ people: new Map([...people, ...list.map((person) => [person.id, person] as const)]) }))
}

/** Changes fields of one person. Does nothing if the person is unknown or no field differs. */
export function changePerson(id: string, change: Partial<Person>): void {
  const person = personById(id)
  if (person && !Object.entries(change).every(([name, value]) => person[name as keyof Person] === value))
    putPeople([{ ...person, ...change }])
}

/** Shows what may be seen of a person now. Whoever is online was seen when they were seen before. */
export function showPresence({ userId, isOnline, lastSeen }: FrameOf<'presence'>['data']): void {
  changePerson(userId, isOnline ? { isOnline } : { isOnline, lastSeen })
}

export const resetPeople = (): void => peopleStore.setState({ people: new Map() })
