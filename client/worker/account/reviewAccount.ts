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

/** An account that a way in has opened: its keys can sign for the account. Use it once, then call `eraseKeyring`. */
export interface Review {
  opened: OpenKeyring
  keyring: Signed
  manifest: Manifest
}

/**
 * Opens keyring and manifest by a way in, and returns the device list for the person to confirm [Note: D1]. If an account is open
 * here, both must be that account's and newer or equal; its vault then takes a newer list and the history keys that it lacks.
 * Throws CryptoFailure: what `openKeyring` and `checkSuccession` throw; 'keyring_rollback' and 'history_key' if the two do not
 * belong together; 'removed' if this browser is no longer listed. If no account is open, the marks of this browser's vaults are
 * the lowest accepted versions [Note: V4].
 */
export async function reviewAccount(
  way: Way,
  documents: { keyring: Signed; manifest: Signed },
  live?: Live,
): Promise<{ review: Review; devices: ListedDevice[] }> {
  const opened = await openKeyring(documents.keyring, way, live?.identityKey)
  try {
    const manifest = readManifest(documents.manifest, fromBase64(opened.keyring.identityKey))
    // [Note: K3] They change together: an old keyring beside a newer manifest was replayed.
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

/**
 * Takes the account's own manifest and all history keys from a keyring that a way in has opened. Throws CryptoFailure('removed')
 * too.
 */
function takeReviewed(live: Live, signed: Signed, historyKeys: HistoryKey[]): Promise<void> {
  return withBook(live, async () => {
    const { manifest, writes } = await followed(live, signed)
    if (!lists(manifest, live)) throw new CryptoFailure('removed', 'This browser was removed from your account')
    await keepHistory(live, (await readHistory(live.vault)) ?? live.history, historyKeys, writes)
  })
}
