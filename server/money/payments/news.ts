import type Stripe from 'stripe'
import type { Queryable } from '../../ground/db/connect.ts'
import { idOf } from './meaning.ts'
import * as store from './store.ts'
import { BEGUN, stateOf } from './sync.ts'

/** False if the event says what is written, or nothing of a plan. */
export async function isNews(tx: Queryable, card: store.CardAccount, { data: { object } }: Stripe.Event): Promise<boolean> {
  switch (object.object) {
    case 'subscription':
      return isNewState(card, object)
    case 'invoice':
      return await isNewInvoice(tx, card, object)
    case 'charge':
      return object.amount_refunded !== 0 || object.disputed
    case 'checkout.session':
      return object.status === 'complete' && (card.checkoutId !== null || card.subscriptionId !== idOf(object.subscription))
    case 'refund':
    case 'dispute':
      return true
    default:
      return false
  }
}

function isNewState(card: store.CardAccount, subscription: Stripe.Subscription): boolean {
  if (!BEGUN.includes(subscription.status)) return false
  const pending = subscription.pending_update?.expires_at
  const waiting = card.waiting?.kind === 'change' ? card.waiting.until : null
  if ((pending === undefined ? null : new Date(pending * 1000).toISOString()) !== waiting) return true
  return differs(card, stateOf(subscription))
}

export function differs(card: store.CardAccount, state: Partial<store.CardAccount>): boolean {
  const written: Record<string, unknown> = { ...card }
  return Object.entries(state).some(([name, value]) => String(value) !== String(written[name]))
}

async function isNewInvoice(tx: Queryable, { waiting }: store.CardAccount, invoice: Stripe.Invoice): Promise<boolean> {
  const { id, status, hosted_invoice_url: url } = invoice
  if (status === 'draft') return false
  const isWaiting = waiting !== null && waiting.url === url
  const isPaid = status !== 'void' && (await store.isEntry(tx, `card:${id}`))
  if (isPaid || (status !== 'open' && status !== 'paid')) return isWaiting
  return status === 'paid' || !isWaiting || !(await store.isEntry(tx, `card:${id}:due`))
}
