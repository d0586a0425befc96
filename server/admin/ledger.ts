import type { z } from 'zod'
import type { AuditAct } from '../../contract/admin/audit.ts'
import { type ledgerApi, RECEIPT_LIMITS } from '../../contract/money/receipts.ts'
import type { Env, SignedInUser } from '../env.ts'
import { requireAdministrator } from './acts.ts'
import { writeAudit } from './audit.ts'
import * as store from './store-ledger.ts'

const DAY_MS = 24 * 60 * 60 * 1000
/** The pages of one export come within it. */
const ONE_EXPORT_MS = 60 * 60 * 1000

/** Returns a page of the ledger as JSON. An export leaves one row of the audit trail, whichever of its pages is asked for. Throws Refusal. */
export async function exportLedger(
  { db, clock }: Env,
  actor: SignedInUser,
  { from, to, after }: z.output<typeof ledgerApi.entries.input>,
): Promise<string> {
  await noteExport({ db, clock }, actor, { act: 'export-ledger', target: `${from} ${to}`, after: { from, to } })
  const end = new Date(new Date(to).getTime() + DAY_MS)
  return await store.readEntries(db, { from: new Date(from), to: end, after, atMost: RECEIPT_LIMITS.exportPage })
}

/** Writes one row of the audit trail for all pages of an export. Throws Refusal. */
export async function noteExport(
  { db, clock }: Pick<Env, 'db' | 'clock'>,
  actor: SignedInUser,
  { act, target, after }: { act: AuditAct; target: string; after: Record<string, string> },
): Promise<void> {
  const now = clock()
  await db.transaction(async (tx) => {
    await requireAdministrator(tx, actor)
    const since = new Date(now.getTime() - ONE_EXPORT_MS)
    if (await store.hasActed(tx, actor.id, act, target, since)) return
    await writeAudit(tx, now, { actorId: actor.id, act, target, before: null, after })
  })
}
