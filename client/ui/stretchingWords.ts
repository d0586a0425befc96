/** What is said before, where it is long. `seconds`: measured here. */
export const beforeWords = (seconds: number): string =>
  `In this browser that takes ${aboutWords(seconds)}: its safer level switches off the fast way.`

export const WHILE = 'Your browser’s safer level switches off the fast way. The page stays usable.'

/** What is left, from the pace so far. */
export const leftWords = (seconds: number): string => `about ${Math.max(1, Math.round(seconds))} s left`

function aboutWords(seconds: number): string {
  if (seconds < 10) return 'a few seconds'
  if (seconds < 90) return `about ${Math.round(seconds / 5) * 5} s`
  return `about ${Math.round(seconds / 60)} minutes`
}
