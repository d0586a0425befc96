const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const shortDate = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' })
const shortDateWithYear = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric' })
const longDate = new Intl.DateTimeFormat('en-US', { weekday: 'long', month: 'long', day: 'numeric' })
const longDateWithYear = new Intl.DateTimeFormat('en-US', { weekday: 'long', month: 'long', day: 'numeric', year: 'numeric' })
const fullDate = new Intl.DateTimeFormat('en-US', { dateStyle: 'long' })
const shortMoment = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' })
const clock = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' })

export const sameYear = (a: Date, b: Date) => a.getFullYear() === b.getFullYear()
const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()

export const daysBetween = (at: Date, now: Date): number =>
  // A day in which the clocks change is 23 or 25 hours long.
  Math.round((midnight(now) - midnight(at)) / DAY)

/** "now", "5m", "3h", then a date: "Nov 14", with the year where it is another one. */
export function relativeTime(at: Date, now: Date): string {
  const passed = now.getTime() - at.getTime()
  if (passed < MINUTE) return 'now'
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)}m`
  if (passed < DAY) return `${Math.floor(passed / HOUR)}h`
  return (sameYear(at, now) ? shortDate : shortDateWithYear).format(at)
}

/** "never", "just now", "5m ago". */
export function lastSeen(at: Date | null, now: Date): string {
  if (!at) return 'never'
  const passed = now.getTime() - at.getTime()
  if (passed < MINUTE) return 'just now'
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)}m ago`
  if (passed < DAY) return `${Math.floor(passed / HOUR)}h ago`
  return `${Math.floor(passed / DAY)}d ago`
}

/** "6:41 PM" */
export const clockTime = (at: Date): string => clock.format(at).replace('\u202f', ' ')

/** "November 14, 2026" */
export const fullDay = (at: Date): string => fullDate.format(at)

/** "Nov 14, 2026, 3:12 PM" */
export const moment = (at: Date): string => shortMoment.format(at).replace('\u202f', ' ')

/** "Today", "Yesterday", "Wednesday, November 19", with the year where it is another one. */
export function dayHeading(at: Date, now: Date): string {
  const days = daysBetween(at, now)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  return (sameYear(at, now) ? longDate : longDateWithYear).format(at)
}

/** "2026-11-19" in local time. */
export const dayOf = (at: Date): string => `${at.getFullYear()}-${at.getMonth() + 1}-${at.getDate()}`

const two = (part: number) => String(part).padStart(2, '0')

/** A day as a date field writes it, in local time: "2026-11-09". */
export const dateField = (at: Date): string => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`

/** The first moment of a date field's day, in local time; undefined where it holds no day. */
export function fromDateField(value: string): Date | undefined {
  const [, year, month, day] = /^(\d{4,6})-(\d{2})-(\d{2})$/.exec(value) ?? []
  const at = new Date(Number(year), Number(month) - 1, Number(day))
  return dateField(at) === value ? at : undefined
}

/** "0:07", "12:30" */
export const lengthWords = (seconds: number): string => {
  const whole = Math.floor(Number.isFinite(seconds) ? seconds : 0)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}
