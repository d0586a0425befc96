import type { Hide } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { lookSoon } from '../../rooms/list/lifetimes.ts'
import { isMarkable, loadMarks } from '../../rooms/list/marks.ts'
import { notesRoom, openNotes } from '../../rooms/list/notes.ts'
import { type RoomRow, roomById } from '../../rooms/list/roomList.ts'
import { holdPage, untilKept } from '../../rooms/list/unkeptDrafts.ts'
import { failureWords } from '../../ui/failure.ts'
import { dismissToast, showToast, toastStore } from '../../ui/toast.ts'
import { leavingStore } from './leavingMessages.ts'
import { refreshRoom } from './messageWindow.ts'
import { keyOf } from './selection.ts'
import { flush } from './send.ts'
import type { ShownMessage } from './store.ts'

/** False for what the server does not have yet. */
export const canDeleteForMe = (room: RoomRow, { seq, senderId, body }: ShownMessage): boolean =>
  isMarkable(room) && seq !== null && senderId !== undefined && !['unreadable', 'notice'].includes(body.kind)

/**
 * Takes the messages off the screen. They are deleted once the toast that offers to undo it is gone, or nobody looks at the page: a page
 * may end without another event.
 */
export function deleteForMe(env: Env, room: RoomRow, messages: ShownMessage[]): void {
  const keys = new Set(messages.map(keyOf))
  let isTaken = false
  const undo = () => {
    isTaken = true
    showAgain(keys)
  }
  leavingStore.setState((state) => ({ keys: new Set([...state.keys, ...keys]) }))
  // A page that closes has no time to make them.
  openNotes(env).catch(() => undefined)
  const isOne = messages.length === 1
  showToast({
    tone: 'plain',
    title: isOne ? 'Message deleted' : `${messages.length} messages deleted`,
    text: 'For you, in all your browsers.',
    action: { words: 'Undo', run: undo },
  })
  const page = new AbortController()
  function finish() {
    if (page.signal.aborted) return
    page.abort()
    off()
    if (isTaken) return
    hide(env, room, messages)
      .catch((error: unknown) => {
        const title = isOne ? 'The message was not deleted' : 'The messages were not deleted'
        showToast({ tone: 'bad', title, text: failureWords(error) })
      })
      .finally(() => showAgain(keys))
  }
  const told = () => toastStore.getState().queue.find(({ action }) => action?.run === undo)
  const leave = () => {
    const toast = told()
    finish()
    if (toast) dismissToast(toast.id)
  }
  const off = toastStore.subscribe(() => told() ?? finish())
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && leave(), page)
  // Capturing, before the worker is ended.
  addEventListener(
    'pagehide',
    () => {
      leave()
      holdPage()
    },
    { capture: true, signal: page.signal },
  )
  if (!told()) finish()
}

const showAgain = (keys: ReadonlySet<string>) =>
  leavingStore.setState((state) => ({ keys: new Set([...state.keys].filter((key) => !keys.has(key))) }))

/** Deletes them here, and by the notes in the account's other browsers. Throws ApiError, CryptoFailure. */
export async function hide(env: Env, room: RoomRow, messages: ShownMessage[]): Promise<void> {
  const hides = messages.flatMap(({ senderId, id, seq }): Hide[] =>
    senderId !== undefined && seq !== null ? [{ type: 'hide', room: room.id, target: { senderId, id }, at: seq }] : [],
  )
  // Asked before anything is awaited: a closing page awaits nothing.
  const keep = () => untilKept(env.crypto.hideMessages({ hides, sentAt: env.clock().toISOString() }))
  let notes = notesRoom()
  const kept = notes && keep()
  notes ??= roomById(await openNotes(env))
  if (!notes) throw new Error('The notes are not in the list')
  await (kept ?? keep())
  await loadMarks(env)
  // What was begun at them goes too.
  lookSoon(room.id)
  await refreshRoom(env, room)
  await flush(env, notes)
}
