import { and, asc, desc, eq, gt, isNotNull, isNull, lt, not, or, type SQL, sql } from 'drizzle-orm'
import { PLAN_LIMITS } from '../../contract/money/planlimits.ts'
import type { Queryable } from '../ground/db/connect.ts'
import { users } from '../ground/db/schema/account.ts'
import { cryptoPayments } from '../ground/db/schema/coins.ts'
import { ledgerEntries } from '../ground/db/schema/ledger.ts'
import { cardAccounts } from '../ground/db/schema/payments.ts'
import { premiumPackages as packages, planRights } from '../ground/db/schema/plans.ts'

type NewPackage = typeof packages.$inferInsert

/** True if somebody has paid for the package, or was asked for money for it. */
const isBought = sql<boolean>`(
  exists (select from ${ledgerEntries} where ${ledgerEntries.packageId} = ${packages.id})
  or exists (select from ${cardAccounts} where ${cardAccounts.packageId} = ${packages.id})
  or exists (select from ${cryptoPayments} where ${cryptoPayments.packageId} = ${packages.id}))`

const find = (db: Queryable, fits: SQL | undefined) =>
  db
    .select({ row: packages, isBought })
    .from(packages)
    .where(fits)
    .orderBy(asc(packages.displayOrder), asc(packages.createdAt), asc(packages.id))

/** Lists those that are not archived, in the order in which they are shown. */
export const listKept = (db: Queryable) => find(db, isNull(packages.archivedAt)).limit(PLAN_LIMITS.packagesMax)

/** Lists those that are archived and were bought, newest first. */
export const listArchived = (db: Queryable) =>
  db
    .select({ row: packages, isBought })
    .from(packages)
    .where(and(isNotNull(packages.archivedAt), isBought))
    .orderBy(desc(packages.archivedAt))
    .limit(PLAN_LIMITS.packagesMax)

export type PackageRow = Awaited<ReturnType<typeof listKept>>[number]

/** Returns the package. Nobody else changes it until the transaction ends. */
export async function holdPackage(tx: Queryable, id: string): Promise<PackageRow | undefined> {
  await tx.select({ id: packages.id }).from(packages).where(eq(packages.id, id)).for('no key update')
  const [row] = await find(tx, eq(packages.id, id))
  return row
}

export const countKept = (tx: Queryable): Promise<number> => tx.$count(packages, isNull(packages.archivedAt))

export async function insertPackage(tx: Queryable, row: NewPackage): Promise<void> {
  await tx.insert(packages).values(row)
}

export async function savePackage(tx: Queryable, id: string, row: Partial<NewPackage>): Promise<void> {
  await tx.update(packages).set(row).where(eq(packages.id, id))
}

/** Deletes those that were archived before then and that nobody has bought, with their rows of rights. */
export async function deleteUnbought(tx: Queryable, before: Date): Promise<void> {
  const rows = await tx
    .delete(packages)
    .where(and(lt(packages.archivedAt, before), not(isBought)))
    .returning({ plan: sql<string>`'package:' || ${packages.id}` })
  if (rows.length > 0) await tx.delete(planRights).where(or(...rows.map(({ plan }) => eq(planRights.plan, plan))))
}

/** Returns the accounts that have the package now. */
export async function findHolders(tx: Queryable, id: string): Promise<string[]> {
  const rows = await tx.select({ id: users.id }).from(users).where(eq(users.subscriptionPackageId, id))
  return rows.map((row) => row.id)
}

/** Returns the accounts that have paid for the package and have another plan now. */
export async function findPayersBeside(tx: Queryable, id: string, now: Date): Promise<string[]> {
  const isOther = sql`${users.subscriptionPackageId} is distinct from ${id}`
  const rows = await tx
    .selectDistinct({ id: users.id })
    .from(ledgerEntries)
    .innerJoin(users, eq(users.id, ledgerEntries.userId))
    .where(and(eq(ledgerEntries.packageId, id), gt(ledgerEntries.endsAt, now), isOther))
    .orderBy(asc(users.id))
  return rows.map((row) => row.id)
}
