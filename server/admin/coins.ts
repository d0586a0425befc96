import type { z } from 'zod'
import { LIMITS } from '../../contract/ground/limits.ts'
import type { AddressFilter } from '../../contract/money/coinaddresses.ts'
import type { coinReviewsApi, PaidPayment } from '../../contract/money/coinreviews.ts'
import { RECEIPT_LIMITS } from '../../contract/money/receipts.ts'
import type { Env, SignedInUser } from '../env.ts'
import { announceChange } from '../ground/db/changes.ts'
import type { Queryable } from '../ground/db/connect.ts'
import { readAddresses, readGaps } from '../money/coins/addresses.ts'
import { countReviews, findPayments, listReviews, refundPayment, type Settlement, settleReview } from '../money/coins/reviews.ts'
import { requireAdministrator } from './acts.ts'
import { writeAudit } from './audit.ts'
import { noteExport } from './ledger.ts'

/** Lists a page of the money in coins that waits for a person, and how much of it there is. */
export async function listWaiting({ db }: Env, page: number) {
  const [reviews, total] = await Promise.all([listReviews(db, LIMITS.adminPage, (page - 1) * LIMITS.adminPage), countReviews(db)])
  return { reviews, total }
}

export async function readWallets(env: Env) {
  return { wallets: await readGaps(env), readAt: env.clock().toISOString() }
}

/** Returns a page as JSON, with its row of the audit trail. Throws Refusal. */
export async function exportAddresses(env: Env, actor: SignedInUser, filter: AddressFilter): Promise<string> {
  const shown = filter.only ?? 'all'
  await noteExport(env, actor, { act: 'export-addresses', target: shown, after: { shown } })
  return await readAddresses(env.db, filter, RECEIPT_LIMITS.exportPage)
}

/** Finds a payment by its whole address, or by a transaction that pays it. */
export const findPaid = ({ db }: Env, named: string): Promise<PaidPayment[]> => findPayments(db, named, LIMITS.adminPage)

/** Closes a review, with its row of the audit trail, and tells the payer. Throws Refusal. */
export async function settleCoins(
  { db, clock }: Env,
  actor: SignedInUser,
  wanted: z.output<typeof coinReviewsApi.settle.input>,
): Promise<Record<string, never>> {
  await db.transaction(async (tx) => {
    await requireAdministrator(tx, actor)
    await settleIn(tx, clock(), { ...wanted, by: actor.id }, actor.id)
  })
  return {}
}

/** What follows of a settlement, inside the caller's transaction, which holds the lock of the administration. */
export async function settleIn(tx: Queryable, now: Date, settlement: Settlement, actorId: string | null): Promise<void> {
  const { before, after, review } = await settleReview(tx, now, settlement)
  const { outcome, refundTransaction } = review
  await writeAudit(tx, now, {
    ...{ actorId, act: 'settle-payment', subjectId: before.userId, target: before.id },
    before: { reason: review.reason, asset: review.asset, units: review.units, status: before.status },
    after: { outcome, status: after.status, ...(refundTransaction && { transaction: refundTransaction }) },
  })
  // The ledger tells of a plan that changes. Of what changes the payment alone nobody else does.
  await announceChange(tx, [before.userId], 'plan')
}

/** Notes that a paid payment was sent back, with its row of the audit trail. The ledger tells the payer. Throws Refusal. */
export async function refundCoins(
  { db, clock }: Env,
  actor: SignedInUser,
  wanted: z.output<typeof coinReviewsApi.refund.input>,
): Promise<PaidPayment> {
  const now = clock()
  return await db.transaction(async (tx) => {
    await requireAdministrator(tx, actor)
    const { before, after } = await refundPayment(tx, now, { paymentId: wanted.id, transactionHash: wanted.transactionHash })
    await writeAudit(tx, now, {
      ...{ actorId: actor.id, act: 'refund', subjectId: before.userId, target: before.id },
      before: { status: before.status, cents: before.usdCents },
      after: { status: after.status, transaction: after.refundTransaction },
    })
    return after
  })
}
