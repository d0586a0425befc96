const SECOND = 1000
const UNITS = [
  ['w', 7 * 24 * 60 * 60 * SECOND],
  ['d', 24 * 60 * 60 * SECOND],
  ['h', 60 * 60 * SECOND],
  ['m', 60 * SECOND],
] as const

/** "3w", "6d", "40m", "12s". */
export function leftWords(leftMs: number): string {
  const [unit, size] = UNITS.find(([, each]) => leftMs >= each) ?? ['s', SECOND]
  return `${Math.max(0, unit === 's' ? Math.ceil(leftMs / size) : Math.floor(leftMs / size))}${unit}`
}
