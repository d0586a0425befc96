import { z } from 'zod'
import { endpoint } from '../ground/endpoint.ts'
import { done, instant, nothing, seqShape, userId } from '../ground/shapes.ts'
import { billingPeriodShape } from './payments.ts'

export const RECEIPT_LIMITS = {
  page: 20,
  nameMax: 100,
  addressMax: 400,
  taxIdMax: 40,
  numberMax: 40,
  /** Entries of the ledger that one call exports. */
  exportPage: 4000,
} as const

const cents = z.number().int().nonnegative()
/** What a provider or a chain calls something. */
const reference = z.string().max(255)

const partyShape = z.object({
  name: z.string().max(RECEIPT_LIMITS.nameMax),
  /** Lines end with \n. */
  address: z.string().max(RECEIPT_LIMITS.addressMax),
  /** Empty if there is none, as the address. */
  taxId: z.string().max(RECEIPT_LIMITS.taxIdMax),
})
export type Party = z.infer<typeof partyShape>

/** A receipt prints this, as it was when it was written. */
export const printedShape = z.object({
  kind: z.enum(['payment', 'refund', 'refund_failed', 'dispute', 'dispute_won']),
  /** The number of the payment’s receipt. */
  refersTo: z.string().max(RECEIPT_LIMITS.numberMax).nullable(),
  paidAt: instant,
  plan: z.string().max(200),
  billingPeriod: billingPeriodShape.nullable(),
  startsAt: instant,
  endsAt: instant.nullable(),
  /** US cents, with the tax, which is null where none was computed. */
  amountCents: cents,
  taxCents: cents.nullable(),
  source: z.enum(['card', 'coin']),
  /** `units` of the smallest unit; `rate` in 10^-8 dollars for a coin. */
  coin: z
    .object({
      currency: z.enum(['bitcoin', 'ethereum', 'usdc']),
      units: z.string().max(78).nullable(),
      rate: z.string().max(78).nullable(),
    })
    .nullable(),
  reference: reference.nullable(),
  /** Null where the operator has not named one. */
  seller: partyShape.nullable(),
  buyer: partyShape.nullable(),
})
export type Printed = z.infer<typeof printedShape>

const receiptShape = z.object({
  /** The list goes on before it. */
  seq: seqShape,
  number: z.string().max(RECEIPT_LIMITS.numberMax),
  /** No real money was paid. */
  isTest: z.boolean(),
  issuedAt: instant,
  printed: printedShape,
})
export type Receipt = z.infer<typeof receiptShape>

const pageShape = z.object({ receipts: z.array(receiptShape).max(RECEIPT_LIMITS.page), hasMore: z.boolean() })
const numbered = z.object({ number: z.string().min(1).max(RECEIPT_LIMITS.numberMax) })
const before = z.coerce.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional()

const trimmed = (max: number) => z.string().trim().max(max)
const detailsShape = z.object({
  name: trimmed(RECEIPT_LIMITS.nameMax).min(1, 'Name of the business is required'),
  address: trimmed(RECEIPT_LIMITS.addressMax),
  taxId: trimmed(RECEIPT_LIMITS.taxIdMax),
})

/** PostgreSQL knows no year of five digits. */
const day = z.iso.date().refine((at) => at < '9999', 'The year must be below 9999')

export const receiptsApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/receipts',
    access: 'signed_in',
    summary: 'The receipts of the account, the newest first.',
    input: z.object({ before }),
    output: pageShape,
  }),
  read: endpoint({
    method: 'GET',
    path: '/api/receipts/:number',
    access: 'signed_in',
    summary: 'A receipt of the account. 404 for that of another one, as for none.',
    input: numbered,
    output: receiptShape,
  }),
  details: endpoint({
    method: 'GET',
    path: '/api/business-details',
    access: 'signed_in',
    summary: 'The business that the next receipts name.',
    input: nothing,
    output: z.object({ details: partyShape.nullable() }),
  }),
  saveDetails: endpoint({
    method: 'PUT',
    path: '/api/business-details',
    access: 'signed_in',
    rates: ['payments'],
    summary: 'Names a business on the next receipts.',
    input: detailsShape,
    output: done,
  }),
  removeDetails: endpoint({
    method: 'DELETE',
    path: '/api/business-details',
    access: 'signed_in',
    rates: ['payments'],
    summary: 'Forgets the business. Receipts that name it keep it.',
    input: nothing,
    output: done,
  }),
}

/** US cents; null where it is not known. */
const exportedShape = z.object({
  place: seqShape,
  key: reference,
  at: instant,
  kind: z.string(),
  /** Null for a deleted account. */
  userId: userId.nullable(),
  source: z.enum(['card', 'coin', 'operator']),
  provider: z.string().nullable(),
  /** True for sandbox and test mode; null without a card. */
  isTest: z.boolean().nullable(),
  tier: z.string(),
  amountCents: cents,
  taxCents: cents.nullable(),
  coin: z.string().nullable(),
  coinUnits: z.string().nullable(),
  rate: z.string().nullable(),
  reference: reference.nullable(),
  refersTo: reference.nullable(),
  receipt: z.string().nullable(),
})
export type ExportedEntry = z.infer<typeof exportedShape>

export const ledgerApi = {
  receipts: endpoint({
    method: 'GET',
    path: '/api/admin/receipts',
    access: 'admin',
    rates: ['administration'],
    summary: 'The receipts of all accounts, without whose they are, the newest first, or the one with that number.',
    input: z.object({ number: z.string().trim().min(1).max(RECEIPT_LIMITS.numberMax).optional(), before }),
    output: pageShape,
  }),
  receipt: endpoint({
    method: 'GET',
    path: '/api/admin/receipts/:number',
    access: 'admin',
    rates: ['administration'],
    summary: 'The receipt with that number.',
    input: numbered,
    output: receiptShape,
  }),
  entries: endpoint({
    method: 'POST',
    path: '/api/admin/ledger',
    access: 'admin',
    rates: ['administration'],
    summary:
      'What was asked, paid, paid back and given from one UTC day to another, both included, the oldest first, after that place.',
    input: z.object({
      from: day,
      to: day,
      after: seqShape.default(0),
    }),
    output: z.object({ entries: z.array(exportedShape).max(RECEIPT_LIMITS.exportPage), hasMore: z.boolean() }),
  }),
}
