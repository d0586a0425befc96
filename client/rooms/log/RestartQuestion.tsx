import { RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { Note } from '../../ui/Note.tsx'
import { showToast } from '../../ui/toast.ts'
import type { Room } from '../list/room.ts'
import { restart } from './restartRoom.ts'

/** Nothing is sent before the answer [Note: R8]. */
export function RestartQuestion({ room, onRestarted }: { room: Room; onRestarted: () => void }) {
  const env = useEnv()
  const [isPending, setPending] = useState(false)

  async function begin() {
    setPending(true)
    try {
      await restart(env, room)
      onRestarted()
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: 'The chat was not restarted', text: failureWords(error) })
    }
  }

  return (
    <div className="blocked">
      <Note icon={RotateCcw} tone="danger" role="alert">
        <strong>The server shows another state of this chat than your browsers know.</strong>{' '}
        <span className="why">
          Nothing is sent until you decide. A restart makes new keys for everybody; what you have read here stays.{' '}
        </span>
        <button type="button" className="linkish" onClick={begin} disabled={isPending} aria-busy={isPending}>
          {isPending ? 'Restarting...' : 'Restart?'}
        </button>
      </Note>
    </div>
  )
}
