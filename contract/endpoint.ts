import type { z } from 'zod'
import type { CallRate } from './limits.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Who may make a call. `admin`: an administrator. `master`: an account whose plan has a family circle. */
export type Access = 'anyone' | 'signed_in' | 'admin' | 'master'

/**
 * How sure the server must be that it is them [Note: D4]. `session`: the cookie, whatever it has proven. `account`: in an account
 * with keys a device must have signed for the session; one without keys has no device to ask for. `device`: a device has signed;
 * otherwise 403 `device_required`. `recent`: the person has just confirmed; otherwise 401 `step_up_required`.
 */
export type Assurance = 'session' | 'account' | 'device' | 'recent'

/**
 * How the body arrives. `json`: one object, parsed into `input`. `raw`: its bytes exactly as they came, such as for a signature
 * over them. `stream`: read by the verb while it arrives. With `raw` and `stream` any content type is taken, and `input` comes
 * from the path and the query.
 */
export type BodyKind = 'json' | 'raw' | 'stream'

/**
 * One HTTP call as a value: the server serves it, the client calls it, and both parse with the same schemas.
 * `input` is one flat object: names in the path (`:id`) are filled from it first; the rest travels in the
 * query for GET and DELETE, in a JSON body otherwise.
 */
export interface Endpoint<In extends z.ZodType = z.ZodType, Out extends z.ZodType = z.ZodType, Kind extends BodyKind = BodyKind> {
  method: Method
  /** Mostly below /api; what other programs call may stand elsewhere. */
  path: `/${string}`
  access: Access
  /** `account` when absent. A call that is open to anyone asks for no session. */
  assurance?: Assurance
  /** What a caller without a session reads, where the call has words of its own for it. */
  signInText?: string
  /** One sentence for the OpenAPI document. */
  summary: string
  input: In
  output: Out
  /** What each call is counted against. Every call that a session writes by has one. */
  rates?: readonly CallRate[]
  /** `json` when absent. */
  body?: Kind
  /** Largest body in bytes; `LIMITS.bodyBytes` when absent. */
  bodyLimitBytes?: number
  /** Largest answer in bytes that a page reads; `LIMITS.answerBytes` when absent. */
  answerLimitBytes?: number
}

/** Declares a call. It only fixes the types. */
export function endpoint<In extends z.ZodType, Out extends z.ZodType, Kind extends BodyKind = 'json'>(
  call: Endpoint<In, Out, Kind>,
): Endpoint<In, Out, Kind> {
  return call
}
