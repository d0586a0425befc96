import { and, eq, like, or, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { ledgerEntries } from '../../ground/db/schema/ledger.ts'
import { purchaseConsents as consents } from '../../ground/db/schema/payments.ts'

type Consent = typeof consents.$inferInsert

/** Drops earlier ones that this one takes the place of: of the same request, or of a checkout that nothing was paid by card after. */
export async function dropUnused(tx: Queryable, { userId, purchase, tier, packageId, billingPeriod }: Consent): Promise<void> {
  const lastPaid = sql`coalesce((select max(${ledgerEntries.createdAt}) from ${ledgerEntries} where ${ledgerEntries.userId} = ${userId}
    and ${ledgerEntries.source} = 'card' and ${ledgerEntries.kind} = 'payment'), '-infinity')`
  const isUnpaid = sql`${consents.consentedAt} > ${lastPaid}`
  // A plan that was chosen for the end is billed later: its consent stays beside those to others.
  const isSamePlan = sql`(${consents.tier}, ${consents.packageId}, ${consents.billingPeriod}) is not distinct from
    (${tier}, ${packageId ?? null}::uuid, ${billingPeriod})`
  const isReplaced = purchase.startsWith('coin:')
    ? eq(consents.purchase, purchase)
    : or(and(like(consents.purchase, 'card:cs_%'), isUnpaid), and(eq(consents.purchase, purchase), isUnpaid, isSamePlan))
  await tx.delete(consents).where(and(eq(consents.userId, userId), isReplaced))
}

export async function insertConsent(tx: Queryable, consent: Consent): Promise<void> {
  await tx.insert(consents).values(consent).onConflictDoNothing()
}
