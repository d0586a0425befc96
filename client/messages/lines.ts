import { dayOf } from '../ui/time.ts'
import type { Fresh, ShownMessage } from './store.ts'

/** One line of the timeline. Its key stays the same while the lines around it change. */
export type Line =
  /** What stands above the first message of the room: how it is encrypted. */
  | { kind: 'about'; key: string }
  | { kind: 'day'; key: string; at: string }
  | { kind: 'new'; key: string; count: number }
  | { kind: 'notice'; key: string; text: string }
  | { kind: 'warning'; key: string; text: string }
  | { kind: 'message'; key: string; message: ShownMessage; startsRun: boolean; endsRun: boolean; hasTime: boolean }

/** The warning above a message whose sender's view of the log differs from ours [Note: M5]. */
export const OUT_OF_PLACE = 'The server dropped or reordered messages before this one.'

const RUN_MS = 10 * 60_000

interface Shown {
  messages: ShownMessage[]
  fresh: Fresh | null
  /** While there are, the first line is left out: the heading of a day that may begin further up would move with the next page. */
  hasOlder: boolean
}

/** Makes the lines: day separators, notices, the line above the unread, and messages in runs of one sender. */
export function timelineLines({ messages, fresh, hasOlder }: Shown): Line[] {
  const lines: Line[] = hasOlder ? [] : [{ kind: 'about', key: 'about' }]
  const days = new Map<string, number>()
  const firstNew = fresh && messages.find((message) => isNew(message, fresh))
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1]
    const after = messages[index + 1]
    const day = dayOf(new Date(message.at))
    if (!before || dayOf(new Date(before.at)) !== day) {
      const times = days.get(day) ?? 0
      days.set(day, times + 1)
      if (before || !hasOlder) lines.push({ kind: 'day', key: times ? `day ${day} ${times}` : `day ${day}`, at: message.at })
    }
    if (fresh && message === firstNew) lines.push({ kind: 'new', key: 'new', count: fresh.count })
    // The warning is shown once for a row of such messages, because after the first one the views cannot be compared.
    if (message.isOutOfPlace && !before?.isOutOfPlace)
      lines.push({ kind: 'warning', key: `warning ${keyOf(message)}`, text: OUT_OF_PLACE })
    if (message.body.kind === 'notice') lines.push({ kind: 'notice', key: message.id, text: message.body.text })
    else {
      const goesOn = after !== firstNew && belongTogether(message, after)
      lines.push({
        kind: 'message',
        key: keyOf(message),
        message,
        startsRun: message === firstNew || !belongTogether(before, message),
        endsRun: !goesOn,
        hasTime: !goesOn || minuteOf(message) !== minuteOf(after) || isOnItsWay(message),
      })
    }
  }
  return lines
}

const isNew = ({ isMine, seq, body }: ShownMessage, { after }: Fresh): boolean =>
  !isMine && seq !== null && seq > after && body.kind !== 'notice'

/** "12 new messages" */
export const newWords = (count: number): string => (count === 1 ? '1 new message' : `${count} new messages`)

const keyOf = ({ isMine, id }: ShownMessage): string => `${isMine ? 'me' : 'them'} ${id}`

const minuteOf = (message: ShownMessage | undefined): number => Math.floor(Date.parse(message?.at ?? '') / 60_000)

/** A message whose time says more than the minute: that it failed, waits, or was written at another time. */
const isOnItsWay = ({ status, sentAt }: ShownMessage): boolean =>
  status === 'failed' || status === 'waiting' || sentAt !== undefined

function belongTogether(a: ShownMessage | undefined, b: ShownMessage | undefined): boolean {
  if (!a || !b || a.isMine !== b.isMine || a.body.kind === 'notice' || b.body.kind === 'notice') return false
  if (b.isOutOfPlace && !a.isOutOfPlace) return false
  const [first, second] = [new Date(a.at), new Date(b.at)]
  return dayOf(first) === dayOf(second) && second.getTime() - first.getTime() < RUN_MS
}
