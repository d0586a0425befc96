import { randomInt } from 'node:crypto'
import { isPostgres } from '../server/ground/db/postmaster.ts'
import { ask } from './ask.ts'
import { pause } from './clients.ts'
import { atMost, type Form, must, type Outcome, seconds } from './fault.ts'
import { onGround } from './ground.ts'
import { backendsOf, postmasterOf, processesOf, requireProc, signal } from './postgres.ts'
import { inSilence, now, recoveredAfter } from './recorder.ts'

const RECOVER_MS = 5000
const WATCH_MS = 20_000

/** Kills PostgreSQL with SIGKILL: all processes, as a power cut does, or one backend, upon which the postmaster ends all others. */
export function killPostgres({ isShort, patience }: Form): Promise<Outcome> {
  requireProc()
  const rounds = isShort ? 1 : 3
  return onGround({}, async ({ server, port, history }) => {
    const recoveredMs: (number | undefined)[] = []
    const alive = server.pid()
    const watchRecovery = async (since: number) => {
      while (recoveredAfter(history, since) === undefined && now() - since < WATCH_MS) await pause(50)
      recoveredMs.push(recoveredAfter(history, since))
    }
    for (let round = 0; round < rounds; round++) {
      await pause(randomInt(200, 800))
      const whole = processesOf(server.dataFolder)
      signal(whole, 'SIGKILL')
      // Nothing can be stored until the new postmaster runs.
      await inSilence(history, async () => {
        while (postmasterOf(server.dataFolder) === whole[0]) await pause(5)
      })
      await watchRecovery(now())

      await pause(randomInt(200, 800))
      const backends = backendsOf(server.dataFolder)
      signal(backends.slice(0, 1), 'SIGKILL')
      // Until the postmaster has ended the others too, they go on acknowledging.
      while (backends.some(isPostgres)) await pause(1)
      await watchRecovery(now())
    }
    const slowest = recoveredMs.includes(undefined) ? undefined : Math.max(...recoveredMs.map((ms) => ms ?? 0))
    const health = await ask(port, { method: 'GET', path: '/api/health' })
    return {
      faults: 2 * rounds,
      summary: `${rounds} times all of it and ${rounds} times one connection; acknowledged again after ${seconds(slowest)} at most`,
      complaints: [
        ...atMost('acknowledged again', slowest, RECOVER_MS * patience, 'ms'),
        ...must(server.pid() === alive, 'the server did not live through it'),
        ...must(health?.status === 200, `its health is ${health?.status}`),
      ],
    }
  })
}
