const HOUR = 60 * 60
const DAY = 24 * HOUR

const UNITS: [unit: string, seconds: number][] = [
  ['week', 7 * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', 60],
  ['second', 1],
]

function counted(isMeant: (size: number) => boolean, seconds: number): [unit: string, count: number] {
  const [unit, size] = UNITS.find(([, each]) => isMeant(each)) ?? ['second', 1]
  return [unit, Math.floor(seconds / size)]
}

/** "1 week", "90 minutes". */
export function lifetimeWords(seconds: number): string {
  const [unit, count] = counted((size) => seconds % size === 0, seconds)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** "3w", "6d", "40m", "12s". */
export function leftWords(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000))
  const [unit, count] = counted((size) => seconds >= size, seconds)
  return `${count}${unit[0]}`
}
