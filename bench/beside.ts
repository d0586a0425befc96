import path from 'node:path'
import type { Load, Loaded } from './load.ts'
import { median, percentile } from './numbers.ts'
import { type Row, row } from './row.ts'

/** What a figure calls the latency that it is about. */
interface Latency {
  words: string
  of: 'acks' | 'arrivals'
}

/** Rows of another build of the product, measured in turn with this one. */
export function besideVariant(figure: string, { record }: Load, variant: Load, { words, of }: Latency): Row[] {
  const { contestant, record: theirs } = variant
  const against = `against ${path.basename(contestant.name)}`
  return [
    row(figure, `messages a second ${against}`, ratio(record.perSecond, theirs.perSecond), 'x', {
      note: `${median(theirs.perSecond).toFixed(0)}/s`,
    }),
    row(figure, `server CPU a message ${against}`, ratio(record.cpuMicros, theirs.cpuMicros), 'x', { note: cpuOf(theirs) }),
    row(figure, `PostgreSQL's CPU a message ${against}`, ratio(record.postgresMicros, theirs.postgresMicros), 'x'),
    row(figure, `p50 ${words} ${against}`, ratioAt(50, record[of], theirs[of]), 'x', { note: both(theirs[of]) }),
    row(figure, `p99 ${words} ${against}`, ratioAt(99, record[of], theirs[of]), 'x'),
  ]
}

/** The median of the ratios of each round, since both contestants of a round met the same load of the machine. */
export const ratio = (ours: number[], theirs: number[]): number =>
  median(ours.map((each, round) => each / (theirs[round] ?? Number.NaN)))

/** The ratio of a percentile of all rounds. */
export const ratioAt = (percent: number, ours: number[], theirs: number[]): number =>
  percentile(ours, percent) / percentile(theirs, percent)

/** Processor time of server and PostgreSQL, in words. */
export const cpuOf = ({ cpuMicros, postgresMicros }: Loaded): string =>
  `${median(cpuMicros).toFixed(0)} µs and ${median(postgresMicros).toFixed(0)} µs`

/** p50 and p99 of times in ms, in words. */
export const both = (times: number[]): string =>
  `${percentile(times, 50).toFixed(1)} ms (p99 ${percentile(times, 99).toFixed(1)} ms)`
