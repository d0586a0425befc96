import { useStore } from 'zustand'
import { MuteDialog } from '../../alerts/notifications/MuteDialog.tsx'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { useDirectChat } from '../../rooms/list/useFace.tsx'
import { nameOf } from '../../rooms/trust/people.ts'
import { later } from '../../ui/later.tsx'
import { actStore, endAct } from './acts.ts'
import { BlockContact, UnblockContact } from './BlockContact.tsx'
import { ClearChat } from './ClearChat.tsx'
import { DeleteChat } from './DeleteChat.tsx'
import { NameContact } from './NameContact.tsx'
import { RemoveContact } from './RemoveContact.tsx'
import { ReportContact } from './ReportContact.tsx'

const SharedFiles = later(async () => (await import('../../chat/gallery/SharedFiles.tsx')).SharedFiles)
const StarredDialog = later(async () => (await import('../../chat/stars/StarredDialog.tsx')).StarredDialog)
const TimerDialog = later(async () => (await import('../../chat/timers/TimerDialog.tsx')).TimerDialog)
const ChatLockActs = later(async () => (await import('../../chat/chatlocks/ChatLockActs.tsx')).ChatLockActs)

/** Called after a person has left the list: the chat with them is closed where it is open. */
interface Props {
  onGone: (chatRoomId: string) => void
}

/** Asks about what is to be done with a contact, from the row's menu, the contact panel or the palette. */
export function ContactActs({ onGone }: Props) {
  const asked = useStore(actStore, (state) => state.asked)
  const room = useStore(roomsStore, ({ rooms }) => rooms.get(asked?.chatRoomId ?? ''))
  const chat = useDirectChat(room)
  if (!asked || !chat) return null
  const about = { ...chat, onClose: endAct }
  if (asked.act === 'shared') return <SharedFiles {...about} />
  if (asked.act === 'starred') return <StarredDialog room={chat.room} onClose={endAct} />
  if (asked.act === 'name') return <NameContact {...about} />
  if (asked.act === 'mute') return <MuteDialog room={chat.room} name={nameOf(chat.person)} onClose={endAct} />
  if (asked.act === 'timer') return <TimerDialog room={chat.room} onClose={endAct} />
  if (asked.act === 'clear') return <ClearChat {...about} />
  if (asked.act === 'delete_chat') return <DeleteChat {...about} onGone={onGone} />
  if (asked.act === 'block') return <BlockContact {...about} onGone={onGone} />
  if (asked.act === 'unblock') return <UnblockContact {...about} />
  if (asked.act === 'report') return <ReportContact {...about} />
  if (asked.act === 'remove') return <RemoveContact chat={chat} onRemoved={onGone} onClose={endAct} />
  return <ChatLockActs act={asked.act} {...about} />
}
