import type { Manifest } from '../../../contract/account/documents.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { type HistoryKey, type HistorySeal, historyWrite, mergeHistory, openHistorySeal, readHistory } from '../keys/history.ts'
import { checkSuccession } from '../keys/identity.ts'
import type { Live } from '../keys/live.ts'
import type { Write } from '../vault/vault.ts'
import { withBook } from './book.ts'
import { ownManifestWrite, peerOf } from './peers.ts'

/**
 * Takes the account's own newest manifest, and from `historySeals` the history key that it announces [Note: H2]. Returns false if
 * the manifest no longer lists this device [Note: D3]. Throws what `checkSuccession` throws, and CryptoFailure('history_key') if
 * the new key is missing or false: the manifest is stored even then, because a device that it removed must get no more messages.
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

/** The own manifest, checked against the one known here, and what stores it if it is newer. */
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

/** Stores these changes and the history keys that are new. */
export async function keepHistory(live: Live, known: HistoryKey[], learned: HistoryKey[], writes: Write[]): Promise<void> {
  const history = mergeHistory(known, learned)
  const isNew = history.length > known.length
  await live.vault.write([...writes, ...(isNew ? [historyWrite(history)] : [])])
  // Copies from the vault, because the given ones may be erased.
  live.history = (await readHistory(live.vault)) ?? history
}

/** True if the manifest lists this device. */
export const lists = ({ devices }: Manifest, { device }: Live): boolean => devices.some(({ id }) => id === device.id)
