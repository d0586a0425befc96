import { randomInt } from 'node:crypto'
import { pause } from './clients.ts'
import { atMost, type Form, must, type Outcome, seconds } from './fault.ts'
import { onGround } from './ground.ts'
import { now, recoveredAfter } from './recorder.ts'

/** Fault points: while a message's statement runs, between its COMMIT and the answer, and between COMMIT and answer of an MLS commit. */
const POINTS = ['message:sent', 'message:committed', 'commit:committed'] as const
const READY_MS = 3000
const POINT_MS = 15_000
const AGAIN_MS = 10_000

/** Kills the server with SIGKILL, at named fault points and at random moments. */
export function killServer({ isShort, patience }: Form): Promise<Outcome> {
  const [named, random] = isShort ? [1, 2] : [3, 11]
  return onGround({}, async ({ server, history }) => {
    const readyMs: number[] = []
    const againMs: (number | undefined)[] = []
    const complaints: string[] = []
    const startAgain = async (variables: Record<string, string> = {}) => {
      const startedAt = now()
      await server.start(variables)
      const readyAt = now()
      readyMs.push(readyAt - startedAt)
      await pause(isShort ? 500 : 1000)
      while (recoveredAfter(history, startedAt) === undefined && now() - readyAt < AGAIN_MS * patience) await pause(50)
      againMs.push(recoveredAfter(history, startedAt))
    }
    for (let round = 0; round < random; round++) {
      await pause(randomInt(100, 900))
      await server.kill9()
      await startAgain()
    }
    for (const point of Array.from({ length: named }, () => POINTS).flat()) {
      await server.kill9()
      // The server dies on a later pass of the point, when other requests wait behind that one.
      const times = point === 'commit:committed' ? randomInt(1, 4) : randomInt(40, 120)
      const startedAt = now()
      await server.start({ CONCLAVE_FAULT: `${point}:exit:${times}` })
      readyMs.push(now() - startedAt)
      const hasDied = await Promise.race([server.ended().then(() => true), pause(POINT_MS).then(() => false)])
      complaints.push(...must(hasDied, `the server was to die at ${point} and did not`))
      await server.kill9()
      await startAgain()
    }
    const slowest = Math.max(...readyMs)
    const kills = random + 2 * named * POINTS.length
    return {
      faults: kills,
      summary: `${kills} kills, ${named * POINTS.length} of them at named points; ready again after ${seconds(slowest)} at most`,
      complaints: [
        ...complaints,
        ...atMost('ready again', slowest, READY_MS * patience, 'ms'),
        ...must(!againMs.includes(undefined), 'after a start nobody was acknowledged'),
      ],
    }
  })
}
