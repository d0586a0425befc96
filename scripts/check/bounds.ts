import type { TrackedFile } from './tracked.ts'

const OPENING = '([{'
const CLOSING = ')]}'

/**
 * Arrays and records of contract/ that may have any number of members: whoever sends one decides what checking it costs. An
 * array carries `.max(...)` or `.length(...)`, a record is a `boundedRecord`. What is counted before anything is parsed stands in
 * `contract/json.ts`.
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

/** True if `.max(` or `.length(` stands in the chain of calls that follows the one at `from`. */
function isBounded(text: string, from: number): boolean {
  let at = endOfCall(text, text.indexOf('(', from))
  for (;;) {
    const call = /^\s*[.](\w+)\(/.exec(text.slice(at))
    if (!call) return false
    if (call[1] === 'max' || call[1] === 'length') return true
    at = endOfCall(text, at + call[0].length - 1)
  }
}

/** Just past the bracket that closes the one at `open`. Strings with brackets of their own are not expected in shapes. */
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
