import { createStore } from 'zustand/vanilla'
import type { FileContent } from '../../../contract/chat/content.ts'
import type { Kind } from '../../../contract/chat/kinds/rules.ts'
import type { Range } from './textPieces.ts'

/** What the timeline needs of each kind of content. */
interface ShownKinds {
  text: { text: string }
  /** `text` is its caption. */
  file: { file: FileContent; text: string; chatRoomId: string }
}

/** Content of a kind that this build knows. */
export type ShownContent<K extends Kind = Kind> = { [P in K]: { kind: P } & ShownKinds[P] }[K]

type OtherBody =
  /** A program's plain text, which is shown with a red "Not encrypted" mark. */
  | { kind: 'plain'; text: string }
  | { kind: 'unreadable'; reason: string }
  /** Of a kind that only a newer build knows; `text` says so. */
  | { kind: 'unsupported'; text: string }
  /** A notice in the conversation, such as "Encryption restarted". A quiet one is not announced, and stands once for all in a row. */
  | { kind: 'notice'; text: string; isQuiet?: true }

export type MessageBody = ShownContent | OtherBody

export type BodyKind = Kind | OtherBody['kind']

export type BodyOf<K extends BodyKind> = Extract<MessageBody, { kind: K }>

export interface ShownMessage {
  id: string
  /** null until the server has stored it. */
  seq: number | null
  isMine: boolean
  /** ISO 8601; the server's time once it has one. */
  at: string
  /** null for messages of others. `waiting`: sent again by itself. `failed`: the person retries or deletes it. */
  status: 'sending' | 'waiting' | 'failed' | 'sent' | 'delivered' | 'read' | null
  /** Text that explains `waiting` or `failed`. */
  reason: string | null
  body: MessageBody
  /** True if the sender's view of the log differs from ours: the server dropped or reordered earlier messages [Note: M5]. */
  isOutOfPlace: boolean
  /** True if the browser that signed it has been removed from its account since [Note: H3]. */
  isRemovedSince?: boolean
  /** When its author sent it, ISO 8601, where the server's time is far from that. */
  sentAt?: string
  /** Other browsers of this account will not read it [Note: H1]. */
  isArchiveWrong?: boolean
  /** True if it came with a page of older messages, whose remarks are shown as details. */
  isOlder?: boolean
}

export interface Anchor {
  id: string
  /**
   * `top` for the first message of a day; `middle` for a search result, which is also highlighted for a moment; `match` for one of
   * the search inside the chat, which keeps the focus; `unread` for the first unread message.
   */
  place: 'top' | 'middle' | 'match' | 'unread'
}

/** What was unread when the room came on screen, or came while nobody looked: the line "12 new messages" stands above it. */
export interface Fresh {
  /** The seq that had been read. */
  after: number
  count: number
}

/** What the search inside the chat has found: the ranges of the words by message id, and the match that is shown. */
export interface Matches {
  ranges: ReadonlyMap<string, readonly Range[]>
  currentId: string | undefined
}

export interface RoomView {
  chatRoomId: string
  status: 'loading' | 'ready' | 'failed'
  /** A window of the room's messages, oldest first, with this device's unsent messages at the end. */
  messages: ShownMessage[]
  hasOlder: boolean
  hasNewer: boolean
  isLoadingOlder: boolean
  /** True if this device has the room's keys. The "Encrypted" badge shows if it is also connected. */
  isEncrypted: boolean
  /** The seq of the log up to which the view was read; it shows all messages to there if it has the newest. */
  cursor: number
  /** What unreadable messages waited for when the window was read. */
  waitsFor: string
  /** The message to scroll to after a jump. Each jump makes a new object. */
  anchor: Anchor | null
  /** True once the window stands where the opening or the person wanted it: the end of a catch-up does not move it then. */
  isPlaced: boolean
  /** True until the room has caught up: what is scrolled past meanwhile does not count as read. */
  isOpening: boolean
  /** True while the newest message of the window is on screen. */
  isAtEnd: boolean
  fresh: Fresh | null
  matches: Matches | null
}

export interface MessagesState {
  /** The room on screen. */
  open: RoomView | null
}

export const messagesStore = createStore<MessagesState>(() => ({ open: null }))

/** The view of a room; undefined if it is not on screen. */
export function viewOf(room: { id: string }): RoomView | undefined {
  const { open } = messagesStore.getState()
  return open?.chatRoomId === room.id ? open : undefined
}

/** Changes the view of a room, if it is on screen. */
export function changeView(room: { id: string }, change: Partial<RoomView>): void {
  const view = viewOf(room)
  if (view) messagesStore.setState({ open: { ...view, ...change } })
}
