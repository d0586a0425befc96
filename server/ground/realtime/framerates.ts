import { FLOOD, FRAME_RATES, type FrameRate, OTHER_FRAMES } from '../../../contract/frames.ts'

export interface FrameCounts {
  /** True if the socket must be closed. */
  isFlood(sizeBytes: number): boolean
  /** `type` may be anything. */
  isAllowed(type: unknown): boolean
}

/** Counts the frames of one socket. A clock that jumps begins another second. */
export function countFrames(nowMs: () => number): FrameCounts {
  const frames = makeSum(FLOOD.seconds, nowMs)
  const bytes = makeSum(FLOOD.seconds, nowMs)
  const allow = ({ points, seconds }: FrameRate) => {
    const add = makeSum(seconds, nowMs)
    return () => add(1) <= points
  }
  const byType = new Map<unknown, () => boolean>(Object.entries(FRAME_RATES).map(([type, rate]) => [type, allow(rate)]))
  const other = allow(OTHER_FRAMES)
  return {
    isFlood(sizeBytes) {
      const isMany = frames(1) > FLOOD.frames
      const isMuch = bytes(sizeBytes) > FLOOD.bytes
      return isMany || isMuch
    },
    isAllowed: (type) => (byType.get(type) ?? other)(),
  }
}

/** Sums the amounts of the current window. */
function makeSum(seconds: number, nowMs: () => number): (amount: number) => number {
  let window = 0
  let sum = 0
  return (amount) => {
    const now = Math.floor(nowMs() / (seconds * 1000))
    sum = now === window ? sum + amount : amount
    window = now
    return sum
  }
}
