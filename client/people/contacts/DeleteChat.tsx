import { deleteChat } from '../../chat/messages/deleteChat.ts'
import type { DirectRow } from '../../rooms/list/roomList.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { showToast } from '../../ui/toast.ts'
import { useAct } from '../../ui/useAct.tsx'
import { neighbourOf } from './neighbourOf.ts'

interface Props {
  room: DirectRow
  person: Person
  /** Called before the row goes: the chat that it opens is closed. */
  onGone: (chatRoomId: string) => void
  onClose: () => void
}

/** Asks before a chat is cleared and taken off the list. */
export function DeleteChat({ room, person, onGone, onClose }: Props) {
  const env = useEnv()
  const name = nameOf(person)
  const { act, isPending } = useAct()
  async function remove() {
    const focusNeighbour = neighbourOf(room.id)
    await deleteChat(env, room, () => onGone(room.id))
    onClose()
    focusNeighbour()
    showToast({ tone: 'good', title: 'Chat deleted', text: `${name} keeps theirs, and stays your contact.` })
  }
  return (
    <AlertDialog
      title={`Delete the chat with ${name}?`}
      text={`All messages up to now leave all of your browsers and the archive for good, and the chat leaves your list. ${name} keeps theirs, is not told, and stays your contact: the chat is back with the next message, or when you search for the name and open it.`}
      action="Delete chat"
      pendingAction="Deleting..."
      isPending={isPending}
      onConfirm={() => void act({ run: remove, failed: 'The chat was not deleted', words: 'Try again' })}
      onCancel={onClose}
    />
  )
}
