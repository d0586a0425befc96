import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { forgetMarks } from '../rooms/marks.ts'
import { loadOlderPage } from '../rooms/older.ts'
import type { Room } from '../rooms/room.ts'
import { catchUp } from '../rooms/rooms.ts'
import { seqOfDay } from './days.ts'
import { forgetWaits } from './outbox.ts'
import { flush, stopRetries } from './send.ts'
import { changeView, messagesStore, viewOf } from './store.ts'
import { refreshView, showFrom, showNewer, showNewest, showOlder } from './view.ts'

/** The seq to show when the room comes on screen, instead of its end. */
let pendingJump: { chatRoomId: string; seq: number } | undefined

/** Shows a room: first the vault's messages, then those it has missed. */
export async function showRoom(env: Env, room: Room): Promise<void> {
  const seq = pendingJump?.chatRoomId === room.id ? pendingJump.seq : undefined
  pendingJump = undefined
  messagesStore.setState({
    open: {
      chatRoomId: room.id,
      status: 'loading',
      messages: [],
      hasOlder: false,
      hasNewer: false,
      isLoadingOlder: false,
      isEncrypted: false,
      cursor: 0,
      waitsFor: '',
      anchor: null,
      newerCount: 0,
    },
  })
  try {
    await (seq === undefined ? showNewest(env, room) : showFrom(env, room, seq, 'middle'))
    await catchUp(env, room)
    if (viewOf(room)) await (seq === undefined ? showNewest : refreshView)(env, room)
    void flush(env, room)
  } catch (error) {
    if (viewOf(room)?.messages.length === 0) changeView(room, { status: 'failed' })
    if (!(error instanceof ApiError)) throw error
  }
}

export const hideRoom = (): void => messagesStore.setState({ open: null })

/** Clears the state, so that the next account does not see it. */
export function resetMessages(): void {
  pendingJump = undefined
  forgetMarks()
  forgetWaits()
  stopRetries()
  hideRoom()
}

/** Loads the page above the window, from the vault or else from the server. */
export async function loadOlder(env: Env, room: Room): Promise<void> {
  const view = viewOf(room)
  if (!view || view.isLoadingOlder || !view.hasOlder) return
  changeView(room, { isLoadingOlder: true })
  try {
    await showOlder(env, room, (before) => loadOlderPage(env, room, before))
  } finally {
    changeView(room, { isLoadingOlder: false })
  }
}

/** Loads the page below the window, which does not reach the newest message. */
export const loadNewer = (env: Env, room: Room): Promise<void> => showNewer(env, room)

export const jumpToNewest = (env: Env, room: Room): Promise<void> => showNewest(env, room)

/** Shows the conversation from the beginning of a day. Returns false if there is no message since then. */
export async function jumpToDay(env: Env, room: Room, dayStart: Date): Promise<boolean> {
  const seq = await seqOfDay(env, room, dayStart)
  if (seq === undefined) return false
  await showFrom(env, room, seq)
  return true
}

/** Shows a message with its neighbours: now if its room is on screen, or else when it is shown. */
export async function jumpToMessage(env: Env, room: Room, seq: number): Promise<void> {
  pendingJump = undefined
  if (viewOf(room)) await showFrom(env, room, seq, 'middle')
  else pendingJump = { chatRoomId: room.id, seq }
}
