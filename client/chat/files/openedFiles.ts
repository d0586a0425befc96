import { createStore } from 'zustand/vanilla'
import type { FileContent } from '../../../contract/chat/content.ts'
import { roomsStore } from '../../rooms/list/roomList.ts'
import { isShut } from '../../rooms/list/roomLocks.ts'

/** A file of a message, with the room whose keys it hangs on. */
export interface Held {
  chatRoomId: string
  file: FileContent
}

interface Opened {
  chatRoomId: string
  url: string
  sizeBytes: number
}

/** Files that were opened, by the id of their object, and the part of each that has arrived, from 0 to 1. */
interface OpenedState {
  urls: ReadonlyMap<string, Opened>
  parts: Readonly<Record<string, number>>
}

export const openedStore = createStore<OpenedState>(() => ({ urls: new Map(), parts: {} }))

/** What was opened of a chat goes when the chat is locked, and everything when the account is closed. */
export function isShutAway(chatRoomId: string): boolean {
  const { rooms } = roomsStore.getState()
  return rooms.size === 0 || (rooms.has(chatRoomId) && isShut({ id: chatRoomId }))
}

roomsStore.subscribe(() => {
  const { urls } = openedStore.getState()
  const gone = [...urls].filter(([, { chatRoomId }]) => isShutAway(chatRoomId))
  if (gone.length === 0) return
  for (const [, { url }] of gone) URL.revokeObjectURL(url)
  const ids = new Set(gone.map(([id]) => id))
  openedStore.setState({ urls: new Map([...urls].filter(([id]) => !ids.has(id))) })
})
