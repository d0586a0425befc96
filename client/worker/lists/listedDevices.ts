import { ADDED_AT_SEALED, type Manifest } from '../../../contract/account/documents.ts'
import { type HistoryKey, historyKeyOf } from '../keys/history.ts'
import { type DeviceName, openDeviceName, type SealedName, sealDeviceName } from '../keys/identity.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { peerOf } from './peers.ts'

/** A device of the account, with its name; `browser` and `system` are '' if unknown. */
export interface ListedDevice extends DeviceName {
  id: string
  /** ISO time. */
  addedAt: string
  /** Ed25519, base64. */
  leafKey: string
}

/** The devices of the open account, as its newest known manifest lists and names them. Throws CryptoFailure('manifest'). */
export async function listedDevices(live: Live): Promise<ListedDevice[]> {
  const known = await peerOf(live, live.userId)
  if (!known) throw new CryptoFailure('manifest', 'This account’s own device list is missing')
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

/** The devices of a list, with the names that these history keys open. */
export const listDevices = ({ devices }: Manifest, history: HistoryKey[]): Promise<ListedDevice[]> =>
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
