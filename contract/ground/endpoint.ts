import type { z } from 'zod'
import type { CallRate } from './rates.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** `master`: an account whose plan includes a family circle. */
export type Access = 'anyone' | 'signed_in' | 'admin' | 'master'

/**
 * [Note: D4] `account`: a device has signed if the account has keys. `device`: a device has signed (403 `device_required`).
 * `recent`: the person has just confirmed (401 `step_up_required`).
 */
export type Assurance = 'session' | 'account' | 'device' | 'recent'

/** `raw`: unchanged bytes. `stream`: the verb reads them. `input` then has no body. */
export type BodyKind = 'json' | 'raw' | 'stream'

/** Describes a call for server and client. `input` fills the path first, then the query (GET, DELETE) or a JSON body. */
export interface Endpoint<In extends z.ZodType = z.ZodType, Out extends z.ZodType = z.ZodType, Kind extends BodyKind = BodyKind> {
  method: Method
  /** Only calls for other programs lie outside /api. */
  path: `/${string}`
  access: Access
  /** `account` if absent. `anyone` requires no session. */
  assurance?: Assurance
  signInText?: string
  summary: string
  input: In
  output: Out
  rates?: readonly CallRate[]
  /** `json` if absent. */
  body?: Kind
  /** `json` if absent. `bytes`: a file; refusals stay JSON. */
  answer?: 'json' | 'bytes'
  /** `LIMITS.bodyBytes` if absent. */
  bodyLimitBytes?: number
  /** `LIMITS.answerBytes` if absent. */
  answerLimitBytes?: number
}

/** Fixes the types of its argument. */
export function endpoint<In extends z.ZodType, Out extends z.ZodType, Kind extends BodyKind = 'json'>(
  call: Endpoint<In, Out, Kind>,
): Endpoint<In, Out, Kind> {
  return call
}
