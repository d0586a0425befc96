import type { Env } from '../env.ts'
import type { Queryable } from '../ground/db/connect.ts'
import { findEntryByHash, newestEntry } from '../money/ledger/entryChain.ts'
import * as store from './store-audit.ts'

/** Says where a chain of hashes ends: how many rows it has, and the newest hash (hex); null if it has none. */
export interface Anchor {
  chain: 'audit' | 'ledger'
  count: number
  hash: string | null
}

/** Reads where the audit trail and the ledger end. */
export async function readAnchors(db: Queryable): Promise<Anchor[]> {
  const [audit, ledger] = [await store.findNewest(db), await newestEntry(db)]
  return [
    { chain: 'audit', count: audit?.seq ?? 0, hash: audit?.hash.toString('hex') ?? null },
    { chain: 'ledger', ...ledger },
  ]
}

/** Hands on where the chains end, so that another machine keeps it: rows that are cut off leave no gap. A job. */
export const keepAnchors =
  (keep: (anchors: Anchor[]) => void) =>
  async ({ db }: Env): Promise<boolean> => {
    keep(await readAnchors(db))
    return false
  }

/** Finds the row of either chain that has this hash (hex); undefined if neither has. */
export async function findAnchor(db: Queryable, hash: string): Promise<{ chain: Anchor['chain']; seq: number } | undefined> {
  const wanted = Buffer.from(hash, 'hex')
  const [audit, ledger] = [await store.findByHash(db, wanted), await findEntryByHash(db, wanted)]
  if (audit !== undefined) return { chain: 'audit', seq: audit }
  return ledger === undefined ? undefined : { chain: 'ledger', seq: ledger }
}
