import { useStore } from 'zustand'
import type { Room } from '../../rooms/list/room.ts'
import { useEnv } from '../../ui/env.tsx'
import { loadAllOlder } from './loadAllOlder.ts'
import { stopOlder } from './stopOlder.ts'
import { searchStore } from './store.ts'

/** Shows which messages the search covers, with a button to load older ones. `rooms` have older messages on the server. */
export function Reach({ rooms }: { rooms: Room[] }) {
  const env = useEnv()
  const older = useStore(searchStore, (state) => state.older)
  const failure = useStore(searchStore, (state) => state.olderFailure)
  if (!older && rooms.length === 0) return null
  return (
    <div className="reach">
      {older ? (
        <p role="status">
          Loading older messages: {older.done} of {older.total} {older.total === 1 ? 'chat' : 'chats'}
        </p>
      ) : (
        <p role={failure ? 'alert' : undefined}>
          {failure ? `Older messages could not be loaded. ${failure}` : 'Searches what this browser has loaded.'}
        </p>
      )}
      <button type="button" className="linkish" onClick={older ? stopOlder : () => void loadAllOlder(env, rooms)}>
        {older ? 'Cancel' : failure ? 'Try again' : 'Search older messages too'}
      </button>
    </div>
  )
}
