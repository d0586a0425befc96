import { openFilesMax } from '../bench/program.ts'
import { pause } from './clients.ts'
import { atMost, type Form, must, type Outcome, seconds } from './fault.ts'
import { onGround } from './ground.ts'
import { growthMb, rssMb } from './memory.ts'
import { postOnce } from './once.ts'
import { processesOf, requireProc, signal } from './postgres.ts'
import { inSilence, now, recoveredAfter } from './recorder.ts'

const RECOVER_MS = 5000
const GROWTH_MB = 150
const TEXT_CHARS = 16_000

/** Suspends PostgreSQL under load: nothing is acknowledged, memory stays bounded, and the server recovers when it resumes. */
export function stopPostgres({ isShort, patience }: Form): Promise<Outcome> {
  requireProc()
  const stillMs = isShort ? 3000 : 10_000
  // Each request takes a connection on both ends.
  const crowd = Math.min(isShort ? 400 : 900, Math.floor(openFilesMax() / 4))
  return onGround({}, async ({ server, port, pairs, history }) => {
    const before = rssMb(server.pid())
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, rssMb(server.pid()))
    }, 100)
    const processes = processesOf(server.dataFolder)
    const answered: number[] = []
    let sent: Promise<void>[] = []
    try {
      signal(processes, 'SIGSTOP')
      await inSilence(history, async () => {
        sent = Array.from({ length: crowd }, async (_, at) => {
          const pair = pairs[at % pairs.length]
          if (pair) answered.push(await postOnce(port, pair, TEXT_CHARS, history))
        })
        await pause(stillMs)
      })
    } finally {
      signal(processes, 'SIGCONT')
    }
    const since = now()
    await Promise.all(sent)
    while (recoveredAfter(history, since) === undefined && now() - since < 2 * RECOVER_MS) await pause(50)
    clearInterval(watch)
    const recovered = recoveredAfter(history, since)
    const odd = answered.filter((status) => status !== 200 && status !== 503)
    return {
      faults: 1,
      summary: `${stillMs / 1000} s with ${crowd} requests at once; acknowledged again after ${seconds(recovered)}, ${growthMb(before, most)}`,
      complaints: [
        ...atMost('acknowledged again', recovered, RECOVER_MS * patience, 'ms'),
        ...atMost('memory', most - before, GROWTH_MB, 'MB'),
        ...must(odd.length === 0, `while PostgreSQL stood still some were answered ${[...new Set(odd)].join(', ')}`),
      ],
    }
  })
}
