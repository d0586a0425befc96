import { and, asc, desc, eq, isNotNull, lt, lte, max, ne, not, or, sql } from 'drizzle-orm'
import { PLAN_LIMITS } from '../../../contract/money/planlimits.ts'
import { UNLIMITED } from '../../../contract/money/plans.ts'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { fileUsage, objects } from '../../ground/db/schema/files.ts'
import { ledgerEntries } from '../../ground/db/schema/ledger.ts'
import { cardAccounts, cardEvents, cardProviders, monthlyUsage } from '../../ground/db/schema/payments.ts'
import { premiumPackages } from '../../ground/db/schema/plans.ts'
import { chatParticipants } from '../../ground/db/schema/rooms.ts'

export type CardAccount = typeof cardAccounts.$inferSelect

/** Keeps the shown order. */
export function listPackages(db: Queryable) {
  return db
    .select()
    .from(premiumPackages)
    .where(eq(premiumPackages.isActive, true))
    .orderBy(asc(premiumPackages.displayOrder), asc(premiumPackages.createdAt), asc(premiumPackages.id))
    .limit(PLAN_LIMITS.packagesMax)
}

/** Lists archived ones too. */
export const listPackageIds = async (db: Queryable): Promise<string[]> =>
  (await db.select({ id: premiumPackages.id }).from(premiumPackages)).map(({ id }) => id)

/** Includes hidden packages. */
export const hasPackages = async (db: Queryable, tier: string): Promise<boolean> =>
  (await db.$count(premiumPackages, eq(premiumPackages.tier, tier))) > 0

/** The provider's calls are tried three times. */
export async function awaitProvider(tx: Queryable): Promise<void> {
  await tx.execute(sql`set local idle_in_transaction_session_timeout = '90s'`)
}

const isOf = (providerId: number, userId: string) => and(eq(cardAccounts.userId, userId), eq(cardAccounts.providerId, providerId))

/** Makes a missing row. The lock lets changes run one after another. */
export async function lockCard(tx: Queryable, providerId: number, userId: string): Promise<CardAccount> {
  await tx.insert(cardAccounts).values({ userId, providerId }).onConflictDoNothing()
  const [row] = await tx.select().from(cardAccounts).where(isOf(providerId, userId)).for('update')
  if (!row) throw new Error('The row of a card account could not be kept')
  return row
}

export async function findCard(db: Queryable, providerId: number, userId: string): Promise<CardAccount | undefined> {
  const [row] = await db.select().from(cardAccounts).where(isOf(providerId, userId))
  return row
}

/** Takes the provider's id. */
export async function findByCustomer(db: Queryable, providerId: number, customerId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ userId: cardAccounts.userId })
    .from(cardAccounts)
    .where(and(eq(cardAccounts.customerId, customerId), eq(cardAccounts.providerId, providerId)))
  return row?.userId
}

/** Lists customers of whom another provider takes real money. */
export async function listBilledElsewhere(db: Queryable, providerId: number, userId: string) {
  return await db
    .select({ customer: sql<string>`coalesce(${cardAccounts.customerId}, '')`, account: cardProviders.account })
    .from(cardAccounts)
    .innerJoin(cardProviders, eq(cardProviders.id, cardAccounts.providerId))
    .where(
      and(
        eq(cardAccounts.userId, userId),
        ne(cardAccounts.providerId, providerId),
        eq(cardAccounts.renews, true),
        eq(cardProviders.isLive, true),
      ),
    )
}

export async function saveCard(
  tx: Queryable,
  providerId: number,
  userId: string,
  row: Partial<Omit<CardAccount, 'userId' | 'providerId'>>,
): Promise<void> {
  await tx.update(cardAccounts).set(row).where(isOf(providerId, userId))
}

/** False for a blocked or deleted account. */
const isActive = sql<boolean>`(select ${users.isActive} from ${users} where ${users.id} = ${cardAccounts.userId})`

const isOverdue = (now: Date) =>
  or(
    // A cancelled one stays so.
    and(ne(cardAccounts.status, 'canceled'), or(lte(cardAccounts.periodEnd, now), isNotNull(cardAccounts.waiting))),
    isNotNull(cardAccounts.checkoutId),
    and(eq(cardAccounts.renews, true), not(isActive)),
  )

