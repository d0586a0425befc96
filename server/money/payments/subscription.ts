import type { z } from 'zod'
import type { paymentsApi, Subscription, Usage } from '../../../contract/money/payments.ts'
import { PLAN_LIMITS } from '../../../contract/money/planlimits.ts'
import { compareTiers, PLANS, UNLIMITED } from '../../../contract/money/plans.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { hasTestCards } from '../../settings/cardsettings.ts'
import { paidStanding } from '../ledger/ledger.ts'
import type { Standing } from '../ledger/standing.ts'
import { tierOf } from '../plans/plans.ts'
import { findRefundable } from './refund.ts'
import * as store from './store.ts'
import { isLive } from './sync.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const MB = 1024 * 1024

export async function readSubscription(env: Env, user: SignedInUser): Promise<z.input<typeof paymentsApi.subscription.output>> {
  const now = env.clock()
  const paid = await paidStanding(env.db, user.id, now)
  const source = await sourceOf(env, user, paid)
  const card = await store.findCard(env.db, env.card.providerId, user.id)
  const refundable = env.config.hasGuarantee ? await findRefundable(env.db, card, now) : []
  return {
    ...{ tier: user.subscriptionTier, packageId: paid.packageId, endDate: paid.endDate?.toISOString() ?? null },
    ...(source && { source }),
    card: card && isLive(card) ? shownCard(card, now) : null,
    hasInvoices: (await store.listCardPayments(env.db, env.card.providerId, user.id)).length > 0,
    refundableCents: refundable.length > 0 ? refundable.reduce((sum, { amountCents }) => sum + amountCents, 0) : null,
    hasGuarantee: env.config.hasGuarantee && env.card.provider !== 'off',
    ...{ cardProvider: env.card.provider, masterPrice: env.config.masterPrice },
    hasTestCards: hasTestCards(env.config.card),
    ...(env.config.terms && { terms: env.config.terms }),
  }
}

export async function sourceOf(
  { db }: Pick<Env, 'db'>,
  { id, subscriptionTier }: SignedInUser,
  { tier, source }: Standing,
): Promise<Subscription['source']> {
  const isLent = compareTiers(subscriptionTier, tier) > 0 && (await store.isInFamily(db, id))
  return isLent ? 'family' : (source ?? undefined)
}

function shownCard(
  { tier, packageId, billingPeriod, periodEnd, renews, status, waiting, ...card }: store.CardAccount,
  now: Date,
) {
  const hasFailed = status === 'past_due'
  const failedAt = hasFailed ? card.failedSince : null
  const graceUntil = failedAt && new Date(failedAt.getTime() + PLAN_LIMITS.graceDays * DAY_MS)
  return {
    ...{ tier: tierOf(tier), packageId, billingPeriod: billingPeriod ?? ('monthly' as const), renews, hasFailed },
    ...{ periodEnd: (periodEnd ?? new Date(0)).toISOString(), graceUntil: graceUntil?.toISOString() ?? null },
    waiting:
      waiting && (waiting.until === null || new Date(waiting.until) > now) ? { ...waiting, tier: tierOf(waiting.tier) } : null,
  }
}

/** Counts sent messages, or without that right received ones. A full allowance drops nothing. */
export async function readUsage(env: Env, user: SignedInUser): Promise<Usage> {
  const now = env.clock()
  const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
  const row = await store.readUsage(env.db, user.id, month, now)
  if (!row) throw new Refusal('not_signed_in')
  if (!user.rights.send)
    return {
      messagesUsed: Number(row.received),
      fileStorageUsedMB: inMB(row.receivedBytes),
      videoCallMinutesUsed: row.videoMinutes,
      ...{ messagesLimit: PLAN_LIMITS.freeMessages, fileStorageLimitMB: PLAN_LIMITS.freeStorageMB },
      videoCallMinutesLimit: PLAN_LIMITS.freeVideoMinutes,
    }
  const limit = row.messagesPerMonth ?? PLANS[user.subscriptionTier].messagesPerMonth
  const isUnlimited = Number(row.storageBytes) === UNLIMITED
  return {
    ...{ messagesUsed: row.sent, videoCallMinutesUsed: row.videoMinutes },
    // What is judged against a limit of storage is all that is kept, not what a month has added.
    fileStorageUsedMB: inMB(isUnlimited ? row.uploadedBytes : row.storedBytes),
    messagesLimit: limit === UNLIMITED ? null : limit,
    fileStorageLimitMB: isUnlimited ? null : inMB(row.storageBytes),
    videoCallMinutesLimit: row.videoLimit < 0 ? null : row.videoLimit,
  }
}

const inMB = (bytes: string): number => Math.round((Number(bytes) / MB) * 10) / 10
