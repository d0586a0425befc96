import type { z } from 'zod'
import { LIMITS } from '../../contract/ground/limits.ts'
import type { CardPayment, cardPaymentsApi } from '../../contract/money/cardpayments.ts'
import { tierShape } from '../../contract/money/plans.ts'
import type { Env } from '../env.ts'
import * as store from './store-cardpayments.ts'

/** Lists a page of what was paid by card, with what was paid back or disputed of it. */
export async function listCardPayments(
  { db }: Env,
  filter: z.output<typeof cardPaymentsApi.list.input>,
): Promise<{ payments: CardPayment[]; hasMore: boolean }> {
  const rows = await store.listPayments(db, { ...filter, limit: LIMITS.adminPage + 1 })
  const page = rows.slice(0, LIMITS.adminPage)
  const keys = page.map(({ key }) => key)
  const returns = await store.listReturns(db, keys)
  return { payments: page.map((row) => shownPayment(row, returns)), hasMore: rows.length > page.length }
}

const INVOICE = 'card:'

function shownPayment(
  { key, userId, username, paidAt, startsAt, endsAt, tier, ...row }: store.PaymentRow,
  returns: store.ReturnRow[],
): CardPayment {
  return {
    ...row,
    tier: tierShape.parse(tier),
    payer: { id: userId, username },
    ...{ paidAt: instantOf(paidAt), startsAt: instantOf(startsAt), endsAt: endsAt && instantOf(endsAt) },
    invoice: key.slice(INVOICE.length),
    returns: returns
      .filter(({ refersTo }) => refersTo === key)
      .slice(0, LIMITS.adminPage)
      .map(({ kind, amountCents, at, reference }) => ({ kind, amountCents, at: instantOf(at), reference })),
  }
}

const instantOf = (at: string): string => new Date(at).toISOString()
