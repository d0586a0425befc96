import { fromBase64 } from '../../contract/bytes.ts'
import { ADDED_AT_SEALED, type Manifest } from '../../contract/devices.ts'
import type { Signed } from '../../contract/shapes.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { type HistoryKey, historyKeyOf, isAnnounced } from './history.ts'
import { type DeviceName, openDeviceName, readManifest, type SealedName, sealDeviceName } from './identity.ts'
import { eraseKeyring, type OpenKeyring, openKeyring, type Way } from './keyring.ts'
import type { Live } from './live.ts'
import { requireMarkedManifest } from './marks.ts'
import { peerOf } from './peers.ts'
import { takeReviewed } from './self.ts'

/** An account that a way in has opened: its keys can sign for the account. Use it once, then call `eraseKeyring`. */
export interface Review {
  opened: OpenKeyring
  keyring: Signed
  manifest: Manifest
}

/** A device of the account, with its name; `browser` and `system` are '' if unknown. */
export interface ListedDevice extends DeviceName {
  id: string
  /** ISO time. */
  addedAt: string
  /** Ed25519, base64. */
  leafKey: string
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
      throw new CryptoFailure('keyring_rollback', 'The server returned an older keyring than the device list names')
    const newest = opened.secret.historyKeys.at(-1)
    if (!newest || !(await isAnnounced(manifest, newest)))
      throw new CryptoFailure('history_key', 'The keyring holds another history key than the device list names')
    if (live) await takeReviewed(live, documents.manifest, opened.secret.historyKeys)
    else await requireMarkedManifest(opened.keyring.identityKey, documents.manifest, manifest)
    const devices = await listDevices(manifest, opened.secret.historyKeys)
    return { review: { opened, keyring: documents.keyring, manifest }, devices }
  } catch (error) {
    eraseKeyring(opened)
    throw error
  }
}

/** The devices of the open account, as its newest known manifest lists and names them. Throws CryptoFailure('manifest'). */
export async function listedDevices(live: Live): Promise<ListedDevice[]> {
  const known = await peerOf(live, live.userId)
  if (!known) throw new CryptoFailure('manifest', "This account's own device list is missing")
  // Another tab may have stored a newer history key.
  await historyKeyOf(live, known.manifest.historyKeyId)
  return listDevices(known.manifest, live.history)
}

/**
 * The devices, each with its time inside its sealed name. Older lists show the times to every reader; a name whose history key is
 * gone stays unchanged.
 */
export function withSealedTimes(devices: Manifest['devices'], history: HistoryKey[]): Promise<Manifest['devices']> {
  return Promise.all(
    devices.map(async (device) => {
      const { id, sealedName, addedAt } = device
      const seed = history.at(-1)?.seed
      const named = addedAt === ADDED_AT_SEALED ? undefined : await nameOf(history, id, sealedName)
      if (!named || !seed) return device
      return { ...device, sealedName: await sealDeviceName(seed, id, { ...named, addedAt }), addedAt: ADDED_AT_SEALED }
    }),
  )
}

const UNNAMED: SealedName = { name: 'Unnamed device', browser: '', system: '' }

const listDevices = ({ devices }: Manifest, history: HistoryKey[]): Promise<ListedDevice[]> =>
  Promise.all(
    devices.map(async ({ id, sealedName, leafKey, addedAt: listedAt }) => {
      const { addedAt = listedAt, ...named } = (await nameOf(history, id, sealedName)) ?? UNNAMED
      return { id, addedAt, leafKey, ...named }
    }),
  )

/** The device's name, opened by the newest of these history keys that fits. */
async function nameOf(history: HistoryKey[], deviceId: string, sealedName: string): Promise<SealedName | undefined> {
  for (const { seed } of [...history].reverse()) {
    try {
      return await openDeviceName(seed, deviceId, sealedName)
    } catch (error) {
      // An older history key may open it. A device whose name no key opens is listed without one.
      if (!(error instanceof CryptoFailure)) throw error
    }
  }
  return undefined
}
