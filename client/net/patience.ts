import { PERIODS } from '../../contract/ground/limits.ts'
import { isOnionOrigin } from './onion.ts'
import { pauseMs } from './pauses.ts'

const RETRIES = PERIODS.reconnectAttempts

/** Seconds become ms. The longer waits are for circuits (decision 0123). */
export function patience() {
  const isOnion = isOnionOrigin()
  const wait = (direct: number, onion: number) => (isOnion ? onion : direct) * 1000
  return {
    readSilenceMs: wait(30, 60),
    writeSilenceMs: wait(45, 90),
    bodySilenceMs: wait(90, 240),
    pieceSilenceMs: wait(90, 45),
    wholeAnswerMs: wait(300, 900),
    beatMs: wait(25, 10),
    answerMs: wait(30, 25),
    /** 0: no limit. */
    openMs: wait(0, 20),
    updateMs: wait(20, 240),
    /** undefined: wait for somebody. */
    pauseMs(attempts: number): number | undefined {
      const more = attempts - RETRIES
      return more < 0 || isOnion ? pauseMs(more + 1) : undefined
    },
    /** Downloads without a byte. */
    emptyTries: isOnion ? 4 : 1,
  }
}
