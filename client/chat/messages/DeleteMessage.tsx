import type { Room } from '../../rooms/list/room.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { deleteForEveryone } from './sendEdits.ts'
import { sendAndReport } from './sendOutcome.ts'
import type { ShownMessage } from './store.ts'

interface Props {
  room: Room
  messages: ShownMessage[]
  onUpgrade: () => void
  onDeleted?: () => void
  onClose: () => void
}

/** Asks before messages are deleted for everyone. */
export function DeleteMessage({ room, messages, onUpgrade, onDeleted, onClose }: Props) {
  const env = useEnv()
  const isOne = messages.length === 1
  async function remove() {
    for (const message of messages) {
      const outcome = await sendAndReport(() => deleteForEveryone(env, room, message), onUpgrade)
      if (outcome === 'failed') return
    }
  }
  return (
    <AlertDialog
      title={isOne ? 'Delete for everyone?' : `Delete ${messages.length} messages for everyone?`}
      text={`${isOne ? 'Its words and its file' : 'Their words and their files'} leave the server and everybody’s browsers. One that is off deletes them when it connects. Nobody can take back what was read, copied or exported before.`}
      action="Delete for everyone"
      pendingAction="Deleting..."
      isPending={false}
      onConfirm={() => {
        onClose()
        onDeleted?.()
        void remove()
      }}
      onCancel={onClose}
    />
  )
}
