import { type Contestant, enterFloor, enterProduct } from './contestant.ts'
import { enterEjabberd, isEjabberdInstalled } from './ejabberd.ts'
import type { Ground } from './ground.ts'
import { type Load, makeLoad } from './load.ts'
import { median } from './numbers.ts'
import { absent, type Row, row } from './row.ts'

const PACE_PER_SECOND = 500

/** Measures durable acknowledged messages of 100 pairs, compared with the floor and, where it is installed, ejabberd. */
export async function measureSend(ground: Ground): Promise<Row[]> {
  const [pairs, rounds, ms] = ground.isQuick ? [10, 1, 500] : [100, 5, 2000]
  const enter: ((ground: Ground, pairs: number) => Promise<Contestant>)[] = [enterProduct, enterFloor]
  if (isEjabberdInstalled()) enter.push(enterEjabberd)
  const loads: Load[] = []
  for (const each of enter) loads.push(makeLoad(await each(ground, pairs), pairs))
  for (const load of loads) {
    await load.saturate(ms)
    load.forget()
  }
  for (let round = 0; round < rounds; round++) {
    for (const load of loads) await load.saturate(ms)
    for (const load of loads) await load.pace(PACE_PER_SECOND, ms)
  }
  for (const load of loads) {
    await load.requireKept()
    await load.contestant.stop()
  }
  const [product, floor, ejabberd] = loads
  if (!product || !floor) throw new Error('Nothing was measured')
  return [...rowsOf(product, floor, pairs), ...beside(product, ejabberd)]
}

function rowsOf({ record }: Load, { record: floor }: Load, pairs: number): Row[] {
  const acks = `acknowledged after ${both(record.ackP50, record.ackP99)}, the floor's after ${both(floor.ackP50, floor.ackP99)}`
  return [
    row('send', 'durable acknowledged messages a second', median(record.perSecond), '/s', {
      note: `${pairs} pairs, 512 bytes, fsync on, receivers connected; the floor ${median(floor.perSecond).toFixed(0)}/s`,
    }),
    row('send', 'the same against the floor', ratio(record.perSecond, floor.perSecond), 'x', {
      atLeast: 0.6,
      note: 'bare Fastify and one batched INSERT',
    }),
    row('send', 'server CPU a message, saturated', median(record.cpuMicros), 'µs', {
      note: `and ${median(record.postgresMicros).toFixed(0)} µs of PostgreSQL; the floor ${cpu(floor)}`,
    }),
    row('send', `sender to receiver at ${PACE_PER_SECOND}/s, p50`, median(record.arrivalP50), 'ms', { note: acks }),
    row('send', `sender to receiver at ${PACE_PER_SECOND}/s, p99`, median(record.arrivalP99), 'ms', {
      note: 'the median of the rounds',
    }),
  ]
}

function beside({ record }: Load, ejabberd: Load | undefined): Row[] {
  if (!ejabberd) return [absent('send', 'against ejabberd with mod_mam on the same PostgreSQL', 'ejabberd: not installed here')]
  const { record: theirs } = ejabberd
  return [
    row('send', 'messages a second against ejabberd', ratio(record.perSecond, theirs.perSecond), 'x', {
      atLeast: 3,
      note: `ejabberd with mod_mam ${median(theirs.perSecond).toFixed(0)}/s`,
    }),
    row('send', 'server CPU a message against ejabberd', ratio(record.cpuMicros, theirs.cpuMicros), 'x', {
      atMost: 0.3,
      note: `ejabberd ${cpu(theirs)}`,
    }),
    row('send', 'p50 to the receiver against ejabberd', ratio(record.arrivalP50, theirs.arrivalP50), 'x', {
      atMost: 1,
      note: `ejabberd ${both(theirs.arrivalP50, theirs.arrivalP99)}`,
    }),
    row('send', 'p99 to the receiver against ejabberd', ratio(record.arrivalP99, theirs.arrivalP99), 'x', { atMost: 0.5 }),
  ]
}

/** The median of the ratios of each round, since both contestants of a round met the same load of the machine. */
const ratio = (ours: number[], theirs: number[]): number =>
  median(ours.map((each, round) => each / (theirs[round] ?? Number.NaN)))

const cpu = ({ cpuMicros, postgresMicros }: Load['record']): string =>
  `${median(cpuMicros).toFixed(0)} µs and ${median(postgresMicros).toFixed(0)} µs`

const both = (p50: number[], p99: number[]): string => `${median(p50).toFixed(1)} ms (p99 ${median(p99).toFixed(1)} ms)`
