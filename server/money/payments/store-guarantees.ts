import { and, inArray, ne } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { guaranteeCards } from '../../ground/db/schema/payments.ts'

/** Waits for another refund that writes one of these cards. */
export async function keepCards(tx: Queryable, cards: (typeof guaranteeCards.$inferInsert)[]): Promise<void> {
  if (cards.length > 0) await tx.insert(guaranteeCards).values(cards).onConflictDoNothing()
}

export const countUsedFor = (tx: Queryable, cards: Buffer[], otherThan: Buffer): Promise<number> =>
  tx.$count(guaranteeCards, and(inArray(guaranteeCards.card, cards), ne(guaranteeCards.subscription, otherThan)))
