import type { z } from 'zod'
import { isWithinBounds } from '../../contract/json.ts'
import { LIMITS } from '../../contract/limits.ts'
import { Refusal } from '../refuse.ts'
import { wordsOf } from '../words.ts'

/** What a refusal says of an input that is wrong in many places: its answer must not cost more than the request. */
const DETAILS_MAX = 20
const DETAIL_CHARS = 200

/** What a request brings, as one flat object. Names in the path win over the body, the body over the query. */
export function flatten(query: unknown, body: unknown, params: unknown): Record<string, unknown> {
  if (body !== undefined && !isPlain(body)) throw new Refusal('invalid_input', { text: 'The body must be a JSON object' })
  return { ...asPlain(query), ...asPlain(body), ...asPlain(params) }
}

/** Parses by the contract. Throws Refusal `invalid_input` with the first issue's own words. */
export function parseInput<S extends z.ZodType>(shape: S, value: unknown): z.output<S> {
  const parsed = shape.safeParse(value, { error: wordsOf })
  if (parsed.success) return parsed.data
  const details = parsed.error.issues.slice(0, DETAILS_MAX).map(({ path, message }) => ({
    path: path.map(String).join('.').slice(0, DETAIL_CHARS),
    message: message.slice(0, DETAIL_CHARS),
  }))
  throw new Refusal('invalid_input', { ...(details[0] && { text: details[0].message }), details })
}

// PostgreSQL keeps no NUL in text. In JSON one can only be written as an escape behind an even number of backslashes.
const ESCAPED_NUL = /(?:^|[^\\])(?:\\\\)*\\u0000/

/** Throws Refusal for a JSON text that would cost too much to parse, or that holds a NUL character. Comes before the parser. */
export function checkJsonText(json: string): void {
  if (!isWithinBounds(json, LIMITS.json)) throw new Refusal('invalid_input', { text: 'The JSON has too many members or levels' })
  if (json.includes('\\u0000') && ESCAPED_NUL.test(json)) throw nulRefused()
}

/** The same for the address: `%00` in path or query. */
export function refuseNulInUrl(url: string): void {
  if (url.includes('%00') || url.includes('\0')) throw nulRefused()
}

const nulRefused = () => new Refusal('invalid_input', { text: 'A text may not contain the NUL character' })

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const asPlain = (value: unknown): Record<string, unknown> => (isPlain(value) ? value : {})
