import { createStore } from 'zustand/vanilla'
import type { ShownMessage } from './store.ts'
import type { Line } from './timelineLines.ts'

/** Several messages of one chat, in the order of the log. */
export interface Selection {
  chatRoomId: string
  messages: ReadonlyMap<string, ShownMessage>
  /** The key of the line that was pressed last. */
  last: string
}

export const selectionStore = createStore<{ selection: Selection | null }>(() => ({ selection: null }))

const KINDS: ShownMessage['body']['kind'][] = ['text', 'plain', 'file', 'transfer']

/** False for what the server does not have yet, and what has no words and no file. */
export const canSelect = ({ seq, senderId, body }: ShownMessage): boolean =>
  seq !== null && senderId !== undefined && KINDS.includes(body.kind)

export const keyOf = ({ senderId, id }: ShownMessage): string => `${senderId} ${id}`

/** An album counts as its pictures. */
export const messagesIn = (line: Line): ShownMessage[] =>
  line.kind === 'message' ? (line.album ?? [line.message]).filter(canSelect) : []

/** Returns undefined for a line that cannot be selected. */
export function isSelected(line: Line, { messages }: Selection): boolean | undefined {
  const [first] = messagesIn(line)
  return first && messages.has(keyOf(first))
}
