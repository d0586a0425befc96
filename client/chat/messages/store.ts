import { createStore } from 'zustand/vanilla'
import type { CallContent, FileContent, OnceContent, Quote, TransferContent } from '../../../contract/chat/content.ts'
import type { Pinned } from '../../../contract/chat/kinds/pin.ts'
import type { Kind } from '../../../contract/chat/kinds/rules.ts'
import type { Range } from '../../ui/textPieces.ts'

interface ShownKinds {
  text: { text: string; quote?: Quote | undefined; isForwarded?: true | undefined }
  /** `text` is the caption. */
  file: { file: FileContent; text: string; chatRoomId: string }
  call: { call: CallContent; text: string; chatRoomId: string }
  /** `text` is the name. */
  transfer: { transfer: TransferContent; text: string; chatRoomId: string }
  /** `text` follows the name of who set it. */
  timer: { text: string }
  once: { once: OnceContent; text: string; chatRoomId: string }
}

export type ShownContent<K extends Kind = Kind> = { [P in K]: { kind: P } & ShownKinds[P] }[K]

type OtherBody =
  /** A program's plain text with a red "Not encrypted" mark. */
  | { kind: 'plain'; text: string }
  | { kind: 'deleted'; text: string }
  | { kind: 'unreadable'; reason: string }
  | { kind: 'unsupported'; text: string }
  /** "Encryption restarted". A quiet notice is not announced, and stands only once in a row. */
  | { kind: 'notice'; text: string; isQuiet?: true }

export type MessageBody = ShownContent | OtherBody

export type BodyKind = Kind | OtherBody['kind']

export type BodyOf<K extends BodyKind> = Extract<MessageBody, { kind: K }>

export interface ShownMessage {
  id: string
  /** null before the server has stored the message. */
  seq: number | null
  /** Absent before the server has stored it. */
  senderId?: string
  isMine: boolean
  /** ISO 8601; the server's time if known. */
  at: string
  /** null for messages of others. `waiting`: retried automatically. `failed`: the person decides. */
  status: 'sending' | 'waiting' | 'failed' | 'sent' | 'delivered' | 'read' | null
  reason: string | null
  /** Waits for the line, or where it `isHeld` for a file. */
  isQueued?: boolean
  isHeld?: boolean
  /** The words can become the draft again. */
  canBeTakenBack?: boolean
  body: MessageBody
  /** The sender saw another log: the server dropped or reordered earlier messages [Note: M5]. */
  isOutOfPlace: boolean
  /** The signing browser was removed from its account [Note: H3]. */
  isRemovedSince?: boolean
  /** The author's time, ISO 8601, if far from the server's. */
  sentAt?: string
  /** Other browsers of this account cannot read the message [Note: H1]. */
  isArchiveWrong?: boolean
  /** True for a page of older messages: remarks go to the details. */
  isOlder?: boolean
  /** The browser that signed it, and how it came to this one: `onion` or `direct`. */
  deviceId?: string
  route?: string
  edited?: { n: number; places: number[] }
  isPinned?: boolean
  /** Seconds, and the end in ms where it is known. */
  lifetime?: { seconds: number; endsMs?: number }
  /** ISO 8601: when the reader opened what opens once. */
  opened?: string
  /** ISO 8601: when the reader listened to it. */
  listened?: string
  /** In the order of their first. */
  reactions?: ShownReaction[]
  /** What this browser has done to it and the server does not have yet; `failed`: the person decides. */
  pending?: { ids: string[]; status: 'sending' | 'waiting' | 'failed'; reason: string | null; words?: string }
}

export interface ShownReaction {
  emoji: string
  userIds: string[]
}

export interface Anchor {
  id: string
  /**
   * `top`: a day's first message. `middle`: a search result, briefly highlighted. `match`: a result of the chat's search, which
   * keeps the focus. `unread`: the first unread message.
   */
  place: 'top' | 'middle' | 'match' | 'unread'
}

export interface Fresh {
  after: number
  count: number
}

/** Ranges by message id, and the current match. */
export interface Matches {
  ranges: ReadonlyMap<string, readonly Range[]>
  currentId: string | undefined
}

export interface RoomView {
  chatRoomId: string
  status: 'loading' | 'ready' | 'failed'
  /** Oldest first; unsent messages stand at the end. */
  messages: ShownMessage[]
  hasOlder: boolean
  hasNewer: boolean
  isLoadingOlder: boolean
  isEncrypted: boolean
  /** The view shows all messages up to this seq if it has the newest. */
  cursor: number
  waitsFor: string
  /** The last pinned first, also what waits to be sent. */
  pins?: Pinned[]
  /** Seconds after which new messages disappear. */
  timer?: number
  /** What of this browser's acts waits here. */
  acts?: string
  /** Each jump makes a new object. */
  anchor: Anchor | null
  /** True after the first placement: the end of a catch-up then moves nothing. */
  isPlaced: boolean
  /** True during the first catch-up, when scrolling marks nothing as read. */
  isOpening: boolean
  isAtEnd: boolean
  fresh: Fresh | null
  matches: Matches | null
}

export interface MessagesState {
  open: RoomView | null
}

export const messagesStore = createStore<MessagesState>(() => ({ open: null }))

export function viewOf(room: { id: string }): RoomView | undefined {
  const { open } = messagesStore.getState()
  return open?.chatRoomId === room.id ? open : undefined
}

export function changeView(room: { id: string }, change: Partial<RoomView>): void {
  const view = viewOf(room)
  if (view) messagesStore.setState({ open: { ...view, ...change } })
}
