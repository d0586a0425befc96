import { ask } from './ask.ts'
import { pause } from './clients.ts'
import { now } from './recorder.ts'

export interface HealthSample {
  from: number
  to: number
  /** 0: no answer came. */
  status: number
  /** What it says of the database. */
  database: unknown
}

/** Asks the server how it is, all the while. */
export function watchHealth(port: number) {
  const samples: HealthSample[] = []
  let isOver = false
  const done = (async () => {
    while (!isOver) {
      const from = now()
      const answer = await ask(port, { method: 'GET', path: '/api/health' })
      samples.push({ from, to: now(), status: answer?.status ?? 0, database: databaseIn(answer?.body) })
      await pause(20)
    }
  })()
  /** When it said, to a question asked after `since` and after the last wrong answer, that all is well. */
  const wellFrom = (since: number): number | undefined => {
    const later = samples.filter(({ from }) => from >= since)
    return later[later.findLastIndex(({ status }) => status !== 200) + 1]?.to
  }
  return {
    wellFrom,
    async stop(): Promise<HealthSample[]> {
      isOver = true
      await done
      return samples
    },
  }
}

function databaseIn(body: unknown): unknown {
  const details = typeof body === 'object' && body && 'details' in body ? body.details : body
  return typeof details === 'object' && details && 'database' in details ? details.database : undefined
}
