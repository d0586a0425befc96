import { and, asc, type Column, desc, eq, gt, inArray, isNull, lte, type SQLWrapper, sql } from 'drizzle-orm'
import type { Queryable } from '../../ground/db/connect.ts'
import { users } from '../../ground/db/schema/account.ts'
import { ledgerEntries } from '../../ground/db/schema/ledger.ts'
import { cardAccounts } from '../../ground/db/schema/payments.ts'
import { planRights } from '../../ground/db/schema/plans.ts'

export type NewEntry = typeof ledgerEntries.$inferInsert
export type EntryRow = typeof ledgerEntries.$inferSelect

type Account = Pick<
  typeof users.$inferSelect,
  'id' | 'subscriptionTier' | 'subscriptionStatus' | 'subscriptionPackageId' | 'subscriptionStartDate' | 'subscriptionEndDate'
>

const account = {
  id: users.id,
  subscriptionTier: users.subscriptionTier,
  subscriptionStatus: users.subscriptionStatus,
  subscriptionPackageId: users.subscriptionPackageId,
  subscriptionStartDate: users.subscriptionStartDate,
  subscriptionEndDate: users.subscriptionEndDate,
}

/** Locks the account's row, which orders its entries. undefined if there is none, or it was deleted. */
export async function lockAccount(tx: Queryable, userId: string): Promise<Account | undefined> {
  const [row] = await tx
    .select({ ...account, deletedAt: users.deletedAt })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update')
  return row && row.deletedAt === null ? row : undefined
}

/** Returns the account with that name in any case. */
export async function findByUsername(db: Queryable, username: string) {
  const [row] = await db
    .select({ userId: users.id, username: users.username })
    .from(users)
    .where(and(eq(sql`lower(${users.username})`, username.toLowerCase()), isNull(users.deletedAt)))
  return row
}

/** Writes an entry, unless one with its key is there. Returns false then. */
export async function insertEntry(tx: Queryable, entry: NewEntry): Promise<boolean> {
  const rows = await tx.insert(ledgerEntries).values(entry).onConflictDoNothing().returning({ place: ledgerEntries.place })
  return rows.length > 0
}

export async function findEntry(db: Queryable, key: string): Promise<EntryRow | undefined> {
  const [row] = await db.select().from(ledgerEntries).where(eq(ledgerEntries.key, key))
  return row
}

/**
 * Returns how much of this further amount that a payment gives back is its tax, so that the shares of all returns add up to the tax. Null
 * without tax.
 */
export async function shareTax(tx: Queryable, payment: EntryRow, cents: number): Promise<number | null> {
  if (payment.taxCents === null) return null
  const { rows } = await tx.execute<{ share: number }>(sql`
    select abs(tax_of(r.before + ${cents}::bigint, p.amount_cents, p.tax_cents) - tax_of(r.before, p.amount_cents, p.tax_cents))::float8 as share
    from ledger_entries p cross join lateral (
      select coalesce(sum(returned(e.kind, e.amount_cents)), 0)::bigint as before from ledger_entries e where e.refers_to = p.key) r
    where p.key = ${payment.key}`)
  return Math.min(Math.abs(cents), rows[0]?.share ?? 0)
}

const isCounted = (source: SQLWrapper | string, providerId: SQLWrapper) => sql`is_counted(${source}, ${providerId})`

/** As one parameter: thousands are read many times as fast. */
const isOneOf = (id: Column, ids: string[]) => sql`${id} = any(${sql.param(ids)}::uuid[])`

/** What a plan allows, nothing where it is unknown. */
const limits = {
  messagesPerMonth: sql<number>`coalesce(${planRights.messagesPerMonth}, 0)`,
  storageGB: sql<number>`coalesce(case when ${planRights.storageBytes} < 0 then -1 else ${planRights.storageBytes} / 1073741824.0 end, 0)::float8`,
  voiceMinutes: sql<number>`coalesce(${planRights.voiceCallMinutes}, 0)`,
  videoMinutes: sql<number>`coalesce(${planRights.videoCallMinutes}, 0)`,
}

/** Returns what a plan allows; undefined where it is unknown. */
export async function findLimits(db: Queryable, { tier, packageId }: Pick<EntryRow, 'tier' | 'packageId'>) {
  const plan = packageId === null ? tier : `package:${packageId}`
  const [row] = await db.select(limits).from(planRights).where(eq(planRights.plan, plan))
  return row
}

