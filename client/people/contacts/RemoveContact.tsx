import { useState } from 'react'
import type { DirectChat } from '../../rooms/list/members.ts'
import { nameOf } from '../../rooms/trust/people.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { failureWords } from '../../ui/failure.ts'
import { showToast } from '../../ui/toast.ts'
import { removeContact } from './contacts.ts'
import { neighbourOf } from './neighbourOf.ts'

interface Props {
  chat: DirectChat
  /** Called before the row goes: the chat that it opens is closed. */
  onRemoved: (chatRoomId: string) => void
  onClose: () => void
}

/** Asks before a person is taken off the list. */
export function RemoveContact({ chat: { room, person }, onRemoved, onClose }: Props) {
  const env = useEnv()
  const [isPending, setPending] = useState(false)
  const name = nameOf(person)

  async function remove() {
    setPending(true)
    const focusNeighbour = neighbourOf(room.id)
    try {
      await removeContact(env, room, person.id)
      onClose()
      onRemoved(room.id)
      focusNeighbour()
    } catch (error) {
      setPending(false)
      showToast({ tone: 'bad', title: `${name} is still on your list`, text: failureWords(error) })
    }
  }

  return (
    <AlertDialog
      title={`Remove ${name}?`}
      text={`They leave your list, and the chat with them. They are not told, and no longer see when you are here. If they write again, that is a request.${
        room.lock === 'none' ? '' : ' The chat password goes with them, and your side of the history for good.'
      }`}
      action="Remove"
      pendingAction="Removing..."
      isPending={isPending}
      onConfirm={remove}
      onCancel={onClose}
    />
  )
}
