import { Copy, UserRound, UserRoundCheck, UserRoundX } from 'lucide-react'
import { openDetails } from '../trust/details.ts'
import { nameOf } from '../trust/people.ts'
import { Menu } from '../ui/Menu.tsx'
import { useCopy } from '../ui/useCopy.tsx'
import { useAnswer } from './Request.tsx'
import type { ListRow } from './VirtualRows.tsx'

interface Props {
  row: ListRow
  at: { x: number; y: number }
  onOpen: (chatRoomId: string) => void
  onRemove: () => void
  onClose: () => void
}

/** What can be done with a row of the list. */
export function RowMenu({ row: { room, person }, at, onOpen, onRemove, onClose }: Props) {
  const { accept, decline } = useAnswer(room, person, onOpen)
  const handle = `@${person.username}`
  const { copy } = useCopy(handle)
  const show = () => {
    openDetails(room.id)
    onOpen(room.id)
  }
  const ofRequest = [
    { icon: UserRoundCheck, label: 'Accept', onSelect: accept },
    { icon: UserRoundX, label: 'Ignore', onSelect: decline },
  ]
  const ofLiving = [
    { icon: UserRound, label: 'Contact details', onSelect: show },
    { icon: Copy, label: `Copy ${handle}`, onSelect: copy },
  ]
  const ofContact = [...(person.isDeleted ? [] : ofLiving), { icon: UserRoundX, label: 'Remove contact', onSelect: onRemove }]
  const isRequest = room.state === 'pending'
  return (
    <Menu
      label={`Actions for ${isRequest ? handle : nameOf(person)}`}
      at={at}
      items={isRequest ? ofRequest : ofContact}
      onClose={onClose}
    />
  )
}
