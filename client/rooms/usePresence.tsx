import { useStore } from 'zustand'
import { usePrivacy } from '../account/usePrivacy.tsx'
import { connectionStore } from '../net/status.ts'
import type { Person } from '../trust/people.ts'
import type { RoomRow } from './list.ts'
import { type Presence, presenceOf } from './presence.ts'

/** What is known now of the presence of the other person of a room. */
export function usePresence(room: RoomRow, person: Person, now: Date): Presence | undefined {
  const isConnected = useStore(connectionStore, ({ phase }) => phase === 'open')
  const shown = usePrivacy()
  return presenceOf({ room, person, isConnected, shown, now })
}
