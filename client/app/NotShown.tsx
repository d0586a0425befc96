import { CircleAlert } from 'lucide-react'
import { useStore } from 'zustand'
import { faceOf } from '../rooms/list/members.ts'
import type { RoomRow } from '../rooms/list/roomList.ts'
import { peopleStore } from '../rooms/trust/people.ts'
import { Empty } from '../ui/Empty.tsx'

interface Props {
  /** A room of several people; undefined if there is none at this address. */
  room?: RoomRow | undefined
  /** True where the address names no chat either. */
  isPage?: boolean
  onClose: () => void
}

/** Stands in the place of a chat that cannot be shown. */
export function NotShown({ room, isPage = false, onClose }: Props) {
  const name = useStore(peopleStore, ({ people }) => room && faceOf(room, people)?.name)
  const [title, text] = isPage
    ? ['Page not found', 'Nothing is at this address. Your chats are where they were.']
    : name !== undefined && room && !room.direct
      ? [name, 'This version shows no chats of several people.']
      : ['Contact data error', 'Unable to load contact information']
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
