import { daysBetween, fullDay, sameYear } from './time.ts'

const weekday = new Intl.DateTimeFormat('en-US', { weekday: 'long' })
const month = new Intl.DateTimeFormat('en-US', { month: 'long' })
const monthWithYear = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric' })
const dayOfMonth = new Intl.DateTimeFormat('en-US', { month: 'long', day: 'numeric' })

/** "Today", "Yesterday", "Tuesday" within a week, "November 14", with the year where it is another one. */
export function dayWords(at: Date, now: Date): string {
  const days = daysBetween(at, now)
  if (days === 0) return 'Today'
  if (days === 1) return 'Yesterday'
  if (days > 1 && days < 7) return weekday.format(at)
  return sameYear(at, now) ? dayOfMonth.format(at) : fullDay(at)
}

/** "November", with the year where it is another one. */
export const monthWords = (at: Date, now: Date): string => (sameYear(at, now) ? month : monthWithYear).format(at)
