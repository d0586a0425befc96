import type { ReviewReason } from '../../../contract/money/coinreviews.ts'
import { COINS, type CoinStatus, type Currency, currencyShape } from '../../../contract/money/coins.ts'
import { centsFor, enoughOf, rateOf } from './amounts.ts'
import { confirmationsOf } from './chain.ts'

export interface Received {
  id: string
  reference: string
  asset: string
  units: bigint
  height: number | null
  isInTime: boolean
  isGone: boolean
  isCredited: boolean
}

export interface Requested {
  id: string
  currency: Currency
  due: bigint
  usdCents: number
  rate: bigint
  expiresAt: Date
  /** Deleted or blocked. */
  isPayerGone: boolean
  /** A person's decision stands; null while the chain decides. */
  decided: CoinStatus | null
}

export interface Review {
  reason: ReviewReason
  about: string
  asset: string
  units: bigint
}

export interface Judgement {
  status: CoinStatus
  confirmations: number
  /** Stands in this currency. */
  received: bigint
  /** Due for the plan now; empty if it was credited before. */
  credits: readonly Received[]
  /** The same at each look. */
  reviews: readonly Review[]
}

/**
 * Judges after each successful look, with arrivals in their order. A replaced transaction or block takes back what it did, until
 * the plan was credited: then a person decides.
 */
export function judge(payment: Requested, arrivals: readonly Received[], head: number, now: Date): Judgement {
  const { currency, due } = payment
  const enough = enoughOf(due, payment.usdCents)
  const standing = arrivals.filter(({ isGone }) => !isGone)
  const own = standing.filter(({ asset }) => asset === currency)
  const isFinal = (each: Received) => confirmationsOf(each, head) >= COINS[currency].confirmations
  const lowest = (some: readonly Received[]) =>
    some.length === 0 ? 0 : Math.min(...some.map((each) => confirmationsOf(each, head)))
  const extraOf = (some: readonly Received[]) =>
    [true, false].flatMap((inTime) =>
      gather(
        payment,
        inTime ? 'double' : 'late',
        some.filter(({ isInTime }) => isInTime === inTime),
      ),
    )
  const aboutPayment = (reason: ReviewReason, units: bigint): Review => ({ reason, about: payment.id, asset: currency, units })

  const received = sum(own)
  const others = standing.filter((each) => each.asset !== currency && isFinal(each))
  const reviews = gather(payment, 'wrong_token', others)
  const finals = own.filter(isFinal)
  const answer = (
    status: CoinStatus,
    confirmations: number,
    more: readonly Review[] = [],
    credits: readonly Received[] = [],
  ) => ({
    ...{ status: payment.decided ?? status, confirmations, received, credits: payment.decided ? [] : credits },
    reviews: [...reviews, ...more],
  })

  if (arrivals.some(({ isCredited }) => isCredited)) {
    const extra = finals.filter(({ isCredited }) => !isCredited)
    const lost = arrivals.filter(({ isCredited, isGone }) => isCredited && isGone)
    const isShort = lost.length > 0 && received < enough
    const reorganised = isShort ? [aboutPayment('reorganised', sum(lost))] : []
    // The plan was withdrawn, and the chain shows the money again.
    const isBack = payment.decided === 'expired' && !isShort && received > 0n
    const returned = isBack ? [aboutPayment('late', sum(own.filter(({ isCredited }) => isCredited)))] : []
    const credited = lowest(own.filter(({ isCredited }) => isCredited))
    return answer(isShort ? 'needs_review' : 'confirmed', credited, [...extraOf(extra), ...reorganised, ...returned])
  }

  const inTime = own.filter((each) => each.isInTime)
  const certain = inTime.filter(isFinal)
  const paying = covering(certain, due) ?? covering(certain, enough)
  if (paying) {
    const rest = extraOf(finals.filter((each) => !paying.includes(each)))
    if (payment.isPayerGone) return answer('needs_review', lowest(paying), [aboutPayment('account_gone', sum(paying)), ...rest])
    const over = sum(paying) - due
    const overpaid = over > 0n && !isSmall(payment, currency, over) ? [aboutPayment('overpaid', over)] : []
    return answer('confirmed', lowest(paying), [...overpaid, ...rest], paying)
  }
  const coming = covering(inTime, enough)
  if (coming) return answer('confirming', lowest(coming))
  if (now <= payment.expiresAt) return answer('pending', 0)
  if (own.length === 0) return answer('expired', 0)
  // A transaction may still be replaced.
  if (finals.length < own.length) return answer('confirming', lowest(own))
  const less = sum(inTime)
  const late = own.filter((each) => !each.isInTime)
  const more = [...(less > 0n ? [aboutPayment('underpaid', less)] : []), ...extraOf(late)]
  return more.length === 0 ? answer('expired', 0) : answer('needs_review', lowest(own), more)
}

/** Adds what is small to what follows. */
function gather(payment: Requested, reason: ReviewReason, some: readonly Received[]): Review[] {
  const transactions = new Map<string, Received>()
  for (const each of some) {
    const key = `${each.reference} ${each.asset}`
    const first = transactions.get(key)
    transactions.set(key, first ? { ...first, units: first.units + each.units } : each)
  }
  const small = new Map<string, bigint>()
  return [...transactions.values()].flatMap(({ id, asset, units: more }) => {
    const units = (small.get(asset) ?? 0n) + more
    const isKept = isSmall(payment, asset, units)
    small.set(asset, isKept ? units : 0n)
    return isKept ? [] : [{ reason, about: id, asset, units }]
  })
}

const SMALL_CENTS = 100

function isSmall({ currency, rate, usdCents }: Requested, asset: string, units: bigint): boolean {
  const known = currencyShape.safeParse(asset).data
  if (!known) return false
  const about = known === currency ? rate : rateOf(COINS[known].fallbackUsd)
  return about !== undefined && centsFor(known, units, about) < Math.min(SMALL_CENTS, usdCents / 2)
}

/** Returns the first that reach the sum; undefined if all do not. */
function covering(some: readonly Received[], due: bigint): readonly Received[] | undefined {
  let total = 0n
  const at = some.findIndex(({ units }) => {
    total += units
    return total >= due
  })
  return at < 0 ? undefined : some.slice(0, at + 1)
}

const sum = (some: readonly Received[]): bigint => some.reduce((total, { units }) => total + units, 0n)

/** A request takes late money this long, if no look was possible. */
const GRACE_MS = 60 * 60_000

/** Takes the block's time, or that of the first sight. `isOpen`: no look since the end was empty. */
export function isInTime(expiresAt: Date, isOpen: boolean, blockAt: Date | null, now: Date): boolean {
  const lateMs = (blockAt ?? now).getTime() - expiresAt.getTime()
  return lateMs <= (isOpen ? GRACE_MS : 0)
}
