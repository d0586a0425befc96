import type { OfferLimits } from '../../../contract/money/benefits.ts'
import { compareSizes, limitsOf, type PlanSize } from '../../../contract/money/offerLimits.ts'
import { compareTiers } from '../../../contract/money/plans.ts'
import { tierOf } from '../plans/plans.ts'

/** What an entry of the ledger says about the plan of its account. */
export interface Entry {
  key: string
  kind: 'invoice' | 'payment' | 'refund' | 'refund_failed' | 'dispute' | 'dispute_won' | 'grant'
  source: 'card' | 'coin' | 'operator'
  tier: string
  packageId: string | null
  /** What the plan allows today. */
  limits: OfferLimits
  amountCents: number
  startsAt: Date
  /** Null: until something else is said. */
  endsAt: Date | null
  /** The key of the payment that was paid back or disputed. */
  refersTo: string | null
}

/** A period that begins so soon has begun: the provider's clock may be ahead of ours. */
export const EARLY_MS = 5 * 60_000

/** The plan of an account at some time. */
export interface Standing extends PlanSize {
  packageId: string | null
  /** Null for a free account, like the end. */
  startDate: Date | null
  endDate: Date | null
  /** Null for a free account. */
  source: Entry['source'] | null
}

const FREE: Standing = { tier: 'free', limits: limitsOf('free'), packageId: null, startDate: null, endDate: null, source: null }

/**
 * Returns the plan that follows from an account's entries, in their order. The newest grant replaces earlier ones, and takes
 * nothing that was paid. Of it and the periods that are paid, not paid back, and running at that time or soon, the plan that allows most
 * counts, to the end of the last period of that plan that joins it without a gap. Free if there is none. A card subscription that will be billed again outlasts the last
 * period that it has paid by `graceDays`.
 */
export function standingAt(entries: readonly Entry[], at: Date, graceDays = 0): Standing {
  const newestGrant = entries.findLast(({ kind }) => kind === 'grant')
  const counted = entries.filter((entry) => entry.kind !== 'grant' || entry === newestGrant)
  const paid = counted.filter((entry) => isPeriod(entry) && !isPaidBack(entry, entries))
  // An earlier one is followed by what was paid next, so a smaller plan begins on its day.
  const lastEnd = Math.max(...paid.filter(({ source }) => source === 'card').map(lasts))
  const periods = paid.map((entry) =>
    entry.source === 'card' && lasts(entry) === lastEnd ? { ...entry, endsAt: later(entry.endsAt, graceDays) } : entry,
  )
  const hasBegun = ({ startsAt }: Entry) => startsAt.getTime() <= at.getTime() + EARLY_MS
  const running = periods.filter((entry) => hasBegun(entry) && (entry.endsAt === null || at < entry.endsAt))
  const [best] = running.sort((one, other) => compareSizes(sizeOf(other), sizeOf(one)) || lasts(other) - lasts(one))
  if (!best || compareTiers(tierOf(best.tier), 'free') === 0) return FREE
  const same = periods.filter(({ tier, packageId }) => tier === best.tier && packageId === best.packageId)
  return {
    ...sizeOf(best),
    packageId: best.packageId,
    startDate: new Date(Math.min(...same.filter(hasBegun).map(({ startsAt }) => startsAt.getTime()))),
    endDate: endOf(same, best.endsAt),
    source: best.source,
  }
}

const sizeOf = ({ tier, limits }: Entry): PlanSize => ({ tier: tierOf(tier), limits })

const isPeriod = ({ kind }: Entry): boolean => kind === 'payment' || kind === 'grant'

const DAY_MS = 24 * 60 * 60 * 1000

const later = (date: Date | null, days: number): Date | null => date && new Date(date.getTime() + days * DAY_MS)

const lasts = ({ endsAt }: Entry): number => endsAt?.getTime() ?? Number.MAX_SAFE_INTEGER

/** True if refunds have returned the whole amount, or a dispute of it was not won. */
function isPaidBack({ key, amountCents }: Entry, entries: readonly Entry[]): boolean {
  const about = (kind: Entry['kind']) => entries.filter((entry) => entry.kind === kind && entry.refersTo === key)
  const centsOf = (kind: Entry['kind']) => about(kind).reduce((sum, entry) => sum + entry.amountCents, 0)
  if (about('dispute').length > about('dispute_won').length) return true
  const isReturned = about('refund').length > about('refund_failed').length
  return isReturned && centsOf('refund') - centsOf('refund_failed') >= amountCents
}

/** The end of the periods that follow one another from this end on; null if one has no end. */
function endOf(periods: readonly Entry[], end: Date | null): Date | null {
  if (end === null) return null
  const next = periods.find(({ startsAt, endsAt }) => startsAt <= end && (endsAt === null || endsAt > end))
  return next ? endOf(periods, next.endsAt) : end
}

/** The same day of the month so many months later, UTC, or the last day of a shorter month. */
export function monthsAfter(date: Date, months: number): Date {
  const moved = new Date(date)
  moved.setUTCDate(1)
  moved.setUTCMonth(moved.getUTCMonth() + months)
  const days = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate()
  moved.setUTCDate(Math.min(date.getUTCDate(), days))
  return moved
}
