import { randomUUID } from 'node:crypto'
import type { Contestant } from './contestant.ts'
import { sum } from './numbers.ts'
import { cpuMsOf, cpuMsWithChildrenOf, pause } from './program.ts'

const ARRIVAL_MS = 10_000
/** How late a timer of this program wakes. That is no time of the server's; whatever is later counts from the due time. */
const TIMER_MS = 2

function dueTime(plannedAt: number): number {
  const now = performance.now()
  return now - plannedAt < TIMER_MS ? now : plannedAt
}

/** The measurements of one contestant, one number per round. */
export interface Loaded {
  perSecond: number[]
  cpuMicros: number[]
  /** Processor time of all PostgreSQL processes per message, in µs. */
  postgresMicros: number[]
  /** ms from due to acknowledged, of every message of all rounds: a percentile of one round would rest on a handful. */
  acks: number[]
  /** The same to the receiver. */
  arrivals: number[]
}

/** Puts load on one contestant, and counts acknowledged and delivered messages. */
export function makeLoad(contestant: Contestant, pairs: number) {
  const record: Loaded = {
    perSecond: [],
    cpuMicros: [],
    postgresMicros: [],
    acks: [],
    arrivals: [],
  }
  const due = new Map<string, number>()
  let acknowledged = 0
  let delivered = 0
  contestant.onDelivered = (id) => {
    delivered += 1
    const dueAt = due.get(id)
    if (dueAt !== undefined) record.arrivals.push(performance.now() - dueAt)
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
    // Deliveries after the last acknowledgement are part of the cost.
    record.cpuMicros.push(((cpuMsOf(contestant.pid) - before.server) * 1000) / count)
    record.postgresMicros.push(((cpuMsWithChildrenOf(contestant.postgresPid) - before.postgres) * 1000) / count)
  }

  /** Sends at a fixed rate. The latency of a late message counts from the time when it was due. */
  async function pace(perSecond: number, ms: number): Promise<void> {
    const startedAt = performance.now()
    const count = Math.round((ms * perSecond) / 1000)
    const acks: Promise<number>[] = []
    while (acks.length < count) {
      const dueCount = Math.min(count, ((performance.now() - startedAt) * perSecond) / 1000)
      while (acks.length < dueCount) {
        const dueAt = dueTime(startedAt + (acks.length * 1000) / perSecond)
        const id = randomUUID()
        due.set(id, dueAt)
        acks.push(contestant.send(acks.length % pairs, id).then(() => performance.now() - dueAt))
      }
      await pause(1)
    }
    record.acks.push(...(await Promise.all(acks)))
    acknowledged += count
    await settle()
  }

  /** Waits until every acknowledged message is delivered. */
  async function settle(): Promise<void> {
    const deadline = performance.now() + ARRIVAL_MS
    while (delivered < acknowledged && performance.now() < deadline) await pause(5)
  }

  return {
    contestant,
    record,
    saturate,
    pace,
    /** Drops the measurements of the warm-up, which fills caches. */
    forget() {
      for (const numbers of Object.values(record)) numbers.length = 0
    },
    /** Throws unless every acknowledged message is stored. */
    async requireKept(): Promise<void> {
      const stored = await contestant.stored()
      if (stored === acknowledged && delivered === acknowledged) return
      throw new Error(`${contestant.name} acknowledged ${acknowledged}, stored ${stored}, delivered ${delivered}`)
    },
  }
}

export type Load = ReturnType<typeof makeLoad>

interface Turns {
  rounds: number
  /** Length of each load. */
  ms: number
  /** The fixed rate of the second load of a round. */
  perSecond: number
}

/** Loads each in turn after a warm-up. Throws unless all that was acknowledged is kept. Stops them. */
export async function loadInTurn(loads: Load[], { rounds, ms, perSecond }: Turns): Promise<void> {
  for (const load of loads) {
    await load.saturate(ms)
    load.forget()
  }
  for (let round = 0; round < rounds; round++) {
    // Each round begins with another one: what the loads before have written goes to the disk while the first is measured.
    const turns = [...loads.slice(round % loads.length), ...loads.slice(0, round % loads.length)]
    for (const load of turns) await load.saturate(ms)
    for (const load of turns) await load.pace(perSecond, ms)
  }
  for (const load of loads) {
    await load.requireKept()
    await load.contestant.stop()
  }
}
