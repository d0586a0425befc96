import type { Privacy } from '../../../contract/people/privacy.ts'
import { lastSeen } from '../../ui/time.ts'
import type { Person } from '../trust/people.ts'
import { isAwaited, isBlocked } from './room.ts'
import type { RoomRow } from './roomList.ts'

/** What is said of a person. */
export interface Presence {
  /** The dot; null if there is none, because the account does not see who is online. */
  isOnline: boolean | null
  words: string
}

interface Known {
  room: RoomRow
  person: Person
  isConnected: boolean
  /** What the own account shows: of what it hides, it sees nothing. */
  shown: Privacy
  now: Date
}

/** Returns what is known of somebody's presence; undefined where it is nothing: without a connection, of somebody who has not answered, or whom the own account has blocked. */
export function presenceOf({ room, person, isConnected, shown, now }: Known): Presence | undefined {
  if (!isConnected || person.isDeleted || isBlocked(room) || isAwaited(room)) return undefined
  if (shown.presence && person.isOnline) return { isOnline: true, words: 'Online' }
  const isOnline = shown.presence ? false : null
  if (shown.lastSeen) return { isOnline, words: `Last seen ${lastSeen(person.lastSeen ? new Date(person.lastSeen) : null, now)}` }
  return shown.presence ? { isOnline, words: 'Offline' } : undefined
}
