const DAY_SECONDS = 24 * 60 * 60

/** In seconds. */
export const LIFETIMES = { min: 60, max: 365 * DAY_SECONDS, unread: 30 * DAY_SECONDS } as const

const UNITS = [
  ['week', 7 * DAY_SECONDS],
  ['day', DAY_SECONDS],
  ['hour', 60 * 60],
  ['minute', 60],
] as const

/** "1 week", "90 minutes". */
export function lifetimeWords(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds % each === 0) ?? ['second', 1]
  const count = seconds / size
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}
