import { lazy, Suspense } from 'react'
import { useStore } from 'zustand'
import type { User } from '../../contract/account/account.ts'
import { hasRight } from '../../contract/money/plans.ts'
import { isNotes, isRequest } from '../rooms/list/room.ts'
import { roomsStore } from '../rooms/list/roomList.ts'
import { useDirectChat } from '../rooms/list/useFace.tsx'
import { later } from '../ui/later.tsx'
import { Spinner } from '../ui/Spinner.tsx'
import { RoomScreen } from './RoomScreen.tsx'
import { useSeenMark } from './useSeenMark.tsx'

const RequestPanel = later(async () => (await import('../people/contacts/RequestPanel.tsx')).RequestPanel)
const NotesScreen = later(async () => (await import('./NotesScreen.tsx')).NotesScreen)
const NotShown = later(async () => (await import('./NotShown.tsx')).NotShown)
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
  useSeenMark(openRoomId)
  if (!openRoomId)
    return (
      <Suspense>
        <Welcome user={user} onClose={onClose} onList={onList} onAdd={onAdd} />
      </Suspense>
    )
  if (chat && isRequest(chat.room)) return <RequestPanel {...chat} onLeave={onClose} />
  const canSend = hasRight(user.subscriptionTier, 'send')
  if (chat) return <RoomScreen {...chat} canSend={canSend} onBack={onClose} />
  if (room && isNotes(room)) return <NotesScreen room={room} canSend={canSend} onBack={onClose} />
  if (status === 'loading') return <Spinner words="Loading contacts..." />
  return <NotShown room={room} onClose={onClose} />
}
