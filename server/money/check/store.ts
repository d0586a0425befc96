import { and, asc, eq, gt, gte, inArray, isNotNull, isNull, lt, max, min, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { moneyChecks } from '../../ground/db/schema/checks.ts'
import { cryptoReviews } from '../../ground/db/schema/coins.ts'
import { ledgerEntries } from '../../ground/db/schema/ledger.ts'
import { cardAccounts, cardEvents } from '../../ground/db/schema/payments.ts'
import { LIVE } from '../payments/meaning.ts'

const isDeleted = sql<boolean>`${users.deletedAt} is not null`

export interface CardRow {
  card: typeof cardAccounts.$inferSelect
  isDeleted: boolean
}

/** Takes the provider's ids. */
export async function findCards(db: Queryable, providerId: number, customers: string[]): Promise<Map<string | null, CardRow>> {
  const rows = await db
    .select({ card: cardAccounts, isDeleted })
    .from(cardAccounts)
    .innerJoin(users, eq(users.id, cardAccounts.userId))
    .where(and(eq(cardAccounts.providerId, providerId), inArray(cardAccounts.customerId, customers)))
  return new Map(rows.map((row) => [row.card.customerId, row]))
}

export async function findAccount(db: Queryable, userId: string): Promise<{ isActive: boolean; isDeleted: boolean } | undefined> {
  const [row] = await db.select({ isActive: users.isActive, isDeleted }).from(users).where(eq(users.id, userId))
  return row
}

/** Returns the US cents of each entry that is there. */
export async function findCents(db: Queryable, keys: string[]): Promise<Map<string, number>> {
  const rows = await db
    .select({ key: ledgerEntries.key, cents: ledgerEntries.amountCents })
    .from(ledgerEntries)
    .where(inArray(ledgerEntries.key, keys))
  return new Map(rows.map(({ key, cents }) => [key, cents]))
}

/** Returns whose payment each is, by the provider's reference. */
export async function findPayers(db: Queryable, providerId: number, references: string[]): Promise<Map<string | null, string>> {
  const rows = await db
    .select({ reference: ledgerEntries.reference, userId: ledgerEntries.userId })
    .from(ledgerEntries)
    .where(
      and(
        inArray(ledgerEntries.reference, references),
        eq(ledgerEntries.kind, 'payment'),
        eq(ledgerEntries.providerId, providerId),
      ),
    )
  return new Map(rows.map(({ reference, userId }) => [reference, userId]))
}

/** Lists what the ledger says that the provider has taken or given back, in its order. */
export const listWritten = (
  db: Queryable,
  providerId: number,
  { since, until, after }: { since: Date | undefined; until: Date; after: number },
  limit: number,
) =>
  db
    .select({ place: ledgerEntries.place, key: ledgerEntries.key, kind: ledgerEntries.kind, userId: ledgerEntries.userId })
    .from(ledgerEntries)
    .where(
      and(
        ...[eq(ledgerEntries.source, 'card'), eq(ledgerEntries.providerId, providerId), gt(ledgerEntries.place, after)],
        ...[inArray(ledgerEntries.kind, ['payment', 'refund', 'dispute']), lt(ledgerEntries.createdAt, until)],
        since && gte(ledgerEntries.createdAt, since),
      ),
    )
    .orderBy(asc(ledgerEntries.place))
    .limit(limit)

const isLive = (providerId: number) =>
  and(eq(cardAccounts.providerId, providerId), inArray(cardAccounts.status, LIVE), isNotNull(cardAccounts.subscriptionId))

export const listLive = (db: Queryable, providerId: number, after: string | undefined, limit: number) =>
  db
    .select()
    .from(cardAccounts)
    .where(and(isLive(providerId), after === undefined ? undefined : gt(cardAccounts.userId, after)))
    .orderBy(asc(cardAccounts.userId))
    .limit(limit)

export type Check = typeof moneyChecks.$inferSelect

export async function keepCheck(db: Queryable, check: Check): Promise<void> {
  await db.insert(moneyChecks).values(check).onConflictDoUpdate({ target: moneyChecks.name, set: check })
}

export const listChecks = (db: Queryable): Promise<Check[]> => db.select().from(moneyChecks).orderBy(asc(moneyChecks.name))

export async function findCheck(db: Queryable, name: Check['name']): Promise<Check | undefined> {
  const [row] = await db.select().from(moneyChecks).where(eq(moneyChecks.name, name))
  return row
}

export async function findLastEvent(db: Queryable): Promise<Date | null> {
  const [row] = await db.select({ at: max(cardEvents.receivedAt) }).from(cardEvents)
  return row?.at ?? null
}

export const countLive = (db: Queryable, providerId: number): Promise<number> => db.$count(cardAccounts, isLive(providerId))

/** Returns since when a person is waited for. */
export async function findOldestReview(db: Queryable): Promise<Date | null> {
  const [row] = await db
    .select({ at: min(cryptoReviews.createdAt) })
    .from(cryptoReviews)
    .where(isNull(cryptoReviews.outcome))
  return row?.at ?? null
}
