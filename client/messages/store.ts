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
  /** The message to bring to the top of the screen, after a jump to a day. */
  anchorId: string | null
  /** Arrived while the window does not reach the newest message. */
  newerCount: number
}

export interface MessagesState {
  /** The room on screen. */
  open: RoomView | null
}

export const messagesStore = createStore<MessagesState>(() => ({ open: null }))
