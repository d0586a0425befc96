import type { Manifest } from '../../../contract/account/documents.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import type { Signed } from '../../../contract/ground/shapes.ts'
import { type HistoryKey, isAnnounced, readHistory } from '../keys/history.ts'
import { readManifest } from '../keys/identity.ts'
import { eraseKeyring, type OpenKeyring, openKeyring, type Way } from '../keys/keyring.ts'
import type { Live } from '../keys/live.ts'
import { requireMarkedManifest } from '../keys/markedDocuments.ts'
import { withBook } from '../lists/book.ts'
import { type ListedDevice, listDevices } from '../lists/listedDevices.ts'
import { followed, keepHistory, lists } from '../lists/ownManifest.ts'
import { CryptoFailure } from '../primitives/failure.ts'

/** Call `eraseKeyring` after one use. */
export interface Review {
  opened: OpenKeyring
  keyring: Signed
  manifest: Manifest
}

/**
 * Returns the device list to confirm [Note: D1, V4]. An open account takes newer keys. Throws what `openKeyring` and
 * `checkSuccession` throw, or 'keyring_rollback', 'history_key', 'removed'.
 */
export async function reviewAccount(
  way: Way,
  documents: { keyring: Signed; manifest: Signed },
  live?: Live,
): Promise<{ review: Review; devices: ListedDevice[] }> {
  const opened = await openKeyring(documents.keyring, way, live?.identityKey)
  try {
    const manifest = readManifest(documents.manifest, fromBase64(opened.keyring.identityKey))
    // [Note: K3] An old keyring was replayed.
    if (opened.keyring.version !== manifest.keyringVersion)
      throw new CryptoFailure('keyring_rollback', 'The server returned older keys of your account than the device list names')
    const newest = opened.secret.historyKeys.at(-1)
    if (!newest || !(await isAnnounced(manifest, newest)))
      throw new CryptoFailure('history_key', 'The keys of your account hold another history key than the device list names')
    if (live) await takeReviewed(live, documents.manifest, opened.secret.historyKeys)
    else await requireMarkedManifest(opened.keyring.identityKey, documents.manifest, manifest)
    const devices = await listDevices(manifest, opened.secret.historyKeys)
    return { review: { opened, keyring: documents.keyring, manifest }, devices }
  } catch (error) {
    eraseKeyring(opened)
    throw error
  }
}

/** Throws 'removed' if the list lacks this device. */
function takeReviewed(live: Live, signed: Signed, historyKeys: HistoryKey[]): Promise<void> {
  return withBook(live, async () => {
    const { manifest, writes } = await followed(live, signed)
    if (!lists(manifest, live)) throw new CryptoFailure('removed', 'This browser was removed from your account')
    await keepHistory(live, (await readHistory(live.vault)) ?? live.history, historyKeys, writes)
  })
}
