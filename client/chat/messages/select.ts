import { writeOn } from '../../ui/writeOn.ts'
import { canSelect, isSelected, keyOf, messagesIn, type Selection, selectionStore } from './selection.ts'
import type { ShownMessage } from './store.ts'
import type { Line } from './timelineLines.ts'

export const SELECTED_MAX = 100

const selectionIn = (chatRoomId: string): Selection | undefined => {
  const { selection } = selectionStore.getState()
  return selection?.chatRoomId === chatRoomId ? selection : undefined
}

export const isSelecting = (chatRoomId: string): boolean => selectionIn(chatRoomId) !== undefined

/** Begins with a line, or adds it, or takes it out. `isRange`: with all between it and the last one. False where they are too many. */
export function toggleSelected(chatRoomId: string, lines: Line[], line: Line, isRange = false): boolean {
  const before = selectionIn(chatRoomId)
  const messages = new Map(before?.messages)
  const all = isRange && before ? between(lines, before.last, line) : [line]
  const isOn = (before && !isRange ? isSelected(line, before) : false) !== true
  for (const one of all.flatMap(messagesIn)) {
    if (isOn) messages.set(keyOf(one), one)
    else messages.delete(keyOf(one))
  }
  if (messages.size > SELECTED_MAX) return false
  const sorted = [...messages].sort(([, a], [, b]) => (a.seq ?? 0) - (b.seq ?? 0))
  selectionStore.setState({ selection: { chatRoomId, messages: new Map(sorted), last: line.key } })
  return true
}

function between(lines: Line[], key: string, line: Line): Line[] {
  const [from, to] = [lines.findIndex((one) => one.key === key), lines.indexOf(line)]
  return from < 0 ? [line] : lines.slice(Math.min(from, to), Math.max(from, to) + 1)
}

/** Returns what is selected as it is now: `shown` may have become other words, or none. */
export function selectedIn({ messages }: Selection, shown: ShownMessage[]): ShownMessage[] {
  const now = new Map(shown.filter(({ seq }) => seq !== null).map((message) => [keyOf(message), message]))
  return [...messages].map(([key, message]) => now.get(key) ?? message).filter(canSelect)
}

/** The composer takes the place of the bar, and the focus. */
export function endSelecting(): void {
  selectionStore.setState({ selection: null })
  requestAnimationFrame(writeOn)
}
