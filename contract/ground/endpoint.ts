import type { z } from 'zod'
import type { CallRate } from './rates.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** `master`: the plan includes a family circle. */
export type Access = 'anyone' | 'signed_in' | 'admin' | 'master'

/**
 * [Note: D4] `account`: a device has signed, if the account has keys. `device`: 403 `device_required`. `recent`: 401
 * `step_up_required`.
 */
export type Assurance = 'session' | 'account' | 'device' | 'recent'

/** `stream`: the verb reads the bytes. Only `json` has a body in `input`. */
export type BodyKind = 'json' | 'raw' | 'stream'

/** One call, for server and client. `input` fills the path, then query (GET, DELETE) or body. */
export interface Endpoint<In extends z.ZodType = z.ZodType, Out extends z.ZodType = z.ZodType, Kind extends BodyKind = BodyKind> {
  method: Method
  /** Calls for other programs may lie outside /api. */
  path: `/${string}`
  access: Access
  /** Default: `account`. */
  assurance?: Assurance
  /** [Note: D4] */
  whileAsleep?: true
  signInText?: string
  summary: string
  input: In
  output: Out
  rates?: readonly CallRate[]
  /** `json` if absent. */
  body?: Kind
  /** Default: `json`. Refusals are always JSON. */
  answer?: 'json' | 'bytes'
  /** Default: `LIMITS.bodyBytes`. */
  bodyLimitBytes?: number
  /** Default: `LIMITS.answerBytes`. */
  answerLimitBytes?: number
}

export function endpoint<In extends z.ZodType, Out extends z.ZodType, Kind extends BodyKind = 'json'>(
  call: Endpoint<In, Out, Kind>,
): Endpoint<In, Out, Kind> {
  return call
}
