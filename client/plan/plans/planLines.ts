import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { benefitsOf, isUnlimited, type OfferLimits } from '../../../contract/money/benefits.ts'
import type { Subscription, Usage } from '../../../contract/money/payments.ts'
import { hasRight, PLANS, type Plan, UNLIMITED } from '../../../contract/money/plans.ts'
import type { Offered } from './plans.ts'

/** Undefined where real money is taken. */
export const testCardWords = ({ cardProvider, hasTestCards }: Pick<Subscription, 'cardProvider' | 'hasTestCards'>) =>
  cardProvider === 'sandbox' ? 'Sandbox, no real money' : hasTestCards ? 'Test mode, no real money' : undefined

/** Stands beside every list of benefits. */
export const BENEFITS_LIMIT = 'Priority support is what the operator of this server offers.'

/** Said where this server offers it. */
export const GUARANTEE =
  '30-day guarantee: what was paid by card comes back by one button of this page, once for an account and once for a card.'

/** The benefits of a plan, one line each. */
export function linesOf(plan: Plan): string[] {
  const { messagesPerMonth } = plan
  if (messagesPerMonth === UNLIMITED) return ['Unlimited messages, calls and files', ...moreOf(plan)]
  return [`${messagesPerMonth} messages per month`, 'Unlimited voice and video calls', ...moreOf(plan)]
}

function moreOf({ fileBytes, hasPrioritySupport }: Plan): string[] {
  const files = `Files up to ${megabytes(fileBytes)}MB, directly up to ${megabytes(TRANSFER_LIMITS.fileBytes)}MB`
  return [files, ...(hasPrioritySupport ? ['Priority support'] : [])]
}

const megabytes = (bytes: number): number => Math.round(bytes / (1024 * 1024))

export const MASTER_LINES = ['Everything in Premium', 'Family Circle of 5 invitees']

/** The benefits of a plan that is sold. */
export function offeredLinesOf({ tier, ...limits }: Pick<Offered, 'tier'> & OfferLimits): string[] {
  if (hasRight(tier, 'family')) return MASTER_LINES
  const plan = { ...PLANS[tier], messagesPerMonth: limits.messagesPerMonth }
  if (isUnlimited(limits))
    return [benefitsOf(limits), '50x messages, 50x storage, 20x video calls, compared with Free', ...moreOf(plan)]
  if (isUnlimited({ ...limits, messagesPerMonth: UNLIMITED })) return linesOf(plan)
  // `moreOf` says how large its files may be.
  return [benefitsOf({ ...limits, storageGB: Math.max(0, limits.storageGB) }), ...moreOf(plan)]
}

/** What an account on this plan can do, one line each. */
export function currentLinesOf(plan: Plan): string[] {
  const { send, family } = plan.rights
  if (!send) return ['Add people, and share your code', 'Receive and read messages from paid users']
  return [...linesOf(plan), ...(family ? ['A family circle'] : [])]
}

/** Formats a price: "$1,000" for 100000 cents. */
export const shownPrice = (cents: number): string =>
  (cents / 100).toLocaleString('en-US', { style: 'currency', currency: 'USD', minimumFractionDigits: cents % 100 === 0 ? 0 : 2 })

/** Formats an instant as a day: "December 1, 2026". */
export const shownDay = (instant: string): string =>
  new Date(instant).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/** Formats the end of a plan: "December 24", with the year where it is another one. */
export function shownEnd(instant: string, now = new Date()): string {
  const isThisYear = new Date(instant).getUTCFullYear() === now.getUTCFullYear()
  return isThisYear
    ? new Date(instant).toLocaleDateString('en-US', { month: 'long', day: 'numeric', timeZone: 'UTC' })
    : shownDay(instant)
}

/** Formats an instant to the minute, in the time of this browser: "Dec 1, 3:04 PM". */
export const shownMoment = (instant: string): string =>
  new Date(instant).toLocaleString('en-US', { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' })

interface UsageLine {
  name: string
  used: number
  /** Null if the plan has none. */
  limit: number | null
  unit: string
  percent: number
  /** `near` above 80 %, `full` from 100 % on. */
  state: 'normal' | 'near' | 'full'
  /** Another month frees nothing of it. */
  isKept: boolean
}

/** What is used of what the plan includes. Nothing if it limits none of that. */
export function usageLinesOf(usage: Usage, isReceived = false): UsageLine[] {
  const { messagesUsed, fileStorageUsedMB, videoCallMinutesUsed } = usage
  const all: Pick<UsageLine, 'name' | 'used' | 'limit' | 'unit' | 'isKept'>[] = [
    { name: isReceived ? 'Received' : 'Messages used', used: messagesUsed, limit: usage.messagesLimit, unit: '', isKept: false },
    {
      name: isReceived ? 'Files received' : 'Storage used',
      ...{ used: fileStorageUsedMB, limit: usage.fileStorageLimitMB, unit: ' MB', isKept: !isReceived },
    },
    {
      name: isReceived ? 'Video minutes received' : 'Video minutes used',
      ...{ used: videoCallMinutesUsed, limit: usage.videoCallMinutesLimit, unit: '', isKept: false },
    },
  ]
  const lines = all.filter(({ limit }) => limit !== 0)
  if (lines.every(({ limit }) => limit === null)) return []
  return lines.map((line) => {
    if (line.limit === null) return { ...line, percent: 0, state: 'normal' }
    const percent = Math.min(100, (line.used / line.limit) * 100)
    return { ...line, percent, state: line.used >= line.limit ? 'full' : percent > 80 ? 'near' : 'normal' }
  })
}
