import { besideVariant, both, cpuOf, ratio, ratioAt } from './beside.ts'
import { type Contestant, enterFloor, enterProduct } from './contestant.ts'
import { enterEjabberd, missingPackage } from './ejabberd.ts'
import type { Ground } from './ground.ts'
import { type Load, loadInTurn, makeLoad } from './load.ts'
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
  await loadInTurn(loads, { rounds, ms, perSecond: PACE_PER_SECOND })
  return [
    ...rowsOf(product, floor, pairs),
    ...(ejabberd
      ? beside(product, ejabberd)
      : [absent('send', 'against ejabberd with mod_mam on the same PostgreSQL', `the package ${missing} is not installed here`)]),
    ...variants.flatMap((variant) => besideVariant('send', product, variant, { words: 'to the receiver', of: 'arrivals' })),
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
      note: `and ${median(record.postgresMicros).toFixed(0)} µs of PostgreSQL; the floor ${cpuOf(floor)}`,
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
      note: `ejabberd ${cpuOf(theirs)}`,
    }),
    row('send', 'p50 to the receiver against ejabberd', ratioAt(50, record.arrivals, theirs.arrivals), 'x', {
      atMost: 1.2,
      note: `ejabberd ${both(theirs.arrivals)}`,
    }),
    row('send', 'p99 to the receiver against ejabberd', ratioAt(99, record.arrivals, theirs.arrivals), 'x', { atMost: 1 }),
  ]
}
