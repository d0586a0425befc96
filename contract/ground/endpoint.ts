import type { z } from 'zod'
import type { CallRate } from './rates.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Who may make a call. `admin`: an administrator. `master`: an account whose plan includes a family circle. */
export type Access = 'anyone' | 'signed_in' | 'admin' | 'master'

/**
 * How strongly a caller must be authenticated [Note: D4]. `session`: a session cookie. `account`: if the account has keys, a
 * device must have signed for the session. `device`: a device must have signed; otherwise 403 `device_required`. `recent`: the
 * person has just confirmed; otherwise 401 `step_up_required`.
 */
export type Assurance = 'session' | 'account' | 'device' | 'recent'

/**
 * How the body is read. `json`: one object, parsed into `input`. `raw`: the unchanged bytes, such as for a signature over them.
 * `stream`: the verb reads the body as it arrives. `raw` and `stream` accept any content type, and their `input` comes from the
 * path and the query.
 */
export type BodyKind = 'json' | 'raw' | 'stream'

/**
 * One HTTP call as a value: the server serves it, the client calls it, and both parse with the same schemas. `input` is one flat
 * object. Its fields fill the names in the path (`:id`) first; the others are sent in the query for GET and DELETE, in a JSON
 * body otherwise.
 */
export interface Endpoint<In extends z.ZodType = z.ZodType, Out extends z.ZodType = z.ZodType, Kind extends BodyKind = BodyKind> {
  method: Method
  /** The path. Only calls for other programs may be outside /api. */
  path: `/${string}`
  access: Access
  /** `account` if absent. A call that is open to anyone requires no session. */
  assurance?: Assurance
  /** The text of the refusal without a session, if the call has its own. */
  signInText?: string
  /** One sentence for the OpenAPI document. */
  summary: string
  input: In
  output: Out
  /** The rate limits of the call. Every call by which a session writes has at least one. */
  rates?: readonly CallRate[]
  /** `json` if absent. */
  body?: Kind
  /** `json` if absent. `bytes`: the answer is a file, with a type of its own. Refusals are JSON in both cases. */
  answer?: 'json' | 'bytes'
  /** Largest body in bytes; `LIMITS.bodyBytes` if absent. */
  bodyLimitBytes?: number
  /** Largest response in bytes that a page reads; `LIMITS.answerBytes` if absent. */
  answerLimitBytes?: number
}

/** Declares a call. It returns its argument unchanged and only fixes the types. */
export function endpoint<In extends z.ZodType, Out extends z.ZodType, Kind extends BodyKind = 'json'>(
  call: Endpoint<In, Out, Kind>,
): Endpoint<In, Out, Kind> {
  return call
}
