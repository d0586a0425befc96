import type { z } from 'zod'
import { isWithinBounds } from '../../../contract/ground/json.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { Refusal } from '../../refuse.ts'
import { wordsOf } from '../../words.ts'

/** Details per refusal, so that the answer stays cheap. */
const DETAILS_MAX = 20
const DETAIL_CHARS = 200

/** Path overrides body, body overrides query. */
export function flatten(query: unknown, body: unknown, params: unknown): Record<string, unknown> {
  return { ...asPlain(query), ...(body === undefined ? {} : requirePlain(body)), ...asPlain(params) }
}

/** Throws Refusal `invalid_input` unless the body is an object. */
export function requirePlain(body: unknown): Record<string, unknown> {
  if (!isPlain(body)) throw new Refusal('invalid_input', { text: 'The body must be a JSON object' })
  return body
}

/** Throws Refusal `invalid_input` with the first issue. */
export function parseInput<S extends z.ZodType>(shape: S, value: unknown): z.output<S> {
  // zod copies the input for the words of errors, and nearly all input is right.
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  const { error } = shape.safeParse(value, { error: wordsOf })
  if (!error) throw new Error('An input was read in two ways')
  const details = error.issues.slice(0, DETAILS_MAX).map(({ path, message }) => ({
    path: path.map(String).join('.').slice(0, DETAIL_CHARS),
    message: message.slice(0, DETAIL_CHARS),
  }))
  throw new Refusal('invalid_input', { ...(details[0] && { text: details[0].message }), details })
}

// A NUL is an escape after an even number of backslashes.
const ESCAPED_NUL = /(?:^|[^\\])(?:\\\\)*\\u0000/

/** Throws Refusal for a NUL or costly JSON; must run before the parser. */
export function checkJsonText(json: string): void {
  if (!isWithinBounds(json, LIMITS.json)) throw new Refusal('invalid_input', { text: 'The JSON has too many members or levels' })
  if (json.includes('\\u0000') && ESCAPED_NUL.test(json)) throw nulRefused()
}

/** Throws Refusal `invalid_input`. */
export function refuseNulInUrl(url: string): void {
  if (url.includes('%00') || url.includes('\0')) throw nulRefused()
}

const nulRefused = () => new Refusal('invalid_input', { text: 'A text may not contain the NUL character' })

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asPlain = (value: unknown): Record<string, unknown> => (isPlain(value) ? value : {})
