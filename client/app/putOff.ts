/** Key of localStorage: until when notices wait, and their keys. A sign-out drops it. */
const KEY = 'put-off'
const DAY_MS = 24 * 60 * 60 * 1000

const LINE = '\n'

/** The notices that the person has put off in this browser for a day. */
export function keysPutOff(now: Date): string[] {
  const [untilMs, ...keys] = (localStorage.getItem(KEY) ?? '').split(LINE)
  return Number(untilMs) > now.getTime() ? keys : []
}

export function putOff(keys: string[], now: Date): void {
  const all = new Set([...keysPutOff(now), ...keys])
  localStorage.setItem(KEY, [now.getTime() + DAY_MS, ...all].join(LINE))
}
