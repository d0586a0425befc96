import type { QuietHours } from '../../../contract/chat/push.ts'
import type { Env, SignedInUser } from '../../env.ts'
import * as store from './store.ts'

const DAY_MINUTES = 24 * 60
const MINUTE_MS = 60_000

export async function quietHours(env: Env, { id }: SignedInUser): Promise<{ quietHours: QuietHours | null }> {
  const row = await store.findQuietHours(env.db, id)
  if (!row) return { quietHours: null }
  return { quietHours: { from: timeOf(row.fromMinute), to: timeOf(row.toMinute), timeZone: row.timeZone } }
}

/** Sets or, by null, ends the account's quiet hours. They hold from the next message on. */
export async function setQuietHours(
  env: Env,
  { id }: SignedInUser,
  hours: QuietHours | null,
): Promise<{ quietHours: QuietHours | null }> {
  const minutes = hours && { fromMinute: minuteOf(hours.from), toMinute: minuteOf(hours.to), timeZone: hours.timeZone }
  await env.db.transaction((tx) => store.writeQuietHours(tx, id, minutes))
  return { quietHours: hours }
}

/** Returns the end of the quiet hours in which this time lies; undefined if it lies in none. */
export function quietUntil({ fromMinute, toMinute, timeZone }: store.QuietMinutes, now: Date): Date | undefined {
  const local = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  const minute = minuteOf(local.format(now))
  const isInside = fromMinute < toMinute ? minute >= fromMinute && minute < toMinute : minute >= fromMinute || minute < toMinute
  if (!isInside) return undefined
  const left = (toMinute - minute + DAY_MINUTES) % DAY_MINUTES
  return new Date(Math.floor(now.getTime() / MINUTE_MS + left) * MINUTE_MS)
}

function minuteOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

const timeOf = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':')