/** Lists accounts of which an event may be lost, and those billed although no person can sign in. */
export async function findOverdue(
  db: Queryable,
  providerId: number,
  now: Date,
  after: string,
  atMost: number,
): Promise<string[]> {
  const rows = await db
    .select({ userId: cardAccounts.userId })
    .from(cardAccounts)
    .where(and(eq(cardAccounts.providerId, providerId), isOverdue(now), sql`${cardAccounts.userId} > ${after}`))
    .orderBy(asc(cardAccounts.userId))
    .limit(atMost)
  return rows.map(({ userId }) => userId)
}

export async function canSignIn(db: Queryable, userId: string): Promise<boolean> {
  return (await db.$count(users, and(eq(users.id, userId), eq(users.isActive, true)))) > 0
}

export const isInFamily = async (db: Queryable, userId: string): Promise<boolean> =>
  (await db.$count(users, and(eq(users.id, userId), isNotNull(users.masterAccountId)))) > 0

export async function isKnownEvent(db: Queryable, id: string): Promise<boolean> {
  return (await db.$count(cardEvents, eq(cardEvents.id, id))) > 0
}

export async function noteEvent(tx: Queryable, id: string, receivedAt: Date): Promise<void> {
  await tx.insert(cardEvents).values({ id, receivedAt }).onConflictDoNothing()
}

/** Keeps the newest: alarms go by its age. */
export async function deleteEvents(db: Queryable, before: Date): Promise<void> {
  const newest = db.select({ at: max(cardEvents.receivedAt) }).from(cardEvents)
  await db.delete(cardEvents).where(and(lt(cardEvents.receivedAt, before), lt(cardEvents.receivedAt, newest)))
}

/** Takes the provider's reference. */
export async function findPayment(db: Queryable, reference: string) {
  const [row] = await db
    .select()
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.reference, reference), eq(ledgerEntries.kind, 'payment')))
  return row
}

export const isEntry = async (db: Queryable, key: string): Promise<boolean> =>
  (await db.$count(ledgerEntries, eq(ledgerEntries.key, key))) > 0

/** Lists the newest first. */
export function listCardPayments(db: Queryable, providerId: number, userId: string) {
  const isCard = and(eq(ledgerEntries.source, 'card'), eq(ledgerEntries.providerId, providerId))
  return db
    .select()
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.userId, userId), isCard))
    .orderBy(desc(ledgerEntries.place))
}

/** Counts this month, sent and received. */
export async function readUsage(db: Queryable, userId: string, month: Date, now: Date) {
  const [row] = await db
    .select({
      sent: sql<number>`case when ${users.usageResetDate} < ${month}::timestamptz then 0 else ${users.monthlyMessagesCount} end`,
      uploadedBytes: sql<string>`coalesce((select f.monthly_uploaded_bytes from ${fileUsage} f
        where f.user_id = ${userId} and f.uploaded_month = ${month}::timestamptz), 0)`,
      videoMinutes: sql<number>`coalesce((select u.video_call_minutes from ${monthlyUsage} u where u.user_id = ${userId} and u.month = ${month}::timestamptz), 0)`,
      received: sql<string>`(select coalesce(sum(p.received_count), 0) from ${chatParticipants} p where p.user_id = ${userId} and p.received_month = ${month}::timestamptz)`,
      receivedBytes: sql<string>`(select coalesce(sum(o.size_bytes), 0) from ${chatParticipants} p
        join ${objects} o on o.chat_room_id = p.chat_room_id
        where p.user_id = ${userId} and o.owner_id <> ${userId} and o.state = 'used' and o.created_at >= greatest(${month}::timestamptz,
          (select u.received_since from ${monthlyUsage} u where u.user_id = ${userId})))`,
      storedBytes: sql<string>`coalesce((select f.stored_bytes from ${fileUsage} f where f.user_id = ${userId}), 0)`,
      messagesPerMonth: sql<number | null>`rights.messages_per_month`,
      storageBytes: sql<string>`coalesce(rights.storage_bytes, ${UNLIMITED})`,
      videoLimit: sql<number>`coalesce(rights.video_call_minutes, ${UNLIMITED})`,
    })
    .from(users)
    .leftJoinLateral(sql`rights_of(${userId}, ${now}::timestamptz) rights`, sql`true`)
    .where(eq(users.id, userId))
  return row
}
