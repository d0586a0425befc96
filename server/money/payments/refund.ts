import type Stripe from 'stripe'
import { PLAN_LIMITS } from '../../../contract/money/planlimits.ts'
import type { Env, SignedInUser } from '../../env.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { Refusal } from '../../refuse.ts'
import { asked } from './card.ts'
import { inTurn } from './cardTurns.ts'
import { markCards } from './guarantee.ts'
import { dropPending, endNow } from './pending.ts'
import { askRefunds, writeRefunds } from './returns.ts'
import * as store from './store.ts'
import { isLive, syncCard } from './sync.ts'

const DAY_MS = 24 * 60 * 60 * 1000

interface Refundable {
  intent: string
  amountCents: number
}

const RETURNED = ['refund', 'dispute']

/** Returns what was bought within 30 days, on an account never paid back; else empty. An interrupted refund leaves the rest. */
export async function findRefundable(db: Queryable, card: store.CardAccount | undefined, now: Date): Promise<Refundable[]> {
  const startedAt = card?.startedAt ?? null
  if (!card || startedAt === null || !isLive(card)) return []
  const entries = await store.listCardPayments(db, card.providerId, card.userId)
  const payments = entries.filter(
    ({ kind, createdAt, startsAt }) => kind === 'payment' && (createdAt >= startedAt || startsAt >= startedAt),
  )
  const paidBack = entries.flatMap(({ kind, refersTo }) => (RETURNED.includes(kind) ? [refersTo] : []))
  const isOfThisOne = paidBack.every((key) => payments.some((payment) => payment.key === key))
  // The provider's clock differs. An interrupted refund has ended the renewal: no payment followed.
  const sinceThen = entries.slice(
    0,
    entries.findLastIndex(({ kind }) => RETURNED.includes(kind)),
  )
  const isPaidSince = sinceThen.some(({ kind }) => kind === 'payment')
  if (paidBack.length > 0 && (card.renews || !isOfThisOne || isPaidSince)) return []
  const isInTime = (payment: Period) => now.getTime() - boughtAt(payment, payments).getTime() <= PLAN_LIMITS.refundDays * DAY_MS
  return payments
    .filter(isInTime)
    .flatMap(({ key, reference, amountCents }) =>
      reference !== null && amountCents > 0 && !paidBack.includes(key) ? [{ intent: reference, amountCents }] : [],
    )
}

type Period = Pick<Awaited<ReturnType<typeof store.listCardPayments>>[number], 'startsAt' | 'endsAt'>

/** A renewal was bought with what it follows. */
function boughtAt({ startsAt }: Period, payments: readonly Period[]): Date {
  const before = payments.find((each) => each.endsAt?.getTime() === startsAt.getTime() && each.startsAt < startsAt)
  return before ? boughtAt(before, payments) : startsAt
}

async function requireRefundable(env: Env, tx: Queryable, { id }: SignedInUser) {
  const card = await store.lockCard(tx, env.card.providerId, id)
  const payments = await findRefundable(tx, card, env.clock())
  if (payments.length === 0 || card.subscriptionId === null) throw new Refusal('not_refundable')
  return { subscriptionId: card.subscriptionId, payments }
}

/** Ends the subscription at once. Throws Refusal. */
export async function refundPlan(env: Env, user: SignedInUser): Promise<{ refundedCents: number }> {
  if (!env.config.hasGuarantee) throw new Refusal('guarantee_off')
  const client = await env.card.client()
  // By itself: an interrupted refund leaves the mark.
  await inTurn(env, user.id, async (tx) => {
    const { subscriptionId, payments } = await requireRefundable(env, tx, user)
    await markCards(env, tx, { client, subscriptionId, intents: payments.map(({ intent }) => intent) })
  })
  return await inTurn(env, user.id, async (tx) => {
    const { subscriptionId, payments } = await requireRefundable(env, tx, user)
    const subscription = await asked(client.subscriptions.retrieve(subscriptionId))
    await dropPending(client, subscription)
    // A silent provider then at least bills nothing again.
    await asked(client.subscriptions.update(subscriptionId, { cancel_at_period_end: true }))
    const told: [intent: string, refunds: Stripe.Refund[]][] = []
    for (const { intent } of payments) {
      // The key lets a repetition pay nothing twice.
      await asked(client.refunds.create({ payment_intent: intent }, { idempotencyKey: `refund-${intent}` }))
      told.push([intent, await askRefunds(client, intent)])
    }
    await endNow(client, subscription)
    await syncCard(env, tx, user.id)
    for (const [intent, refunds] of told) await writeRefunds(tx, env.clock(), intent, refunds)
    return { refundedCents: payments.reduce((sum, { amountCents }) => sum + amountCents, 0) }
  })
}