/** Lists the entries of these accounts that count, those of each in their order. */
export function listEntries(db: Queryable, userIds: string[]) {
  const { userId, key, kind, source, tier, packageId, amountCents, startsAt, endsAt, refersTo, providerId, place } = ledgerEntries
  return db
    .select({ userId, key, kind, source, tier, packageId, amountCents, startsAt, endsAt, refersTo, limits })
    .from(ledgerEntries)
    .leftJoin(planRights, eq(planRights.plan, sql`coalesce('package:' || ${packageId}, ${tier})`))
    .where(and(isOneOf(userId, userIds), isCounted(source, providerId)))
    .orderBy(asc(place))
}

/** What the card subscriptions of these accounts do: whether one will be billed again, and whether a payment has failed. */
export const listRenewals = (db: Queryable, userIds: string[]) =>
  db
    .select({
      userId: cardAccounts.userId,
      renews: sql<boolean>`coalesce(bool_or(${cardAccounts.renews}), false)`,
      hasFailed: sql<boolean>`coalesce(bool_or(${cardAccounts.status} = 'past_due'), false)`,
    })
    .from(cardAccounts)
    .where(and(isOneOf(cardAccounts.userId, userIds), isCounted('card', cardAccounts.providerId)))
    .groupBy(cardAccounts.userId)

/** Writes what the ledger says onto the account's row. */
export async function saveStanding(tx: Queryable, { id, ...row }: Account): Promise<void> {
  await tx.update(users).set(row).where(eq(users.id, id))
}

/** Returns the accounts whose rights follow from the plan of this one. */
export async function findFamily(tx: Queryable, userId: string): Promise<string[]> {
  const rows = await tx.select({ id: users.id }).from(users).where(eq(users.masterAccountId, userId))
  return rows.map(({ id }) => id)
}

/** Lists accounts whose plan has ended by then, and whose row does not say so yet. */
export async function findEnded(db: Queryable, now: Date, atMost: number): Promise<string[]> {
  const rows = await db.select({ id: users.id }).from(users).where(lte(users.subscriptionEndDate, now)).limit(atMost)
  return rows.map(({ id }) => id)
}

/** Lists the accounts with card payments of these providers. */
export async function findPayers(db: Queryable, providerIds: number[]): Promise<string[]> {
  const { userId, source, providerId } = ledgerEntries
  const rows = await db
    .selectDistinct({ userId })
    .from(ledgerEntries)
    .where(and(eq(source, 'card'), inArray(providerId, providerIds)))
    .orderBy(asc(userId))
  return rows.map((row) => row.userId)
}

/** Names where a look at what was paid ahead has ended. */
export type Ahead = Pick<EntryRow, 'startsAt' | 'place'>

/** Lists what was paid ahead and has begun by then, where the account has another plan, after that one. */
export function listBegun(db: Queryable, { startsAt, place }: Ahead, now: Date, atMost: number) {
  const { startsAt: begins, createdAt, place: at, userId, tier, packageId } = ledgerEntries
  const isOther = sql`(${users.subscriptionTier}, ${users.subscriptionPackageId}) is distinct from (${tier}, ${packageId})`
  return db
    .select({ userId, startsAt: begins, place: at })
    .from(ledgerEntries)
    .innerJoin(users, eq(users.id, userId))
    .where(and(gt(begins, createdAt), sql`(${begins}, ${at}) > (${startsAt}, ${place})`, lte(begins, now), isOther))
    .orderBy(asc(begins), asc(at))
    .limit(atMost)
}

