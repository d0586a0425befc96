/** Key of localStorage: a line for each notice that waits, until when and its key. A sign-out drops it. */
const KEY = 'put-off'
const DAY_MS = 24 * 60 * 60 * 1000

const LINE = '\n'

const linesOf = (now: Date): string[] =>
  (localStorage.getItem(KEY) ?? '').split(LINE).filter((line) => Number.parseInt(line, 10) > now.getTime())

const keyOf = (line: string): string => line.slice(line.indexOf(' ') + 1)

/** The notices that the person has put off in this browser, each for a day. */
export const keysPutOff = (now: Date): string[] => linesOf(now).map(keyOf)

export function putOff(keys: string[], now: Date): void {
  const until = now.getTime() + DAY_MS
  const others = linesOf(now).filter((line) => !keys.includes(keyOf(line)))
  localStorage.setItem(KEY, [...others, ...keys.map((key) => `${until} ${key}`)].join(LINE))
}
