import { randomUUID } from 'node:crypto'
import type { Contestant } from './contestant.ts'
import { percentile, sum } from './numbers.ts'
import { cpuMsOf, cpuMsWithChildrenOf, pause } from './program.ts'

const ARRIVAL_MS = 10_000

/** What one contestant did: a number a round. */
export interface Loaded {
  perSecond: number[]
  cpuMicros: number[]
  /** Of PostgreSQL, all its processes. */
  postgresMicros: number[]
  ackP50: number[]
  ackP99: number[]
  arrivalP50: number[]
  arrivalP99: number[]
}

/** Puts load on one contestant, and remembers what it acknowledged and delivered. */
export function makeLoad(contestant: Contestant, pairs: number) {
  const record: Loaded = {
    perSecond: [],
    cpuMicros: [],
    postgresMicros: [],
    ackP50: [],
    ackP99: [],
    arrivalP50: [],
    arrivalP99: [],
  }
  const due = new Map<string, number>()
  let arrivals: number[] = []
  let acknowledged = 0
  let delivered = 0
  contestant.hear = (id) => {
    delivered += 1
    const dueAt = due.get(id)
    if (dueAt !== undefined) arrivals.push(performance.now() - dueAt)
    due.delete(id)
  }

  /** Every sender writes its next message as soon as the last one is acknowledged. */
  async function saturate(ms: number): Promise<void> {
    const before = { server: cpuMsOf(contestant.pid), postgres: cpuMsWithChildrenOf(contestant.postgresPid) }
    const startedAt = performance.now()
    const deadline = startedAt + ms
    const counts = Array.from({ length: pairs }, async (_, at) => {
      let count = 0
      for (; performance.now() < deadline; count++) await contestant.send(at, randomUUID())
      return count
    })
    const count = sum(await Promise.all(counts))
    const elapsedMs = performance.now() - startedAt
    acknowledged += count
    record.perSecond.push((count * 1000) / elapsedMs)
    await settle()
    // What is still delivered after the last acknowledgement costs as well.
    record.cpuMicros.push(((cpuMsOf(contestant.pid) - before.server) * 1000) / count)
    record.postgresMicros.push(((cpuMsWithChildrenOf(contestant.postgresPid) - before.postgres) * 1000) / count)
  }

  /** So many messages a second, each at its own moment; a late one counts from when it was due. */
  async function pace(perSecond: number, ms: number): Promise<void> {
    const startedAt = performance.now()
    const count = Math.round((ms * perSecond) / 1000)
    const acks: Promise<number>[] = []
    arrivals = []
    while (acks.length < count) {
      const dueCount = Math.min(count, ((performance.now() - startedAt) * perSecond) / 1000)
      while (acks.length < dueCount) {
        const dueAt = startedAt + (acks.length * 1000) / perSecond
        const id = randomUUID()
        if (contestant.hasReceivers) due.set(id, dueAt)
        acks.push(contestant.send(acks.length % pairs, id).then(() => performance.now() - dueAt))
      }
      await pause(1)
    }
    const times = await Promise.all(acks)
    acknowledged += count
    record.ackP50.push(percentile(times, 50))
    record.ackP99.push(percentile(times, 99))
    await settle()
    record.arrivalP50.push(percentile(arrivals, 50))
    record.arrivalP99.push(percentile(arrivals, 99))
  }

  /** Waits until everything acknowledged has come out. */
  async function settle(): Promise<void> {
    const deadline = performance.now() + ARRIVAL_MS
    while (contestant.hasReceivers && delivered < acknowledged && performance.now() < deadline) await pause(5)
  }

  return {
    contestant,
    record,
    saturate,
    pace,
    /** The first rounds compile and fill caches. */
    forget() {
      for (const numbers of Object.values(record)) numbers.length = 0
    },
    /** A figure of messages that are not there would be none. */
    async requireKept(): Promise<void> {
      const stored = await contestant.stored()
      if (stored === acknowledged && (!contestant.hasReceivers || delivered === acknowledged)) return
      throw new Error(`${contestant.name} acknowledged ${acknowledged}, stored ${stored}, delivered ${delivered}`)
    },
  }
}

export type Load = ReturnType<typeof makeLoad>
