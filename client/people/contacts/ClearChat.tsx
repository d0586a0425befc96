import { TriangleAlert } from 'lucide-react'
import { clearChat } from '../../chat/messages/clear.ts'
import type { DirectRow } from '../../rooms/list/roomList.ts'
import { nameOf, type Person } from '../../rooms/trust/people.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { Note } from '../../ui/Note.tsx'
import { showToast } from '../../ui/toast.ts'
import { useAct } from '../../ui/useAct.tsx'

/** Asks before a chat is cleared. */
export function ClearChat({ room, person, onClose }: { room: DirectRow; person: Person; onClose: () => void }) {
  const env = useEnv()
  const name = nameOf(person)
  const { act, isPending } = useAct()
  async function clear() {
    await clearChat(env, room)
    onClose()
    showToast({ tone: 'good', title: 'Chat Cleared', text: `${name} keeps theirs.` })
  }
  return (
    <AlertDialog
      title="Clear chat history"
      text={`All messages with ${name} up to now leave all of your browsers and the archive. ${name} keeps theirs, and is not told.`}
      action="Clear chat"
      pendingAction="Clearing..."
      isPending={isPending}
      onConfirm={() => void act({ run: clear, failed: 'Error', words: 'Failed to clear chat history' })}
      onCancel={onClose}
    >
      <Note icon={TriangleAlert} tone="danger">
        They are deleted permanently. This cannot be undone.
      </Note>
    </AlertDialog>
  )
}
