import { ACT_LIMITS } from '../../../contract/chat/kinds/fold.ts'
import { isNotes } from '../../rooms/list/room.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { useEnv } from '../../ui/env.tsx'
import { moment } from '../../ui/time.ts'
import { canDeleteForMe, deleteForMe } from './deleteForMe.ts'
import { canDelete, deleteForEveryone } from './sendEdits.ts'
import { sendAndReport } from './sendOutcome.ts'
import type { ShownMessage } from './store.ts'

interface Props {
  room: RoomRow
  messages: ShownMessage[]
  onUpgrade: () => void
  onDeleted?: () => void
  onClose: () => void
}

const FOR_ME = 'Delete for me'
const FOR_ALL = 'Delete for everyone'

/** Asks for whom messages are deleted. What is not possible for all of them is not offered. */
export function DeleteMessage({ room, messages, onUpgrade, onDeleted, onClose }: Props) {
  const env = useEnv()
  const isOne = messages.length === 1
  const isForAll = messages.every((message) => canDelete(env, message))
  const isOwnNote = isNotes(room)
  // In the notes “for everyone” is enough; “for me” is offered once that is no longer allowed.
  const isForMe = !(isOwnNote && isForAll) && messages.every((message) => canDeleteForMe(room, message))
  const over = (work: () => void) => () => {
    onClose()
    onDeleted?.()
    work()
  }
  async function remove() {
    for (const message of messages) {
      const outcome = await sendAndReport(() => deleteForEveryone(env, room, message), onUpgrade)
      if (outcome === 'failed') return
    }
  }
  const forAll = { action: FOR_ALL, onConfirm: over(() => void remove()) }
  const forMe = { action: FOR_ME, onConfirm: over(() => deleteForMe(env, room, messages)) }
  const firstMs = Math.min(...messages.map(({ at, sentAt = at }) => Date.parse(sentAt)))
  const leaves = isOne ? 'it leaves' : 'they leave'
  const ofNotes = `${isOne ? 'It leaves' : 'They leave'} all your browsers. The server keeps what it has sealed.`
  const words = [
    isForAll &&
      `For everyone until ${moment(new Date(firstMs + ACT_LIMITS.deleteMs))}: ${isOne ? 'its words and its file' : 'their words and their files'} leave the server and everybody’s browsers, one that is off when it connects. What was read, copied or exported before is not taken back.`,
    isForMe &&
      (isOwnNote ? ofNotes : `For you: ${leaves} your browsers. The others keep theirs, and the server what it has sealed.`),
  ]
  return (
    <AlertDialog
      title={isOne ? 'Delete this message?' : `Delete ${messages.length} messages?`}
      text={words.filter(Boolean).join(' ')}
      {...(isForAll ? forAll : forMe)}
      {...(isForAll && isForMe && { other: forMe })}
      pendingAction="Deleting..."
      isPending={false}
      onCancel={onClose}
    />
  )
}
