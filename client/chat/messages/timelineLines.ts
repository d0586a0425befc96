import { dayOf } from '../../ui/time.ts'
import type { Fresh, ShownMessage } from './store.ts'
import { unitsOf } from './units.ts'

/** A key stays the same while other lines change. */
export type Line =
  | { kind: 'about'; key: string }
  | { kind: 'day'; key: string; at: string }
  | { kind: 'new'; key: string; count: number }
  | { kind: 'notice'; key: string; text: string }
  | { kind: 'timer'; key: string; text: string; isMine: boolean }
  /** The compared safety numbers were equal, or a contact code was scanned. */
  | { kind: 'compared'; key: string; isByCode: boolean }
  | { kind: 'warning'; key: string; text: string }
  | {
      kind: 'message'
      key: string
      message: ShownMessage
      album?: ShownMessage[]
      startsRun: boolean
      hasTime: boolean
    }

/** The sender saw another log [Note: M5]. */
export const OUT_OF_PLACE = 'The server dropped or reordered messages before this one.'

type Notice = Extract<ShownMessage['body'], { kind: 'notice' }>

const RUN_MS = 10 * 60_000

interface Shown {
  messages: ShownMessage[]
  fresh: Fresh | null
  /** Omits the first heading: the day may begin further up, and the heading would move. */
  hasOlder: boolean
  /** Omits lines below the last message. */
  hasNewer?: boolean
  /** ISO 8601; null if unknown. */
  comparedAt?: string | null
  isByCode?: boolean
}

export function timelineLines(shown: Shown): Line[] {
  const { fresh, hasOlder, hasNewer = false, comparedAt = null, isByCode = false } = shown
  const units = unitsOf(shown.messages)
  const messages = units.map(({ message }) => message)
  const lines: Line[] = hasOlder ? [] : [{ kind: 'about', key: 'about' }]
  const next = comparedAt === null ? -1 : messages.findIndex(({ at }) => at > comparedAt)
  const comparedIndex = next === 0 && hasOlder ? -1 : next < 0 && comparedAt !== null && !hasNewer ? messages.length : next
  const [first] = messages
  let shownDay = hasOlder && first ? dayOf(new Date(first.at)) : undefined
  const days = new Map(shownDay === undefined ? [] : [[shownDay, 1]])
  function enterDay(at: string) {
    const day = dayOf(new Date(at))
    if (day === shownDay) return
    shownDay = day
    const times = days.get(day) ?? 0
    days.set(day, times + 1)
    lines.push({ kind: 'day', key: times ? `day ${day} ${times}` : `day ${day}`, at })
  }
  function sayCompared(at: string | null) {
    if (at === null) return
    enterDay(at)
    lines.push({ kind: 'compared', key: 'compared', isByCode })
  }
  const firstNew = fresh && units.find((unit) => (unit.album ?? [unit.message]).some((one) => isNew(one, fresh)))?.message
  const cuts = (index: number, message: ShownMessage | undefined) => index === comparedIndex || message === firstNew
  for (const [index, { message, album, key }] of units.entries()) {
    const before = messages[index - 1]
    const after = messages[index + 1]
    if (index === comparedIndex) sayCompared(comparedAt)
    enterDay(message.at)
    if (fresh && message === firstNew) lines.push({ kind: 'new', key: 'new', count: fresh.count })
    // One warning per row of messages: after the first the views cannot be compared.
    if (message.isOutOfPlace && !before?.isOutOfPlace) lines.push({ kind: 'warning', key: `warning ${key}`, text: OUT_OF_PLACE })
    if (message.body.kind === 'notice') {
      if (!isSaid(message.body, before)) lines.push({ kind: 'notice', key: message.id, text: message.body.text })
    } else if (message.body.kind === 'timer')
      lines.push({ kind: 'timer', key, text: `${message.body.text}${unsent(message)}`, isMine: message.isMine })
    else {
      const goesOn = !cuts(index + 1, after) && belongTogether(message, after)
      lines.push({
        kind: 'message',
        key,
        message,
        ...(album && { album }),
        startsRun: cuts(index, message) || !belongTogether(before, message),
        hasTime: !goesOn || minuteOf(message) !== minuteOf(after) || isOnItsWay(message),
      })
    }
  }
  if (comparedIndex === messages.length) sayCompared(comparedAt)
  return lines
}

/** The later line has the space, so a new line moves no earlier line. */
export function isApart(lines: Line[], index: number): boolean {
  const line = lines[index]
  return lines[index - 1]?.kind === 'message' && (line?.kind !== 'message' || line.startsRun)
}

const isSaid = ({ text, isQuiet }: Notice, before: ShownMessage | undefined): boolean =>
  isQuiet === true && before?.body.kind === 'notice' && before.body.text === text

const isNew = ({ isMine, seq, body }: ShownMessage, { after }: Fresh): boolean =>
  !isMine && seq !== null && seq > after && !isLine({ body })

const unsent = ({ seq, status }: ShownMessage): string =>
  seq !== null ? '' : status === 'failed' ? ', refused' : ', once it is sent'

/** True for what stands in the middle, of nobody. */
export const isLine = ({ body }: Pick<ShownMessage, 'body'>): boolean => body.kind === 'notice' || body.kind === 'timer'

export const newWords = (count: number): string => (count === 1 ? '1 new message' : `${count} new messages`)

export const holds = (line: Line | undefined, id: string | undefined): boolean =>
  line?.kind === 'message' && (line.album ?? [line.message]).some((message) => message.id === id)

const minuteOf = (message: ShownMessage | undefined): number => Math.floor(Date.parse(message?.at ?? '') / 60_000)

const isOnItsWay = ({ status, isQueued, sentAt }: ShownMessage): boolean =>
  status === 'failed' || status === 'waiting' || isQueued === true || sentAt !== undefined

function belongTogether(a: ShownMessage | undefined, b: ShownMessage | undefined): boolean {
  if (!a || !b || a.isMine !== b.isMine || isLine(a) || isLine(b)) return false
  if (b.isOutOfPlace && !a.isOutOfPlace) return false
  const [first, second] = [new Date(a.at), new Date(b.at)]
  return dayOf(first) === dayOf(second) && second.getTime() - first.getTime() < RUN_MS
}
