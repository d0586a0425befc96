import type Stripe from 'stripe'
import type { Queryable } from '../../ground/db/connect.ts'
import { writeReturn } from '../ledger/ledger.ts'
import { asked } from './card.ts'
import * as store from './store.ts'

export async function askRefunds(client: Stripe, intent: string): Promise<Stripe.Refund[]> {
  return (await asked(client.refunds.list({ payment_intent: intent, limit: 100 }))).data
}

/** A bank may refuse a refund days later. */
export async function writeRefunds(tx: Queryable, now: Date, intent: string, refunds: Stripe.Refund[]): Promise<void> {
  const payment = await store.findPayment(tx, intent)
  if (!payment) return
  for (const { id, amount: amountCents, status } of refunds) {
    const about = { refersTo: payment.key, amountCents, reference: id }
    if (status !== 'failed' && status !== 'canceled') await writeReturn(tx, now, 'refund', { ...about, key: `card:${id}` })
    else if (await store.isEntry(tx, `card:${id}`))
      await writeReturn(tx, now, 'refund_failed', { ...about, key: `card:${id}:failed` })
  }
}

/** An inquiry takes nothing. */
export const TAKEN = ['needs_response', 'under_review', 'lost']

export async function askDisputes(client: Stripe, intent: string): Promise<Stripe.Dispute[]> {
  const { data: disputes } = await asked(client.disputes.list({ payment_intent: intent, limit: 100 }))
  return disputes.filter(({ status }) => status === 'won' || TAKEN.includes(status))
}

export async function writeDisputes(tx: Queryable, now: Date, intent: string, disputes: Stripe.Dispute[]): Promise<void> {
  const payment = await store.findPayment(tx, intent)
  if (!payment) return
  for (const { id, amount: amountCents, status } of disputes) {
    const about = { refersTo: payment.key, amountCents, reference: id }
    if (status !== 'won') await writeReturn(tx, now, 'dispute', { ...about, key: `card:${id}` })
    else if (await store.isEntry(tx, `card:${id}`)) await writeReturn(tx, now, 'dispute_won', { ...about, key: `card:${id}:won` })
  }
}
