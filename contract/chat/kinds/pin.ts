import type { Pin, Target } from '../content.ts'

/** `seq`: of the act that says so; `place`: of the message [Note: M7]. */
export interface Pinned extends Target {
  seq: number
  place: number
  on: boolean
}

export const PINS_MAX = 3
const KEPT_MAX = 25

const isOf = (target: Target) => (pin: Pinned) => pin.senderId === target.senderId && pin.id === target.id

/** Returns what the last pin of each message says. Any order gives the same. */
export function withPins(known: Pinned[], told: Pinned[]): Pinned[] {
  const pins = told.reduce((all, pin) => {
    const before = all.find(isOf(pin))
    if (before && before.seq >= pin.seq) return all
    return [...all.filter((one) => one !== before), pin]
  }, known)
  const sorted = [...pins].sort((a, b) => a.seq - b.seq)
  return [true, false].flatMap((isOn) => sorted.filter(({ on }) => on === isOn).slice(-KEPT_MAX))
}

export const pinOf = ({ target, place, on }: Pin, seq: number): Pinned => ({ ...target, seq, place, on })

/** Returns what is pinned, the last pinned first. */
export const pinnedIn = (pins: Pinned[]): Pinned[] => pins.filter(({ on }) => on).reverse()

export const isPinnedIn = (pins: Pinned[], { senderId, id }: { senderId?: string; id: string }): boolean =>
  senderId !== undefined && pins.some(isOf({ senderId, id }))
