import { dayOf } from '../ui/time.ts'
import type { ShownMessage } from './store.ts'

/** One line of the timeline. Its key stays the same while the lines around it change. */
export type Line =
  | { kind: 'day'; key: string; at: string }
  | { kind: 'notice'; key: string; text: string }
  | { kind: 'warning'; key: string; text: string }
  | { kind: 'message'; key: string; message: ShownMessage; startsRun: boolean; endsRun: boolean }

/** The warning above a message whose sender's view of the log differs from ours [Note: M5]. */
export const OUT_OF_PLACE = 'The server dropped or reordered messages before this one.'

const RUN_MS = 10 * 60_000

/** Makes the lines: day separators, notices, and messages in runs of one sender. */
export function timelineLines(messages: ShownMessage[]): Line[] {
  const lines: Line[] = []
  const days = new Map<string, number>()
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1]
    const day = dayOf(new Date(message.at))
    if (!before || dayOf(new Date(before.at)) !== day) {
      const times = days.get(day) ?? 0
      days.set(day, times + 1)
      lines.push({ kind: 'day', key: times ? `day ${day} ${times}` : `day ${day}`, at: message.at })
    }
    // The warning is shown once for a row of such messages, because after the first one the views cannot be compared.
    if (message.isOutOfPlace && !before?.isOutOfPlace)
      lines.push({ kind: 'warning', key: `warning ${keyOf(message)}`, text: OUT_OF_PLACE })
    if (message.body.kind === 'notice') lines.push({ kind: 'notice', key: message.id, text: message.body.text })
    else
      lines.push({
        kind: 'message',
        key: keyOf(message),
        message,
        startsRun: !belongTogether(before, message),
        endsRun: !belongTogether(message, messages[index + 1]),
      })
  }
  return lines
}

const keyOf = ({ isMine, id }: ShownMessage): string => `${isMine ? 'me' : 'them'} ${id}`

function belongTogether(a: ShownMessage | undefined, b: ShownMessage | undefined): boolean {
  if (!a || !b || a.isMine !== b.isMine || a.body.kind === 'notice' || b.body.kind === 'notice') return false
  if (b.isOutOfPlace && !a.isOutOfPlace) return false
  const [first, second] = [new Date(a.at), new Date(b.at)]
  return dayOf(first) === dayOf(second) && second.getTime() - first.getTime() < RUN_MS
}
