import type { Queryable } from '../../ground/db/connect.ts'
import * as store from './store-chain.ts'

/** How many links the chain of the ledger has, and its newest hash (hex); null if it has none. */
export async function newestEntry(db: Queryable): Promise<{ count: number; hash: string | null }> {
  const newest = await store.findNewest(db)
  return { count: newest?.seq ?? 0, hash: newest?.hash.toString('hex') ?? null }
}

/** The number of the entry with that hash in the chain. */
export const findEntryByHash = (db: Queryable, hash: Buffer): Promise<number | undefined> => store.findLink(db, hash)

/** Lists what the chain of the ledger says of entries that were changed, taken away or added past it. Whole, it says nothing. */
export async function checkChain(db: Queryable): Promise<string[]> {
  const { brokenAt, unlinked } = await store.checkLinks(db)
  return [
    ...(brokenAt === null ? [] : [`entry ${brokenAt} of the ledger was changed, added or taken away after it was written`]),
    ...(unlinked === 0 ? [] : [`${unlinked} entries of the ledger are not in its chain`]),
  ]
}
