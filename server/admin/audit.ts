import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { AUDIT, type AuditAct, type AuditRow, type auditApi } from '../../contract/admin/audit.ts'
import { encodeFields } from '../../contract/ground/bytes.ts'
import type { Env, SignedInUser } from '../env.ts'
import type { Queryable } from '../ground/db/connect.ts'
import { checkLedger } from '../money/ledger/audit.ts'
import * as store from './store-audit.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const CHECKED_AT_ONCE = 1000

interface Entry {
  /** null: the command line. */
  actorId: string | null
  act: AuditAct
  subjectId?: string
  /** What else it was done to, such as the id of a package. */
  target?: string
  before: unknown
  after: unknown
}

/**
 * Adds a row to the audit trail inside the caller's transaction, which holds `lockAdministration`: so rows stand in the order in which
 * they take effect, and what is not done leaves none.
 */
export async function writeAudit(tx: Queryable, now: Date, { actorId, act, ...entry }: Entry): Promise<void> {
  const newest = await store.findNewest(tx)
  const row = {
    seq: (newest?.seq ?? 0) + 1,
    actorId,
    act,
    subjectId: entry.subjectId ?? null,
    target: entry.target ?? null,
    before: JSON.stringify(entry.before),
    after: JSON.stringify(entry.after),
    createdAt: now,
  }
  await store.insertRow(tx, { ...row, hash: hashOf(row, newest?.hash) })
}

/** SHA-256 over the row and the hash of the row before it, which is empty for the first. */
const hashOf = (row: Omit<store.StoredRow, 'hash'>, before: Uint8Array | undefined): Buffer =>
  createHash('sha256')
    .update(
      encodeFields(
        ...['conclave/audit/v1', before ?? '', String(row.seq), row.createdAt.toISOString(), row.actorId ?? '', row.act],
        ...[row.subjectId ?? '', row.target ?? '', row.before, row.after],
      ),
    )
    .digest()

/** Lists a page of the audit trail. */
export async function listAudit(env: Env, { limit, ...filter }: z.output<typeof auditApi.list.input>) {
  const rows = await store.findPage(env.db, { ...filter, limit: limit + 1 })
  return { rows: rows.slice(0, limit).map(shownRow), hasMore: rows.length > limit }
}

function shownRow({ actorId, actorName, subjectId, subjectName, createdAt, hash, ...row }: store.PageRow): AuditRow {
  return {
    ...withoutCounters(row),
    at: createdAt.toISOString(),
    actor: actorId === null ? null : { id: actorId, username: actorName ?? '' },
    subject: subjectId === null ? null : { id: subjectId, username: subjectName ?? '' },
    hash: hash.toString('hex'),
  }
}

/** Older rows of a reset hold what somebody had used. Their hashes need it, and nobody is shown it. */
const withoutCounters = <Row extends Pick<AuditRow, 'act' | 'before' | 'after'>>(row: Row): Row =>
  row.act === 'reset-usage' ? { ...row, before: '{}', after: '{}' } : row

/** Computes every hash anew, and names the first row that does not fit: changed, taken away, added or moved. */
export async function checkAudit(env: { db: Queryable }): Promise<z.input<typeof auditApi.check.output>> {
  let before: Buffer | undefined
  let count = 0
  for (;;) {
    // No lower bound at first, so that a forged row below number 1 is found.
    const rows = await store.findAfter(env.db, before && count, CHECKED_AT_ONCE)
    for (const row of rows) {
      const fits = row.seq === count + 1 && hashOf(row, before).equals(row.hash)
      if (!fits) return { count, brokenAt: count + 1, newestHash: null }
      before = row.hash
      count = row.seq
    }
    if (rows.length < CHECKED_AT_ONCE) return { count, brokenAt: null, newestHash: before?.toString('hex') ?? null }
  }
}

/** Compares the ledger with the accounts, and the chains of ledger and trail with themselves. */
export async function checkBooks({ db, clock }: Pick<Env, 'db' | 'clock'>): ReturnType<typeof checkLedger> {
  const { accounts, differences } = await checkLedger(db, clock())
  const { brokenAt } = await checkAudit({ db })
  const broken = `row ${brokenAt} of the audit trail was changed, added or taken away after it was written`
  return { accounts, differences: brokenAt === null ? differences : [...differences, broken] }
}

/** What administrators have done to the caller's account lately. */
export async function ownAudit(env: Env, { id }: SignedInUser) {
  const since = new Date(env.clock().getTime() - AUDIT.ownDays * DAY_MS)
  const rows = await store.findOfSubject(env.db, id, since, AUDIT.page)
  return rows.map(({ createdAt, ...row }) => ({ ...row, at: createdAt.toISOString() }))
}
