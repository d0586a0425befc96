import type { Env } from '../../env.ts'

export type CheckEnv = Pick<Env, 'db' | 'clock' | 'card' | 'coins' | 'fault'>

/** What the provider or a chain says otherwise than this server. */
export interface Difference {
  /** Names it with the account and the provider's ids. */
  line: string
  /** What a person has to do where nothing mends it. */
  todo: string
  mend?: Mend
}

export interface Mend {
  /** `event`: as an event would have done. `end`: ends a subscription, which only a person asks for. */
  kind: 'event' | 'end'
  /** In words. */
  did: string
  work(): Promise<unknown>
  isLeft(): Promise<boolean>
}

/** One piece of a walk. */
export interface Piece {
  looked: number
  differences: Difference[]
  /** The next piece begins behind it; undefined at the end of this part. */
  after: string | undefined
}

/** What a walk remembers between its pieces. */
export interface Walk {
  startedAt: Date
  /** Payments of before are left out. */
  since: Date | undefined
  /** The part under way, and where its next piece begins. */
  part: number
  after: string | undefined
  /** What of a piece is not settled yet, and where the next piece begins. */
  left: Difference[]
  next: string | undefined
  looked: number
  /** Keys of the ledger that the provider has. */
  seen: Set<string>
  /** Subscriptions that the provider has listed. */
  listed: Set<string>
  /** Chains whose node did not answer. */
  silent: Set<string>
  differences: Set<string>
  mended: Set<string>
  /** The first mend that failed for no reason of the provider's. */
  failure: unknown
}

/** Its event may still be under way. */
const YOUNG_SECONDS = 10 * 60

export const isYoung = ({ startedAt }: Walk, created: number): boolean => startedAt.getTime() / 1000 - created < YOUNG_SECONDS

export const PAGE = 100

/** The page of the provider's list that comes next. */
export const pageOf = ({ after, since }: Walk) => ({
  limit: PAGE,
  ...(after !== undefined && { starting_after: after }),
  ...(since && { created: { gte: Math.floor(since.getTime() / 1000) } }),
})

export const lastOf = ({ data, has_more: hasMore }: { data: { id?: string }[]; has_more: boolean }): string | undefined =>
  hasMore ? data.at(-1)?.id : undefined
