import { fullDay } from './time.ts'

const DAY_MS = 86_400_000
const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'long' })
const month = new Intl.DateTimeFormat('en-US', { month: 'long' })
const monthWithYear = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric' })
const dayOfMonth = new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric' })

const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
const sameYear = (a: Date, b: Date) => a.getFullYear() === b.getFullYear()

/** "Today", "Yesterday", "Tuesday" within a week, "November 14", with the year where it is another one. */
export function dayWords(at: Date, now: Date): string {
  // A day in which the clocks change is 23 or 25 hours long.
  const days = Math.round((midnight(now) - midnight(at)) / DAY_MS)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days > 1 && days < 7) return weekday.format(at)
  return sameYear(at, now) ? dayOfMonth.format(at) : fullDay(at)
}

/** "November", with the year where it is another one. */
export const monthWords = (at: Date, now: Date): string => (sameYear(at, now) ? month : monthWithYear).format(at)
