import type { z } from 'zod'
import { isWithinBounds } from '../../../contract/ground/json.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { Refusal } from '../../refuse.ts'
import { wordsOf } from '../../words.ts'

/** Maximum number of details in a refusal, so that the answer does not cost more than the request. */
const DETAILS_MAX = 20
const DETAIL_CHARS = 200

/** Merges a request's input into one flat object. Path parameters override the body, the body overrides the query. */
export function flatten(query: unknown, body: unknown, params: unknown): Record<string, unknown> {
  return { ...asPlain(query), ...(body === undefined ? {} : requirePlain(body)), ...asPlain(params) }
}

/** Returns the input of a request that has nothing but a body. Throws Refusal `invalid_input` unless it is an object. */
export function requirePlain(body: unknown): Record<string, unknown> {
  if (!isPlain(body)) throw new Refusal('invalid_input', { text: 'The body must be a JSON object' })
  return body
}

/** Parses by the contract. Throws Refusal `invalid_input` with the text of the first issue. */
export function parseInput<S extends z.ZodType>(shape: S, value: unknown): z.output<S> {
  // Nearly all input is right, and zod copies what it is given for the words of errors.
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

// PostgreSQL cannot store NUL in text. In JSON a NUL is an escape after an even number of backslashes.
const ESCAPED_NUL = /(?:^|[^\\])(?:\\\\)*\\u0000/

/** Throws Refusal for a JSON text that costs too much to parse or has a NUL character. Call it before the parser. */
export function checkJsonText(json: string): void {
  if (!isWithinBounds(json, LIMITS.json)) throw new Refusal('invalid_input', { text: 'The JSON has too many members or levels' })
  if (json.includes('\\u0000') && ESCAPED_NUL.test(json)) throw nulRefused()
}

/** Throws Refusal for a NUL, such as `%00`, in path or query. */
export function refuseNulInUrl(url: string): void {
  if (url.includes('%00') || url.includes('\0')) throw nulRefused()
}

const nulRefused = () => new Refusal('invalid_input', { text: 'A text may not contain the NUL character' })

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asPlain = (value: unknown): Record<string, unknown> => (isPlain(value) ? value : {})
