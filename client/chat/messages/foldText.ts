import type { Range } from '../../ui/textPieces.ts'

/** A text beyond either is folded to less than that. */
const LINES_MAX = 40
const CHARS_MAX = 6000
const LINES_SHOWN = 20
const CHARS_SHOWN = 3000

const BREAK = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/g

/** Returns the place where a long text is folded; undefined for one that is shown whole. */
export function foldOf(text: string): { end: number; lines: number } | undefined {
  const breaks = [...text.matchAll(BREAK)]
  if (breaks.length < LINES_MAX && text.length <= CHARS_MAX) return undefined
  const end = Math.min(breaks[LINES_SHOWN - 1]?.index ?? text.length, CHARS_SHOWN)
  // No half of a character.
  const isHalf = /[\uD800-\uDBFF]$/.test(text.slice(0, end))
  return { end: isHalf ? end - 1 : end, lines: breaks.length + 1 }
}

export const isBehind = (end: number, marks: readonly Range[] = []): boolean => marks.some(([, to]) => to > end)
