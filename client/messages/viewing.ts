import type { Env } from '../env.ts'
import { refreshPreview } from '../rooms/preview.ts'
import { type ContactRow, contactOfRoom } from '../rooms/rows.ts'
import { forgetMarks } from './marks.ts'
import { forgetWaits } from './outbox.ts'
import { messagesStore, type RoomView } from './store.ts'
import { refreshView, type Viewer } from './view.ts'

let viewer: Viewer | undefined

/** Who looks at the messages; undefined before sign-in. */
export const currentViewer = (): Viewer | undefined => viewer

/** Set once an account is open, and undefined when it is closed: nothing of one account is left for the next. */
export function viewAs(userId: string | undefined): void {
  viewer = userId === undefined ? undefined : { userId }
  forgetMarks()
  forgetWaits()
  if (!viewer) messagesStore.setState({ open: null })
}

/** The contact whose room is on screen. */
export const openRow = (): ContactRow | undefined => {
  const open = messagesStore.getState().open
  return open ? contactOfRoom(open.chatRoomId) : undefined
}

export const isOpen = (chatRoomId: string): boolean => messagesStore.getState().open?.chatRoomId === chatRoomId

export function changeOpen(change: Partial<RoomView>): void {
  messagesStore.setState(({ open }) => ({ open: open && { ...open, ...change } }))
}

/** Says anew what the vault holds of a room: in its row, and on screen where it is open. */
export async function refreshRoom(env: Env, chatRoomId: string): Promise<void> {
  const contact = contactOfRoom(chatRoomId)
  if (!contact || !viewer) return
  await refreshPreview(env, chatRoomId, viewer.userId)
  if (isOpen(chatRoomId)) await refreshView(env, contact, viewer)
}

/** The page is in front of somebody. */
export const isLookedAt = (): boolean =>
  typeof document === 'undefined' || (document.visibilityState === 'visible' && document.hasFocus())