/** Lists accounts with a grant over a paid period that still runs, after that one. */
export async function listPaidBeside(db: Queryable, after: string, now: Date, atMost: number): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select distinct g.user_id as id from ledger_entries g
      join ledger_entries p on p.user_id = g.user_id and p.place < g.place and p.kind = 'payment' and p.ends_at > ${now}::timestamptz
    where g.kind = 'grant' and g.user_id > ${after} order by 1 limit ${atMost}`)
  return rows.map(({ id }) => id)
}

/** Returns the newest plan that was given to the account. */
export async function findGiven(db: Queryable, userId: string): Promise<string | undefined> {
  const [row] = await db
    .select({ tier: ledgerEntries.tier })
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.userId, userId), eq(ledgerEntries.kind, 'grant')))
    .orderBy(desc(ledgerEntries.place))
    .limit(1)
  return row?.tier
}

/** Lists accounts in the order of their ids, after that one. */
export function listAccounts(db: Queryable, after: string, now: Date, atMost: number) {
  return db
    .select({
      ...account,
      username: users.username,
      effective: sql<string | null>`(select r.tier from plan_rights r where r.plan = plan_of(${users}, ${now}::timestamptz))`,
    })
    .from(users)
    .where(and(gt(users.id, after), isNull(users.deletedAt)))
    .orderBy(asc(users.id))
    .limit(atMost)
}

/** Counts payments of which more was paid back than paid, and refunds of nothing. Both are 0. */
export async function countImpossible(db: Queryable): Promise<number> {
  const paid = sql`(select p.amount_cents from ledger_entries p where p.key = ${ledgerEntries.refersTo} and p.kind = 'payment')`
  const returned = sql`(select sum(returned(r.kind, r.amount_cents)) from ledger_entries r
    where r.kind in ('refund', 'refund_failed') and r.refers_to = ${ledgerEntries.refersTo})`
  return await db.$count(ledgerEntries, and(eq(ledgerEntries.kind, 'refund'), sql`(${returned} <= ${paid}) is not true`))
}

/** The rows of income, as they follow from the ledger. */
const INCOME = sql`
  select m.at, m.recurring, m.premium, m.subscribers, 0 as paid, 0 as refunded from users u, income_of(u, '{}') m
  union all
  select e.created_at, 0, 0, 0, (e.amount_cents - coalesce(e.tax_cents, 0)) * (e.kind = 'payment')::int,
      returned(e.kind, e.amount_cents - coalesce(e.tax_cents, 0))
    from ledger_entries e where (e.kind = 'payment' or returned(e.kind, e.amount_cents) <> 0) and is_counted(e.source, e.provider_id)`

/** Lists days of which the sums are not those of the ledger. */
export async function findWrongDays(db: Queryable): Promise<string[]> {
  const { rows } = await db.transaction(async (tx) => {
    // The whole ledger takes longer than other statements may.
    await tx.execute(sql`set local statement_timeout = 0`)
    return await tx.execute<{ day: string }>(sql`
      select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day
      from (
        select * from income
        union all
        select at, -recurring, -premium, -subscribers, -paid, -refunded from (${INCOME}) ledger) sums
      group by 1
      having (sum(recurring), sum(premium), sum(subscribers), sum(paid), sum(refunded)) <> (0, 0, 0, 0, 0)
      order by 1 limit 100`)
  })
  return rows.map(({ day }) => day)
}

/** Lists plans of which the counts, now or later, are not those of the accounts. */
export async function findWrongCounts(db: Queryable, now: Date): Promise<string[]> {
  const { rows } = await db.execute<{ plan: string }>(sql`
    select distinct plan from (
      select plan from (
        select plan, at, people from plan_counts union all select p.plan, p.at, -p.people from users u, plans_of(u) p) counted
      group by plan, greatest(at, ${now}::timestamptz) having sum(people) <> 0) wrong
    order by 1`)
  return rows.map(({ plan }) => plan)
}

/** Counts accounts that the list of administrators has otherwise than they are. */
export async function countUnlisted(db: Queryable): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(sql`
    select count(*)::int as count
    from users u full join listed_users l on l.user_id = u.id left join presence p on p.user_id = u.id
    where case when u.deleted_at is null then l is distinct from listing_of(u) or p.user_id is null else l.user_id is not null end`)
  return rows[0]?.count ?? 0
}

/** Adds up the ledger and the plans of accounts anew, and lists the accounts anew. Payments and sign-ups wait meanwhile. */
export async function sumAnew(db: Queryable): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`set local statement_timeout = 0`)
    await tx.execute(sql`lock table ledger_entries, users, income, plan_counts, listed_users in share row exclusive mode`)
    await tx.execute(sql`delete from income`)
    await tx.execute(sql`
      insert into income (at, recurring, premium, subscribers, paid, refunded)
      select at, sum(recurring), sum(premium), sum(subscribers), sum(paid), sum(refunded) from (${INCOME}) ledger group by at`)
    await tx.execute(sql`delete from plan_counts`)
    await tx.execute(sql`
      insert into plan_counts (plan, at, people)
      select p.plan, p.at, sum(p.people) from users u, plans_of(u) p group by 1, 2 having sum(p.people) <> 0`)
    await tx.execute(sql`delete from listed_users`)
    await tx.execute(sql`insert into listed_users select l.* from users u, listing_of(u) l where u.deleted_at is null`)
    // In the order in which presence is written.
    await tx.execute(
      sql`insert into presence (user_id, nodes) select id, '{}' from users where deleted_at is null order by id on conflict do nothing`,
    )
  })
}
