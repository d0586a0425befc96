import { fold, type Places } from './foldText.ts'

/** UTF-16 units. */
export type Range = [from: number, to: number]

export interface Snippet {
  text: string
  marks: Range[]
  /** The ranges in the whole message. */
  places: Range[]
}

const BEFORE = 40
const LENGTH = 200
/** A text of 60 kB may have a word thousands of times. */
const PLACES_MAX = 200

/** Cuts out the first match. */
export function snippetOf(text: string, needles: string[]): Snippet {
  const found = matchesIn(text, needles)
  const [first] = found[0] ?? [0]
  const start = first <= BEFORE ? 0 : wordAfter(text, first - BEFORE, first)
  const end = start + LENGTH >= text.length ? text.length : whole(text, start + LENGTH)
  const head = start > 0 ? '…' : ''
  const shown = head + text.slice(start, end).replace(/\s/gu, ' ') + (end < text.length ? '…' : '')
  const shift = head.length - start
  const marks = found.filter(([from]) => from < end).map(([from, to]): Range => [from + shift, Math.min(to, end) + shift])
  return { text: shown, marks, places: found.slice(0, PLACES_MAX) }
}

function matchesIn(text: string, needles: string[]): Range[] {
  const places: Places = { from: [], to: [] }
  const folded = fold(text, places)
  const found: Range[] = []
  for (const needle of needles) {
    const begin = needle.startsWith(' ') ? 1 : 0
    for (let at = folded.indexOf(needle); at >= 0; at = folded.indexOf(needle, at + needle.length))
      found.push([places.from[at + begin] ?? 0, places.to[at + needle.length - 1] ?? 0])
  }
  return merged(found.sort(([a], [b]) => a - b))
}

function merged(sorted: Range[]): Range[] {
  const apart: Range[] = []
  for (const [from, to] of sorted) {
    const last = apart.at(-1)
    if (last && from < last[1]) last[1] = Math.max(last[1], to)
    else apart.push([from, to])
  }
  return apart
}

/** Returns the next word's offset, if before `limit`. */
function wordAfter(text: string, at: number, limit: number): number {
  const gap = text.slice(at, limit).search(/\s/u)
  return gap < 0 ? whole(text, at) : at + gap + 1
}

/** A surrogate pair must stay whole. */
const whole = (text: string, at: number): number => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at)
