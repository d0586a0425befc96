/** A call ends with the account's keys. */
interface Underway {
  isOn: () => boolean
  end: (why: 'locked' | 'ended') => void
}

let underway: Underway | undefined

export function setUnderway(what: Underway | undefined): void {
  underway = what
}

export const isUnderway = (): boolean => underway?.isOn() === true

export function endUnderway(why: 'locked' | 'ended'): void {
  if (isUnderway()) underway?.end(why)
}
