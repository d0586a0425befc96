import type { Privacy } from '../../../contract/people/privacy.ts'
import { lastSeen } from '../../ui/time.ts'
import { isAwaited, isBlocked } from '../list/room.ts'
import type { RoomRow } from '../list/roomList.ts'
import type { Person } from '../trust/people.ts'

export interface Presence {
  /** null: no dot, because who is online is hidden. */
  isOnline: boolean | null
  words: string
}

interface Known {
  room: RoomRow
  person: Person
  isConnected: boolean
  /** The own settings: people do not see what they hide. */
  shown: Privacy
  now: Date
}

export function presenceOf({ room, person, isConnected, shown, now }: Known): Presence | undefined {
  if (!isConnected || person.isDeleted || isBlocked(room) || isAwaited(room)) return undefined
  if (shown.presence && person.isOnline) return { isOnline: true, words: 'Online' }
  const isOnline = shown.presence ? false : null
  if (shown.lastSeen) return { isOnline, words: `Last seen ${lastSeen(person.lastSeen ? new Date(person.lastSeen) : null, now)}` }
  return shown.presence ? { isOnline, words: 'Offline' } : undefined
}
