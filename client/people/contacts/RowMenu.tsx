import {
  Ban,
  Copy,
  Eraser,
  Flag,
  Images,
  LockKeyhole,
  LockKeyholeOpen,
  type LucideIcon,
  Pencil,
  Timer,
  Trash2,
  UserRound,
  UserRoundCheck,
  UserRoundX,
} from 'lucide-react'
import { lockChat } from '../../chat/chatlocks/relock.ts'
import { isTimable } from '../../chat/timers/isTimable.ts'
import type { DirectChat } from '../../rooms/list/members.ts'
import { isBlocked, isRequest } from '../../rooms/list/room.ts'
import { isShutRow } from '../../rooms/list/roomList.ts'
import { openDetails } from '../../rooms/trust/details.ts'
import { nameOf } from '../../rooms/trust/people.ts'
import { useEnv } from '../../ui/env.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { useCopy } from '../../ui/useCopy.tsx'
import { type Act, askAct } from './acts.ts'
import { markItems, muteItem } from './markItems.tsx'
import { useAnswer } from './Request.tsx'

interface Props {
  chat: DirectChat
  at: { x: number; y: number }
  onOpen: (chatRoomId: string) => void
  onClose: () => void
}

/** What can be done with a direct room of the list. */
export function RowMenu({ chat: { room, person }, at, onOpen, onClose }: Props) {
  const env = useEnv()
  const { accept, decline } = useAnswer(room, person, onOpen)
  const handle = `@${person.username}`
  const { copy } = useCopy(handle)
  const show = () => {
    openDetails(room.id)
    onOpen(room.id)
  }
  // A chat is locked again when its screen is left: it is opened there.
  const unlock = () => {
    onOpen(room.id)
    askAct('unlock', room.id)
  }
  const asks = (icon: LucideIcon, label: string, act: Act) => ({ icon, label, onSelect: () => askAct(act, room.id) })
  const block = isBlocked(room) ? asks(Ban, 'Unblock', 'unblock') : asks(Ban, 'Block', 'block')
  const report = asks(Flag, 'Report', 'report')
  const ofRequest = [
    { icon: UserRoundCheck, label: 'Accept', onSelect: accept },
    { icon: UserRoundX, label: 'Ignore', onSelect: decline },
    block,
    report,
  ]
  const ofLiving = [
    { icon: UserRound, label: 'Contact details', onSelect: show },
    { icon: Copy, label: `Copy ${handle}`, onSelect: copy },
    asks(Pencil, 'Change the name', 'name'),
  ]
  function lockItems() {
    if (room.lock === 'open') return [{ icon: LockKeyhole, label: 'Lock now', onSelect: () => void lockChat(env, room) }]
    if (room.lock === 'none') return person.isDeleted ? [] : [asks(LockKeyhole, 'Set chat password', 'set_password')]
    if (room.lock === 'claimed') return [asks(LockKeyholeOpen, 'Open with your account', 'open_claimed')]
    return room.lock === 'shut' ? [{ icon: LockKeyholeOpen, label: 'Enter chat password', onSelect: unlock }] : []
  }
  const ofContact = [
    ...markItems(env, room, nameOf(person)),
    ...(person.isDeleted ? [] : [muteItem(env, room), ...ofLiving]),
    ...lockItems(),
    ...(isTimable(room) ? [asks(Timer, 'Disappearing messages', 'timer')] : []),
    ...(isShutRow(room)
      ? []
      : [
          asks(Images, 'Shared files', 'shared'),
          asks(Eraser, 'Clear chat', 'clear'),
          asks(Trash2, 'Delete chat', 'delete_chat'),
        ]),
    ...(person.isDeleted ? [] : [block, report]),
    asks(UserRoundX, 'Remove contact', 'remove'),
  ]
  const isAsking = isRequest(room)
  return (
    <Menu
      label={`Actions for ${isAsking ? handle : nameOf(person)}`}
      at={at}
      items={isAsking ? ofRequest : ofContact}
      onClose={onClose}
    />
  )
}
