import { z } from 'zod'
import { jsonOf, type VaultValue } from '../vault/vaultRows.ts'

/** `text` is folded. */
export interface Entry {
  seq: number
  /** ms. */
  at: number
  text: string
}

export interface SegmentMark {
  number: number
  /** Rises with each change, for other tabs. */
  version: number
  /** The lowest seq. */
  first: number
  /** ms. */
  newestAt: number
}

/** Neighbouring messages of one room, oldest first. */
export interface Segment extends SegmentMark {
  seqs: number[]
  ats: number[]
  /** One folded text per line. */
  text: string
  starts: number[]
}

type Named = Pick<SegmentMark, 'number' | 'version'>

const FULL_MESSAGES = 1000
const FULL_UNITS = 200_000

const keptShape = z.object({ seqs: z.array(z.number()), ats: z.array(z.number()), text: z.string() })

/** Returns the stored form. */
export const keptSegment = ({ seqs, ats, text }: Segment) => ({ seqs, ats, text })

/** Parses a row. Throws 'vault_row'. */
export const readSegment = ({ number, version }: Named, row: VaultValue): Segment =>
  makeSegment({ number, version }, jsonOf(keptShape, row))

export const markOf = ({ number, version, first, newestAt }: Segment): SegmentMark => ({ number, version, first, newestAt })

/** Returns the index of the message at an offset. */
export function indexAt({ starts }: Segment, place: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= place) low = middle
    else high = middle - 1
  }
  return low
}

/** Returns the offset of a line's end. */
export const endOf = ({ starts, text }: Segment, index: number): number => (starts[index + 1] ?? text.length + 1) - 1

/** Adds or replaces messages. `changed`: the segments to store. `next`: an unused number. */
export async function withEntries(
  marks: SegmentMark[],
  entries: Entry[],
  next: number,
  open: (mark: SegmentMark) => Promise<Segment>,
): Promise<{ marks: SegmentMark[]; changed: Segment[]; next: number }> {
  const groups = new Map<SegmentMark | undefined, Entry[]>()
  for (const entry of [...entries].sort((a, b) => a.seq - b.seq)) {
    const home = marks.findLast(({ first }) => first <= entry.seq) ?? marks[0]
    groups.set(home, [...(groups.get(home) ?? []), entry])
  }
  const changed: Segment[] = []
  const make = (of: Entry[], old?: Named): Segment => {
    const made = segmentOf(old?.number ?? next, (old?.version ?? 0) + 1, of)
    if (!old) next += 1
    changed.push(made)
    return made
  }
  const grow = (segment: Segment, group: Entry[]): Segment[] => {
    if (isFull(segment) && (group[0]?.seq ?? 0) > lastOf(segment)) return [segment, make(group)]
    if (isFull(segment) && (group.at(-1)?.seq ?? 0) < segment.first) return [make(group), segment]
    const all = [...new Map([...entriesOf(segment), ...group].map((entry) => [entry.seq, entry])).values()]
    all.sort((a, b) => a.seq - b.seq)
    const half = Math.ceil(all.length / 2)
    return half > FULL_MESSAGES ? [make(all.slice(0, half), segment), make(all.slice(half))] : [make(all, segment)]
  }
  const grown: SegmentMark[] = []
  for (const mark of marks) {
    const group = groups.get(mark)
    grown.push(...(group ? grow(await open(mark), group).map(markOf) : [mark]))
  }
  const first = groups.get(undefined)
  return { marks: first ? [markOf(make(first))] : grown, changed, next }
}

const isFull = ({ seqs, text }: Segment): boolean => seqs.length >= FULL_MESSAGES || text.length >= FULL_UNITS
const lastOf = ({ seqs }: Segment): number => seqs.at(-1) ?? 0

const segmentOf = (number: number, version: number, entries: Entry[]): Segment =>
  makeSegment(
    { number, version },
    {
      seqs: entries.map(({ seq }) => seq),
      ats: entries.map(({ at }) => at),
      text: entries.map(({ text }) => text).join('\n'),
    },
  )

function makeSegment(named: Named, { seqs, ats, text }: z.infer<typeof keptShape>): Segment {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return { ...named, first: seqs[0] ?? 0, newestAt: Math.max(...ats), seqs, ats, text, starts }
}

function entriesOf(segment: Segment): Entry[] {
  return segment.seqs.map((seq, index) => ({
    seq,
    at: segment.ats[index] ?? 0,
    text: segment.text.slice(segment.starts[index], endOf(segment, index)),
  }))
}
