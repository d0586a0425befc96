import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Endpoint } from '../../../contract/ground/endpoint.ts'
import { RATES, type Rate } from '../../../contract/ground/rates.ts'
import { Refusal } from '../../refuse.ts'

/** Undoes one count, as after a successful sign-in. */
export type GiveBack = () => Promise<void>

export interface Limits {
  /** Throws Refusal `too_many_requests` with the seconds to wait. */
  take(rate: Rate, key: string, points?: number): Promise<GiveBack>
}

/** Never refuses: for measurements and tests. */
export const noLimits: Limits = { take: async () => async () => undefined }

/** Counts in memory, in windows of `clock`. */
export function makeLimits(clock: () => Date): Limits {
  const limiters = new Map(
    Object.entries(RATES).map(([rate, { points, seconds }]) => [
      rate,
      { seconds, counter: new RateLimiterMemory({ keyPrefix: rate, points, duration: seconds }) },
    ]),
  )
  return {
    async take(rate, key, points = 1) {
      const limiter = limiters.get(rate)
      if (!limiter) throw new Error(`No rate is called ${rate}`)
      const now = clock().getTime() / 1000
      const window = Math.floor(now / limiter.seconds)
      try {
        await limiter.counter.consume(`${window}:${key}`, points)
        return async () => void (await limiter.counter.reward(`${window}:${key}`, points))
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error
        throw tooManyRequests(Math.max(1, Math.ceil((window + 1) * limiter.seconds - now)))
      }
    },
  }
}

/** Throws Refusal `too_many_requests`. */
export async function takeRates(
  limits: Limits,
  { rates = [] }: Endpoint,
  { id, sessionHash }: { id: string; sessionHash: string },
  input: unknown,
): Promise<void> {
  const keys = { user: id, session: sessionHash, room: `${id} ${roomOf(input)}` }
  for (const rate of rates) await limits.take(rate, keys[RATES[rate].per])
}

const roomOf = (input: unknown): string =>
  typeof input === 'object' && input !== null && 'chatRoomId' in input ? String(input.chatRoomId) : ''

export function tooManyRequests(retryAfterSeconds: number): Refusal {
  const wait = retryAfterSeconds === 1 ? '1 second' : `${retryAfterSeconds} seconds`
  return new Refusal('too_many_requests', { text: `Too many attempts. Try again in ${wait}`, retryAfterSeconds })
}
