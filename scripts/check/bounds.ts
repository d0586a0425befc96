import type { TrackedFile } from './tracked.ts'

const OPENING = '([{'
const CLOSING = ')]}'

/**
 * Finds arrays and records of contract/ without a maximum size: their sender decides what checking them costs. An array carries
 * `.max(...)` or `.length(...)`, a record is a `boundedRecord`. `contract/ground/json.ts` has the limits that apply before parsing.
 */
export function findUnboundedShapes(files: TrackedFile[]): string[] {
  return files
    .filter(({ path }) => /^contract\/.*[.]ts$/.test(path) && !path.endsWith('.test.ts'))
    .flatMap(({ path, text }) => [
      ...[...text.matchAll(/[.]array\(/g)]
        .filter(({ index }) => !isBounded(text, index))
        .map(({ index }) => `${path}:${lineOf(text, index)}: an array without .max()`),
      ...[...text.matchAll(/[.](record|partialRecord|looseRecord|map|set)\((?!\()/g)]
        .filter(({ index }) => text.slice(0, index).endsWith('z') && !isInBoundedRecord(text, index))
        .map(({ index, 1: kind }) => `${path}:${lineOf(text, index)}: a ${kind} without a bound. Use boundedRecord`),
    ])
}

/** True if the chain of calls after the one at `from` has `.max(` or `.length(`. */
function isBounded(text: string, from: number): boolean {
  let at = endOfCall(text, text.indexOf('(', from))
  for (;;) {
    const call = /^\s*[.](\w+)\(/.exec(text.slice(at))
    if (!call) return false
    if (call[1] === 'max' || call[1] === 'length') return true
    at = endOfCall(text, at + call[0].length - 1)
  }
}

/** Index after the bracket that closes the one at `open`. Ignores that strings may contain brackets: those of shapes do not. */
function endOfCall(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    const character = text.charAt(at)
    if (OPENING.includes(character)) depth++
    if (CLOSING.includes(character)) depth--
    if (depth === 0) return at + 1
  }
  return text.length
}

const isInBoundedRecord = (text: string, at: number): boolean =>
  /export const boundedRecord = [^\n]*\n\s*z$/.test(text.slice(0, at))

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length
