import { CircleAlert } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { hasRight } from '../../contract/money/plans.ts'
import { RequestPanel } from '../people/contacts/Request.tsx'
import { peerIdOf } from '../rooms/list/room.ts'
import { roomsStore } from '../rooms/list/roomList.ts'
import { peopleStore } from '../rooms/trust/people.ts'
import { Empty } from '../ui/Empty.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { RoomScreen } from './RoomScreen.tsx'

const Welcome = lazy(async () => ({ default: (await import('./Welcome.tsx')).Welcome }))

interface Props {
  user: User
  openRoomId: string | undefined
  /** Closes the conversation. */
  onClose: () => void
  /** Leads from the welcome to the list, where a phone shows one of the two. */
  onList: (() => void) | undefined
  onAdd: () => void
  onLogout: () => void
}

export function Panel({ user, openRoomId, onClose, onList, onAdd, onLogout }: Props) {
  const status = useStore(roomsStore, (state) => state.status)
  const room = useStore(roomsStore, ({ rooms }) => rooms.get(openRoomId ?? ''))
  const person = useStore(peopleStore, ({ people }) => people.get((room && peerIdOf(room)) ?? ''))
  if (!openRoomId)
    return (
      <Suspense>
        <Welcome user={user} onList={onList} onAdd={onAdd} onLogout={onLogout} />
      </Suspense>
    )
  if (room && person && room.state === 'accepted')
    return <RoomScreen room={room} person={person} canSend={hasRight(user.subscriptionTier, 'send')} onBack={onClose} />
  if (room && person) return <RequestPanel room={room} person={person} onLeave={onClose} />
  if (status === 'loading') return <Spinner words="Loading contacts..." />
  return (
    <div className="centre" role="alert">
      <Empty icon={CircleAlert} title="Contact data error" text="Unable to load contact information">
        <button type="button" className="btn outline" onClick={onClose}>
          Go Back
        </button>
      </Empty>
    </div>
  )
}
