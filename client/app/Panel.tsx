import { CircleAlert } from 'lucide-react'
import { useStore } from 'zustand'
import type { User } from '../../contract/account.ts'
import { hasRight } from '../../contract/plans.ts'
import { RequestPanel } from '../contacts/Request.tsx'
import { roomsStore } from '../rooms/list.ts'
import { peerIdOf } from '../rooms/room.ts'
import { peopleStore } from '../trust/people.ts'
import { Empty } from '../ui/Empty.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { RoomScreen } from './RoomScreen.tsx'
import { Welcome } from './Welcome.tsx'

interface Props {
  user: User
  openRoomId: string | undefined
  onHome: () => void
  onLogout: () => void
}

export function Panel({ user, openRoomId, onHome, onLogout }: Props) {
  const status = useStore(roomsStore, (state) => state.status)
  const room = useStore(roomsStore, ({ rooms }) => rooms.get(openRoomId ?? ''))
  const person = useStore(peopleStore, ({ people }) => people.get((room && peerIdOf(room)) ?? ''))
  if (!openRoomId) return <Welcome user={user} onLogout={onLogout} />
  if (room && person && room.state === 'accepted')
    return <RoomScreen room={room} person={person} canSend={hasRight(user.subscriptionTier, 'send')} onBack={onHome} />
  if (room && person) return <RequestPanel room={room} person={person} onLeave={onHome} />
  if (status === 'loading') return <Spinner words="Loading contacts..." />
  return (
    <div className="centre" role="alert">
      <Empty icon={CircleAlert} title="Contact data error" text="Unable to load contact information">
        <button type="button" className="btn outline" onClick={onHome}>
          Go Back
        </button>
      </Empty>
    </div>
  )
}
