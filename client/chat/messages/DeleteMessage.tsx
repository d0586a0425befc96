import type { Room } from '../../rooms/list/room.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { deleteForEveryone } from './edits.ts'
import { sendAndReport } from './sendOutcome.ts'
import type { ShownMessage } from './store.ts'

interface Props {
  room: Room
  message: ShownMessage
  onUpgrade: () => void
  onClose: () => void
}

/** Asks before a message is deleted for everyone. */
export function DeleteMessage({ room, message, onUpgrade, onClose }: Props) {
  const env = useEnv()
  return (
    <AlertDialog
      title="Delete for everyone?"
      text="Its words and its file leave the server and everybody’s browsers. One that is off deletes them when it connects. Nobody can take back what was read, copied or exported before."
      action="Delete for everyone"
      pendingAction="Deleting..."
      isPending={false}
      onConfirm={() => {
        onClose()
        void sendAndReport(() => deleteForEveryone(env, room, message), onUpgrade)
      }}
      onCancel={onClose}
    />
  )
}
