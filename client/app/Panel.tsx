import { CircleAlert } from 'lucide-react'
import { useStore } from 'zustand'
import type { User } from '../../contract/account.ts'
import { hasRight } from '../../contract/plans.ts'
import { RequestPanel } from '../contacts/Request.tsx'
import { contactsStore } from '../rooms/rows.ts'
import { Empty } from '../ui/Empty.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { Room } from './Room.tsx'
import { Welcome } from './Welcome.tsx'

interface Props {
  user: User
  openRoomId: string | undefined
  onHome: () => void
  onLogout: () => void
}

export function Panel({ user, openRoomId, onHome, onLogout }: Props) {
  const { status, rows } = useStore(contactsStore)
  if (!openRoomId) return <Welcome user={user} onLogout={onLogout} />
  const row = rows.find((candidate) => candidate.chatRoomId === openRoomId)
  if (row?.state === 'accepted') return <Room row={row} canSend={hasRight(user.subscriptionTier, 'send')} onBack={onHome} />
  if (row) return <RequestPanel row={row} onLeave={onHome} />
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
