import type { Hide } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { isMarkable } from '../../rooms/list/marks.ts'
import { isNotes } from '../../rooms/list/room.ts'
import type { RoomRow } from '../../rooms/list/roomList.ts'
import { failureWords } from '../../ui/failure.ts'
import { showToast, toastStore } from '../../ui/toast.ts'
import { leavingStore } from './leavingMessages.ts'
import { refreshRoom } from './messageWindow.ts'
import { keyOf } from './selection.ts'
import { keepMarks } from './setMark.ts'
import type { ShownMessage } from './store.ts'

/** False for what the server does not have yet. In the notes nobody else has anything. */
export const canDeleteForMe = (room: RoomRow, { seq, senderId, body }: ShownMessage): boolean =>
  isMarkable(room) && !isNotes(room) && seq !== null && senderId !== undefined && !['unreadable', 'notice'].includes(body.kind)

/** Takes the messages off the screen. They are deleted once the toast that offers to undo it is gone. */
export function deleteForMe(env: Env, room: RoomRow, messages: ShownMessage[]): void {
  const keys = new Set(messages.map(keyOf))
  let isTaken = false
  const undo = () => {
    isTaken = true
    showAgain(keys)
  }
  leavingStore.setState((state) => ({ keys: new Set([...state.keys, ...keys]) }))
  const isOne = messages.length === 1
  showToast({
    tone: 'plain',
    title: isOne ? 'Message deleted' : `${messages.length} messages deleted`,
    text: 'For you, in all your browsers.',
    action: { words: 'Undo', run: undo },
  })
  function finish() {
    off()
    removeEventListener('pagehide', finish)
    if (isTaken) return
    hide(env, room, messages)
      .catch((error: unknown) => {
        const title = isOne ? 'The message was not deleted' : 'The messages were not deleted'
        showToast({ tone: 'bad', title, text: failureWords(error) })
      })
      .finally(() => showAgain(keys))
  }
  const off = toastStore.subscribe(({ queue }) => {
    if (!queue.some(({ action }) => action?.run === undo)) finish()
  })
  addEventListener('pagehide', finish)
  if (!toastStore.getState().queue.some(({ action }) => action?.run === undo)) finish()
}

const showAgain = (keys: ReadonlySet<string>) =>
  leavingStore.setState((state) => ({ keys: new Set([...state.keys].filter((key) => !keys.has(key))) }))

/** Deletes them here, and by the notes in the account's other browsers. Throws ApiError, CryptoFailure. */
export async function hide(env: Env, room: RoomRow, messages: ShownMessage[]): Promise<void> {
  const hides = messages.flatMap(({ senderId, id, seq }): Hide[] =>
    senderId !== undefined && seq !== null ? [{ type: 'hide', room: room.id, target: { senderId, id }, at: seq }] : [],
  )
  await keepMarks(env, hides, async () => {
    await env.crypto.hideMessages(hides)
    await refreshRoom(env, room)
  })
}
