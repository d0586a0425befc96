import { createStore } from 'zustand/vanilla'
import type { FileContent } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { isShut, roomsStore } from '../../rooms/list/roomList.ts'

/** The file's keys belong to the room. */
export interface Held {
  chatRoomId: string
  file: FileContent
  /** In the server's place, of a file that no server has. */
  read?: (env: Env) => Promise<Blob>
}

export interface Opened {
  chatRoomId: string
  url: string
  sizeBytes: number
}

/** By object id; parts from 0 to 1. */
interface OpenedState {
  urls: ReadonlyMap<string, Opened>
  parts: Readonly<Record<string, number>>
}

export const openedStore = createStore<OpenedState>(() => ({ urls: new Map(), parts: {} }))

/** A locked chat or a closed account drops the opened files. */
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
