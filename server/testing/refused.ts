import { expect } from 'vitest'
import type { RefusalCode } from '../../contract/ground/refusals.ts'
import { type Answer, RefusedCall } from './browser.ts'

declare module 'vitest' {
  // biome-ignore lint/suspicious/noExplicitAny: vitest declares it so, and a second declaration must be the same.
  interface Matchers<T = any> {
    /** Expects a response or a rejected call with the shape of a refusal, this status and, if given, this code. */
    toBeRefused(status: number, code?: RefusalCode): T
  }
}

expect.extend({
  toBeRefused(received: unknown, status: number, code?: RefusalCode) {
    const answer = received instanceof RefusedCall ? received.answer : isAnswer(received) ? received : undefined
    const isRefusal = answer?.code !== undefined && errorOf(answer.body) !== undefined
    return {
      pass: answer?.status === status && isRefusal && (code === undefined || answer.code === code),
      message: () => `expected ${status} ${code ?? ''}, got ${answer ? JSON.stringify(answer).slice(0, 300) : String(received)}`,
    }
  },
})

const isAnswer = (value: unknown): value is Answer =>
  typeof value === 'object' && value !== null && 'status' in value && 'code' in value && 'body' in value

const errorOf = (body: unknown): string | undefined =>
  typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string' ? body.error : undefined
