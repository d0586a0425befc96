import { and, asc, desc, eq, gt, gte, lt, or, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/pg-core'
import type { AuditAct } from '../../contract/admin/audit.ts'
import type { Queryable } from '../ground/db/connect.ts'
import { users } from '../ground/db/schema/account.ts'
import { auditLog } from '../ground/db/schema/audit.ts'

export type StoredRow = typeof auditLog.$inferSelect

/** Any constant: administrators act one after the other. */
const ADMINISTRATION_LOCK = 7_302_116

/**
 * Waits until nobody else acts as an administrator, until the transaction ends. The rules that look at several accounts, and the chain
 * of the audit trail, hold by it.
 */
export async function lockAdministration(tx: Queryable): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${ADMINISTRATION_LOCK}::bigint)`)
}

export async function findNewest(tx: Queryable) {
  const [row] = await tx.select({ seq: auditLog.seq, hash: auditLog.hash }).from(auditLog).orderBy(desc(auditLog.seq)).limit(1)
  return row
}

/** The number of the row with that hash. */
export async function findByHash(db: Queryable, hash: Buffer): Promise<number | undefined> {
  const [row] = await db.select({ seq: auditLog.seq }).from(auditLog).where(eq(auditLog.hash, hash))
  return row?.seq
}

export async function insertRow(tx: Queryable, row: StoredRow): Promise<void> {
  await tx.insert(auditLog).values(row)
}

interface Filter {
  before?: number | undefined
  act?: AuditAct | undefined
  username?: string | undefined
  limit: number
}

export type PageRow = StoredRow & { actorName: string | null; subjectName: string | null }

/** Returns the newest rows that fit, with the names that the accounts have now. */
export async function findPage(db: Queryable, { before, act, username, limit }: Filter): Promise<PageRow[]> {
  const [actor, subject] = [alias(users, 'actor'), alias(users, 'subject')]
  const person = sql`(select id from users where lower(username) = ${username?.toLowerCase() ?? ''})`
  const rows = await db
    .select({ row: auditLog, actorName: actor.username, subjectName: subject.username })
    .from(auditLog)
    .leftJoin(actor, eq(actor.id, auditLog.actorId))
    .leftJoin(subject, eq(subject.id, auditLog.subjectId))
    .where(
      and(
        before === undefined ? undefined : lt(auditLog.seq, before),
        act === undefined ? undefined : eq(auditLog.act, act),
        username ? or(eq(auditLog.actorId, person), eq(auditLog.subjectId, person)) : undefined,
      ),
    )
    .orderBy(desc(auditLog.seq))
    .limit(limit)
  return rows.map(({ row, ...names }) => ({ ...row, ...names }))
}

/** Returns the rows after this one, oldest first; without one the first rows of all. */
export const findAfter = (db: Queryable, seq: number | undefined, limit: number): Promise<StoredRow[]> =>
  db
    .select()
    .from(auditLog)
    .where(seq === undefined ? undefined : gt(auditLog.seq, seq))
    .orderBy(asc(auditLog.seq))
    .limit(limit)

/** Returns what was done to this account since then, newest first. */
export const findOfSubject = (db: Queryable, userId: string, since: Date, limit: number) =>
  db
    .select({ seq: auditLog.seq, act: auditLog.act, after: auditLog.after, createdAt: auditLog.createdAt })
    .from(auditLog)
    .where(and(eq(auditLog.subjectId, userId), gte(auditLog.createdAt, since)))
    .orderBy(desc(auditLog.seq))
    .limit(limit)
