import type { z } from 'zod'
import { Refusal } from '../refuse.ts'

/** What a request brings, as one flat object. Names in the path win over the body, the body over the query. */
export function flatten(query: unknown, body: unknown, params: unknown): Record<string, unknown> {
  if (body !== undefined && !isPlain(body)) throw new Refusal('invalid_input', { text: 'The body must be a JSON object' })
  return { ...asPlain(query), ...asPlain(body), ...asPlain(params) }
}

/** Parses by the contract. Throws Refusal `invalid_input` with the first issue's own words. */
export function parseInput<S extends z.ZodType>(shape: S, value: unknown): z.output<S> {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  const details = parsed.error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
  throw new Refusal('invalid_input', { ...(details[0] && { text: details[0].message }), details })
}

// PostgreSQL keeps no NUL in text. In JSON one can only be written as an escape behind an even number of backslashes.
const ESCAPED_NUL = /(?:^|[^\\])(?:\\\\)*\\u0000/

/** Throws Refusal where a JSON text holds a NUL character. */
export function refuseNulInJson(json: string): void {
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
