import type { z } from 'zod'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/**
 * One HTTP call as a value: the server serves it, the client calls it, and both parse with the same schemas.
 * `input` is one flat object: names in the path (`:id`) are filled from it first; the rest travels in the
 * query for GET and DELETE, in a JSON body otherwise.
 */
export interface Endpoint<In extends z.ZodType = z.ZodType, Out extends z.ZodType = z.ZodType> {
  method: Method
  path: `/api/${string}`
  access: 'anyone' | 'signed_in'
  /** What a caller without a session reads, where the call has words of its own for it. */
  signInText?: string
  /** One sentence for the OpenAPI document. */
  summary: string
  input: In
  output: Out
  /** Largest body in bytes; `LIMITS.bodyBytes` when absent. */
  bodyLimitBytes?: number
}

/** Declares a call. It only fixes the types. */
export function endpoint<In extends z.ZodType, Out extends z.ZodType>(call: Endpoint<In, Out>): Endpoint<In, Out> {
  return call
}
