import { CircleAlert } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { hasRight } from '../../contract/money/plans.ts'
import { isRequest } from '../rooms/list/room.ts'
import { type RoomRow, roomsStore } from '../rooms/list/roomList.ts'
import { useDirectChat, useFace } from '../rooms/list/useFace.tsx'
import { Empty } from '../ui/Empty.tsx'
import { later } from '../ui/later.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { RoomScreen } from './RoomScreen.tsx'

const RequestPanel = later(async () => (await import('../people/contacts/RequestPanel.tsx')).RequestPanel)
const Welcome = lazy(async () => ({ default: (await import('./Welcome.tsx')).Welcome }))

interface Props {
  user: User
  openRoomId: string | undefined
  /** Closes the chat. */
  onClose: () => void
  /** Leads from the welcome to the list, where a phone shows one of the two. */
  onList: (() => void) | undefined
  onAdd: () => void
}

export function Panel({ user, openRoomId, onClose, onList, onAdd }: Props) {
  const status = useStore(roomsStore, (state) => state.status)
  const room = useStore(roomsStore, ({ rooms }) => rooms.get(openRoomId ?? ''))
  const chat = useDirectChat(room)
  if (!openRoomId)
    return (
      <Suspense>
        <Welcome user={user} onList={onList} onAdd={onAdd} />
      </Suspense>
    )
  if (chat && isRequest(chat.room)) return <RequestPanel {...chat} onLeave={onClose} />
  if (chat) return <RoomScreen {...chat} canSend={hasRight(user.subscriptionTier, 'send')} onBack={onClose} />
  if (status === 'loading') return <Spinner words="Loading contacts..." />
  if (room && !room.direct) return <SeveralPeople room={room} onClose={onClose} />
  return <NotShown title="Contact data error" text="Unable to load contact information" onClose={onClose} />
}

/** A room that is not direct. */
function SeveralPeople({ room, onClose }: { room: RoomRow; onClose: () => void }) {
  const name = useFace(room)?.name ?? ''
  return <NotShown title={name} text="This version shows no chats of several people." onClose={onClose} />
}

function NotShown({ title, text, onClose }: { title: string; text: string; onClose: () => void }) {
  return (
    <div className="centre" role="alert">
      <Empty icon={CircleAlert} title={title} text={text}>
        <button type="button" className="btn outline" onClick={onClose}>
          Go Back
        </button>
      </Empty>
    </div>
  )
}
