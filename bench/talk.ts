import { besideVariant, both, cpuOf, ratio, ratioAt } from './beside.ts'
import { type Contestant, enterProduct } from './contestant.ts'
import { missingPackage } from './ejabberd.ts'
import type { Ground } from './ground.ts'
import { type Load, loadInTurn, makeLoad } from './load.ts'
import { median, percentile } from './numbers.ts'
import { absent, type Row, row } from './row.ts'
import { enterEjabberdTalk, enterTalk } from './talkers.ts'

const PACE_PER_SECOND = 250

/**
 * Measures talked messages of 100 pairs: stored, at the receiver, marked as delivered and read, both receipts back at the sender, who
 * then writes the next. Compared with messages alone and, where it is installed, ejabberd.
 */
export async function measureTalk(ground: Ground): Promise<Row[]> {
  const [pairs, rounds, ms] = ground.isQuick ? [10, 1, 500] : [100, 5, 2000]
  const missing = missingPackage()
  const enter = async (contestant: Promise<Contestant>) => makeLoad(await contestant, pairs)
  const product = await enter(enterTalk(ground, pairs))
  const alone = await enter(enterProduct(ground, pairs))
  const ejabberd = missing ? undefined : await enter(enterEjabberdTalk(pairs))
  const variants: Load[] = []
  for (const folder of ground.variants) variants.push(await enter(enterTalk(ground, pairs, folder)))
  const loads = [product, alone, ...(ejabberd ? [ejabberd] : []), ...variants]
  await loadInTurn(loads, { rounds, ms, perSecond: PACE_PER_SECOND })
  return [
    ...rowsOf(product, alone, pairs),
    ...(ejabberd
      ? beside(product, ejabberd)
      : [absent('talk', 'against ejabberd with receipts and markers', `the package ${missing} is not installed here`)]),
    ...variants.flatMap((variant) => besideVariant('talk', product, variant, { words: 'to the receipts', of: 'acks' })),
  ]
}

function rowsOf({ record }: Load, { record: alone }: Load, pairs: number): Row[] {
  return [
    row('talk', 'messages a second, with both marks and receipts', median(record.perSecond), '/s', {
      note: `${pairs} pairs, each message marked at once; messages alone ${median(alone.perSecond).toFixed(0)}/s`,
    }),
    row('talk', 'the same against messages alone', ratio(record.perSecond, alone.perSecond), 'x', {
      atLeast: 0.5,
      note: 'as `send` measures them, in the same run',
    }),
    row('talk', 'server CPU a talked message, saturated', median(record.cpuMicros), 'µs', {
      note: `and ${median(record.postgresMicros).toFixed(0)} µs of PostgreSQL; messages alone ${cpuOf(alone)}`,
    }),
    row('talk', `sender to both receipts at ${PACE_PER_SECOND}/s, p50`, percentile(record.acks, 50), 'ms', {
      note: `at the receiver after ${both(record.arrivals)}`,
    }),
    row('talk', `sender to both receipts at ${PACE_PER_SECOND}/s, p99`, percentile(record.acks, 99), 'ms', {
      note: `of ${record.acks.length} messages`,
    }),
  ]
}

function beside({ record }: Load, { record: theirs }: Load): Row[] {
  return [
    row('talk', 'messages a second against ejabberd', ratio(record.perSecond, theirs.perSecond), 'x', {
      atLeast: 2,
      note: `ejabberd with receipts and markers kept by mod_mam ${median(theirs.perSecond).toFixed(0)}/s`,
    }),
    row('talk', 'server CPU a message against ejabberd', ratio(record.cpuMicros, theirs.cpuMicros), 'x', {
      note: `ejabberd ${cpuOf(theirs)}`,
    }),
    row('talk', "PostgreSQL's CPU a message against ejabberd", ratio(record.postgresMicros, theirs.postgresMicros), 'x'),
    row('talk', 'p50 to both receipts against ejabberd', ratioAt(50, record.acks, theirs.acks), 'x', {
      note: `ejabberd ${both(theirs.acks)}`,
    }),
    row('talk', 'p99 to both receipts against ejabberd', ratioAt(99, record.acks, theirs.acks), 'x'),
  ]
}
