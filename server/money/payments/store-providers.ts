import { asc, desc, eq, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { cardProviders } from '../../ground/db/schema/payments.ts'

export type ProviderRow = typeof cardProviders.$inferSelect

/** Lists the newest start first. */
export function listProviders(db: Queryable): Promise<ProviderRow[]> {
  return db.select().from(cardProviders).orderBy(desc(cardProviders.start), asc(cardProviders.id))
}

/** Servers that start together take turns. */
export async function lockProviders(tx: Queryable): Promise<void> {
  await tx.execute(sql`lock table ${cardProviders} in share row exclusive mode`)
}

export async function keepProvider(tx: Queryable, row: ProviderRow): Promise<void> {
  await tx.insert(cardProviders).values(row).onConflictDoUpdate({ target: cardProviders.id, set: row })
}

export async function setCounts(tx: Queryable, id: number, counts: boolean): Promise<void> {
  await tx.update(cardProviders).set({ counts }).where(eq(cardProviders.id, id))
}
