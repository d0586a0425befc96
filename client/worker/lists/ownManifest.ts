import type { Manifest } from '../../../contract/account/documents.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { type HistoryKey, type HistorySeal, historyWrite, mergeHistory, openHistorySeal, readHistory } from '../keys/history.ts'
import { checkSuccession } from '../keys/identity.ts'
import type { Live } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { withBook } from './book.ts'
import { ownManifestWrite, peerOf } from './peers.ts'

/**
 * Stores the manifest and its history key [Note: H2]. Returns false if this device is unlisted [Note: D3]. Throws what
 * `checkSuccession` throws, or 'history_key' after storing.
 */
export function takeOwnManifest(
  live: Live,
  signed: Signed,
  { historySeals }: { historySeals?: HistorySeal[] } = {},
): Promise<boolean> {
  return withBook(live, async () => {
    const { manifest, writes } = await followed(live, signed)
    const known = (await readHistory(live.vault)) ?? live.history
    const isKnown = known.some(({ id }) => id === manifest.historyKeyId)
    if (isKnown || !historySeals || !lists(manifest, live)) {
      await live.vault.write(writes)
      live.history = known
      return lists(manifest, live)
    }
    try {
      await keepHistory(live, known, await openHistorySeal(live, manifest, historySeals), writes)
    } catch (error) {
      await live.vault.write(writes)
      throw error
    }
    return true
  })
}

/** Returns the checked manifest and its writes. */
export async function followed(live: Live, signed: Signed): Promise<{ manifest: Manifest; writes: Write[] }> {
  const known = await peerOf(live, live.userId)
  const before = known && { version: known.version, content: known.signed.content }
  const manifest = checkSuccession(before, signed, live.identityKey)
  const isNew = known?.version !== manifest.version
  return {
    manifest,
    writes: isNew ? [ownManifestWrite(live.userId, { identityKey: live.identityKey, signed, manifest }, known)] : [],
  }
}

/** Stores changes and new history keys. */
export async function keepHistory(live: Live, known: HistoryKey[], learned: HistoryKey[], writes: Write[]): Promise<void> {
  const history = mergeHistory(known, learned)
  const isNew = history.length > known.length
  await live.vault.write([...writes, ...(isNew ? [historyWrite(history)] : [])])
  // Read again, because the caller may erase the given keys.
  live.history = (await readHistory(live.vault)) ?? history
}

export const lists = ({ devices }: Manifest, { device }: Live): boolean => devices.some(({ id }) => id === device.id)
