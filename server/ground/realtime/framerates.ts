import { FLOOD, FRAME_RATES, type FrameRate, OTHER_FRAMES } from '../../../contract/frames.ts'

/** The counts of one socket. */
export interface FrameCounts {
  /** Counts a frame before it is read. True if the socket has sent so many frames or bytes that it must be closed. */
  isFlood(sizeBytes: number): boolean
  /** Counts a frame by its type, which may be anything. True if the rate of that type allows it. */
  isAllowed(type: unknown): boolean
}

/** Makes the counts of a new socket. `nowMs` is a clock that only runs forward. */
export function countFrames(nowMs: () => number = () => performance.now()): FrameCounts {
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

/** Returns a function that adds to the sum of the current window and returns it. */
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
