import path from 'node:path'
import { type Contestant, enterFloor, enterProduct } from './contestant.ts'
import { enterEjabberd, missingPackage } from './ejabberd.ts'
import type { Ground } from './ground.ts'
import { type Load, makeLoad } from './load.ts'
import { median, percentile } from './numbers.ts'
import { absent, type Row, row } from './row.ts'

const PACE_PER_SECOND = 500

/** Measures durable acknowledged messages of 100 pairs, compared with the floor and, where it is installed, ejabberd. */
export async function measureSend(ground: Ground): Promise<Row[]> {
  const [pairs, rounds, ms] = ground.isQuick ? [10, 1, 500] : [100, 5, 2000]
  const missing = missingPackage()
  const enter = async (contestant: Promise<Contestant>) => makeLoad(await contestant, pairs)
  const product = await enter(enterProduct(ground, pairs))
  const floor = await enter(enterFloor(ground, pairs))
  const ejabberd = missing ? undefined : await enter(enterEjabberd(ground, pairs))
  const variants: Load[] = []
  for (const folder of ground.variants) variants.push(await enter(enterProduct(ground, pairs, folder)))
  const loads = [product, floor, ...(ejabberd ? [ejabberd] : []), ...variants]
  for (const load of loads) {
    await load.saturate(ms)
    load.forget()
  }
  for (let round = 0; round < rounds; round++) {
    // Each round begins with another one: what the loads before have written goes to the disk while the first is measured.
    const turns = [...loads.slice(round % loads.length), ...loads.slice(0, round % loads.length)]
    for (const load of turns) await load.saturate(ms)
    for (const load of turns) await load.pace(PACE_PER_SECOND, ms)
  }
  for (const load of loads) {
    await load.requireKept()
    await load.contestant.stop()
  }
  return [
    ...rowsOf(product, floor, pairs),
    ...(ejabberd
      ? beside(product, ejabberd)
      : [absent('send', 'against ejabberd with mod_mam on the same PostgreSQL', `the package ${missing} is not installed here`)]),
    ...variants.flatMap((variant) => besideVariant(product, variant)),
  ]
}

function rowsOf({ record }: Load, { record: floor }: Load, pairs: number): Row[] {
  const acks = `acknowledged after ${both(record.acks)}; the floor's acknowledged after ${both(floor.acks)}, there after ${both(floor.arrivals)}`
  return [
    row('send', 'durable acknowledged messages a second', median(record.perSecond), '/s', {
      note: `${pairs} pairs, 512 bytes, fsync on, receivers connected; the floor ${median(floor.perSecond).toFixed(0)}/s`,
    }),
    row('send', 'the same against the floor', ratio(record.perSecond, floor.perSecond), 'x', {
      atLeast: 0.5,
      note: 'bare Fastify and ws: one batched statement for session, room and message, one frame',
    }),
    row('send', 'server CPU a message, saturated', median(record.cpuMicros), 'µs', {
      note: `and ${median(record.postgresMicros).toFixed(0)} µs of PostgreSQL; the floor ${cpu(floor)}`,
    }),
    row('send', `sender to receiver at ${PACE_PER_SECOND}/s, p50`, percentile(record.arrivals, 50), 'ms', { note: acks }),
    row('send', `sender to receiver at ${PACE_PER_SECOND}/s, p99`, percentile(record.arrivals, 99), 'ms', {
      note: `of ${record.arrivals.length} messages`,
    }),
  ]
}

function beside({ record }: Load, { record: theirs }: Load): Row[] {
  return [
    row('send', 'messages a second against ejabberd', ratio(record.perSecond, theirs.perSecond), 'x', {
      atLeast: 1.8,
      note: `ejabberd with mod_mam ${median(theirs.perSecond).toFixed(0)}/s`,
    }),
    row('send', 'server CPU a message against ejabberd', ratio(record.cpuMicros, theirs.cpuMicros), 'x', {
      atMost: 0.33,
      note: `ejabberd ${cpu(theirs)}`,
    }),
    row('send', 'p50 to the receiver against ejabberd', latency(record, theirs, 50), 'x', {
      atMost: 1.2,
      note: `ejabberd ${both(theirs.arrivals)}`,
    }),
    row('send', 'p99 to the receiver against ejabberd', latency(record, theirs, 99), 'x', { atMost: 1 }),
  ]
}

function besideVariant({ record }: Load, { contestant, record: theirs }: Load): Row[] {
  const against = `against ${path.basename(contestant.name)}`
  return [
    row('send', `messages a second ${against}`, ratio(record.perSecond, theirs.perSecond), 'x', {
      note: `${median(theirs.perSecond).toFixed(0)}/s`,
    }),
    row('send', `server CPU a message ${against}`, ratio(record.cpuMicros, theirs.cpuMicros), 'x', { note: cpu(theirs) }),
    row('send', `PostgreSQL's CPU a message ${against}`, ratio(record.postgresMicros, theirs.postgresMicros), 'x'),
    row('send', `p50 to the receiver ${against}`, latency(record, theirs, 50), 'x', { note: both(theirs.arrivals) }),
    row('send', `p99 to the receiver ${against}`, latency(record, theirs, 99), 'x'),
  ]
}

const latency = (ours: Load['record'], theirs: Load['record'], percent: number): number =>
  percentile(ours.arrivals, percent) / percentile(theirs.arrivals, percent)

/** The median of the ratios of each round, since both contestants of a round met the same load of the machine. */
const ratio = (ours: number[], theirs: number[]): number =>
  median(ours.map((each, round) => each / (theirs[round] ?? Number.NaN)))

const cpu = ({ cpuMicros, postgresMicros }: Load['record']): string =>
  `${median(cpuMicros).toFixed(0)} µs and ${median(postgresMicros).toFixed(0)} µs`

const both = (times: number[]): string => `${percentile(times, 50).toFixed(1)} ms (p99 ${percentile(times, 99).toFixed(1)} ms)`
