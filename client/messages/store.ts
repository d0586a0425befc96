import { createStore } from 'zustand/vanilla'

export type MessageBody =
  | { kind: 'text'; text: string }
  /** Sent without encryption by a program: shown under a red "Not encrypted" mark. */
  | { kind: 'plain'; text: string }
  | { kind: 'unreadable'; reason: string }
  /** A line of the conversation itself, such as "Encryption restarted". */
  | { kind: 'notice'; text: string }

export interface ShownMessage {
  id: string
  /** null while the server has not placed it yet. */
  seq: number | null
  isMine: boolean
  /** ISO 8601; the server's time once it has one. */
  at: string
  /** Own messages only. `waiting`: kept here until the reason passes; `failed`: the person decides. */
  status: 'sending' | 'waiting' | 'failed' | 'sent' | 'delivered' | 'read' | null
  /** Why it waits or failed, in words. */
  reason: string | null
  body: MessageBody
  /** Its sender saw another conversation than this device: the server dropped or reordered messages before it [Note: M5]. */
  isOutOfPlace: boolean
}

export interface Anchor {
  id: string
  /** A day begins at the top of the screen; what was searched for stands in the middle and is marked for a moment. */
  place: 'top' | 'middle'
}

export interface RoomView {
  chatRoomId: string
  status: 'loading' | 'ready' | 'failed'
  /** A window of the room, oldest first; unsent messages of this device come last. */
  messages: ShownMessage[]
  hasOlder: boolean
  hasNewer: boolean
  isLoadingOlder: boolean
  /** The room's keys are in place on this device: with a connection, the "Encrypted" badge shows. */
  isEncrypted: boolean
  /** The message to bring into view, after a jump: a new object for each jump. */
  anchor: Anchor | null
  /** Arrived while the window does not reach the newest message. */
  newerCount: number
}

export interface MessagesState {
  /** The room on screen. */
  open: RoomView | null
}

export const messagesStore = createStore<MessagesState>(() => ({ open: null }))

/** What the screen shows of a room; undefined where another room or none is on screen. */
export function viewOf(room: { id: string }): RoomView | undefined {
  const { open } = messagesStore.getState()
  return open?.chatRoomId === room.id ? open : undefined
}

/** Changes what the screen shows of a room; nothing where it is not on screen. */
export function changeView(room: { id: string }, change: Partial<RoomView>): void {
  const view = viewOf(room)
  if (view) messagesStore.setState({ open: { ...view, ...change } })
}
