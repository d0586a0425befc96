import { type LiveTransfer, show } from './liveTransfer.ts'

const SHOW_MS = 300
const WEIGHT = 0.25

/** Shows what has moved, a few times a second, and how fast, by a moving average. */
export function followRate(one: LiveTransfer) {
  const now = () => one.env.clock().getTime()
  let shownAt = 0
  let before: { at: number; bytes: number } | undefined
  let rate: number | null = null
  return {
    moved(bytes: number): void {
      const at = now()
      // What was under way still comes.
      if (one.isPaused || one.isPausedThere) {
        show(one, { movedBytes: bytes })
        return
      }
      if (before && at - shownAt < SHOW_MS) return
      if (before && at > before.at) {
        const measured = Math.max(0, ((bytes - before.bytes) * 1000) / (at - before.at))
        rate = rate === null ? measured : rate + WEIGHT * (measured - rate)
      }
      before = { at, bytes }
      shownAt = at
      const left = one.content.sizeBytes - bytes
      const secondsLeft = rate !== null && rate > 0 ? Math.ceil(left / rate) : null
      show(one, { movedBytes: bytes, bytesPerSecond: rate === null ? null : Math.round(rate), secondsLeft })
    },
    /** After a pause nothing before it counts. */
    rest(): void {
      before = undefined
      rate = null
      show(one, { bytesPerSecond: null, secondsLeft: null })
    },
  }
}
