import { useStore } from 'zustand'
import { connectionStore } from '../../net/status.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { type Presence, presenceOf } from '../../rooms/presence/presence.ts'
import type { Person } from '../../rooms/trust/people.ts'
import { usePrivacy } from './usePrivacy.tsx'

/** What is known now of the presence of the other person of a direct room. */
export function usePresence(room: RoomRow, person: Person | undefined, now: Date): Presence | undefined {
  const isConnected = useStore(connectionStore, ({ phase }) => phase === 'open')
  const shown = usePrivacy()
  return person && presenceOf({ room, person, isConnected, shown, now })
}
