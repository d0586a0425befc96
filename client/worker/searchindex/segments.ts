import { z } from 'zod'
import { jsonOf, type VaultValue } from '../vault/vaultRows.ts'

/** `text` is folded. */
export interface Entry {
  seq: number
  /** ms. */
  at: number
  text: string
}

/** Neighbouring messages of one room, oldest first. */
export interface Segment {
  number: number
  /** Rises with each change, for other tabs. */
  version: number
  seqs: number[]
  ats: number[]
  /** One folded text per line. */
  text: string
  starts: number[]
  newestAt: number
}

const FULL_MESSAGES = 1000
const FULL_UNITS = 200_000

const keptShape = z.object({ seqs: z.array(z.number()), ats: z.array(z.number()), text: z.string() })

/** Returns the stored form. */
export const keptSegment = ({ seqs, ats, text }: Segment) => ({ seqs, ats, text })

/** Parses a row. Throws 'vault_row'. */
export function readSegment(number: number, version: number, row: VaultValue): Segment {
  const { seqs, ats, text } = jsonOf(keptShape, row)
  return makeSegment(number, version, { seqs, ats, lines: text.split('\n') })
}

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
export function withEntries(
  segments: Segment[],
  entries: Entry[],
  next: number,
): { segments: Segment[]; changed: Segment[]; next: number } {
  const groups = new Map<Segment | undefined, Entry[]>()
  for (const entry of [...entries].sort((a, b) => a.seq - b.seq)) {
    const home = segments.findLast(({ seqs }) => (seqs[0] ?? 0) <= entry.seq) ?? segments[0]
    groups.set(home, [...(groups.get(home) ?? []), entry])
  }
  const changed: Segment[] = []
  const make = (of: Entry[], old?: Segment): Segment => {
    const made = segmentOf(old?.number ?? next, (old?.version ?? 0) + 1, of)
    if (!old) next += 1
    changed.push(made)
    return made
  }
  const grown = segments.flatMap((segment) => {
    const group = groups.get(segment)
    if (!group) return [segment]
    if (isFull(segment) && (group[0]?.seq ?? 0) > lastOf(segment)) return [segment, make(group)]
    if (isFull(segment) && (group.at(-1)?.seq ?? 0) < (segment.seqs[0] ?? 0)) return [make(group), segment]
    const all = [...new Map([...entriesOf(segment), ...group].map((entry) => [entry.seq, entry])).values()]
    all.sort((a, b) => a.seq - b.seq)
    const half = Math.ceil(all.length / 2)
    return half > FULL_MESSAGES ? [make(all.slice(0, half), segment), make(all.slice(half))] : [make(all, segment)]
  })
  const first = groups.get(undefined)
  return { segments: first ? [make(first)] : grown, changed, next }
}

const isFull = ({ seqs, text }: Segment): boolean => seqs.length >= FULL_MESSAGES || text.length >= FULL_UNITS
const lastOf = ({ seqs }: Segment): number => seqs.at(-1) ?? 0

const segmentOf = (number: number, version: number, entries: Entry[]): Segment =>
  makeSegment(number, version, {
    seqs: entries.map(({ seq }) => seq),
    ats: entries.map(({ at }) => at),
    lines: entries.map(({ text }) => text),
  })

function makeSegment(
  number: number,
  version: number,
  { seqs, ats, lines }: { seqs: number[]; ats: number[]; lines: string[] },
): Segment {
  let start = 0
  const starts = lines.map((line) => {
    start += line.length + 1
    return start - line.length - 1
  })
  return { number, version, seqs, ats, text: lines.join('\n'), starts, newestAt: Math.max(...ats) }
}

function entriesOf(segment: Segment): Entry[] {
  return segment.seqs.map((seq, index) => ({
    seq,
    at: segment.ats[index] ?? 0,
    text: segment.text.slice(segment.starts[index], endOf(segment, index)),
  }))
}
