import { and, eq, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { ledgerEntries } from '../../ground/db/schema/ledger.ts'
import { purchaseConsents as consents } from '../../ground/db/schema/payments.ts'

/** Drops the earlier one of the same request in coins, or those to cards that nothing was paid by card after. */
export async function dropUnused(tx: Queryable, userId: string, purchase: string): Promise<void> {
  const isCoin = purchase.startsWith('coin:')
  const lastPaid = sql`coalesce((select max(${ledgerEntries.createdAt}) from ${ledgerEntries} where ${ledgerEntries.userId} = ${userId}
    and ${ledgerEntries.source} = 'card' and ${ledgerEntries.kind} = 'payment'), '-infinity')`
  const isUnpaidCard = sql`${consents.purchase} like 'card:%' and ${consents.consentedAt} > ${lastPaid}`
  await tx.delete(consents).where(and(eq(consents.userId, userId), isCoin ? eq(consents.purchase, purchase) : isUnpaidCard))
}

export async function insertConsent(tx: Queryable, consent: typeof consents.$inferInsert): Promise<void> {
  await tx.insert(consents).values(consent).onConflictDoNothing()
}
