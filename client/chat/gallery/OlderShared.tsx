import { LoaderCircle } from 'lucide-react'
import { useEffect } from 'react'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { useEnv } from '../../ui/env.tsx'
import { loadAllOlder } from '../search/loadAllOlder.ts'
import { stopOlder } from '../search/stopOlder.ts'
import { useOlder } from '../search/useOlder.tsx'

/** Older messages that are on the server alone: how they are read too. */
export function OlderShared({ room }: { room: RoomRow }) {
  const env = useEnv()
  const { isLoading, failure } = useOlder()
  useEffect(() => stopOlder, [])
  return (
    <div className="shared-older">
      {isLoading ? (
        <p role="status">
          <LoaderCircle className="i i-16 spin" aria-hidden /> Loading older messages
        </p>
      ) : (
        <p role={failure ? 'alert' : undefined}>
          {failure ? `Older messages could not be loaded. ${failure}` : 'From the messages that this browser has loaded.'}
        </p>
      )}
      <button type="button" className="linkish" onClick={isLoading ? stopOlder : () => void loadAllOlder(env, [room])}>
        {isLoading ? 'Cancel' : failure ? 'Try again' : 'Look in older messages too'}
      </button>
    </div>
  )
}
