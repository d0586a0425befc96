import { ADDED_AT_SEALED, type Manifest } from '../../../contract/account/documents.ts'
import { type HistoryKey, historyKeyOf } from '../keys/history.ts'
import { type DeviceName, openDeviceName, type SealedName, sealDeviceName } from '../keys/identity.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { peerOf } from './peers.ts'

export interface ListedDevice extends DeviceName {
  id: string
  /** ISO 8601. */
  addedAt: string
  /** Ed25519, base64. */
  leafKey: string
  wasWiped?: boolean | undefined
}

/** Throws 'manifest' if the vault has no own list. */
export async function listedDevices(live: Live): Promise<ListedDevice[]> {
  const known = await peerOf(live, live.userId)
  if (!known) throw new CryptoFailure('manifest', 'This account’s own device list is missing')
  // Another tab may have stored a newer key.
  await historyKeyOf(live, known.manifest.historyKeyId)
  return listDevices(known.manifest, live.history)
}

/** Moves the times into the sealed names. */
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

/** Returns devices, named by these history keys. */
export const listDevices = ({ devices }: Manifest, history: HistoryKey[]): Promise<ListedDevice[]> =>
  Promise.all(
    devices.map(async ({ id, sealedName, leafKey, addedAt: listedAt }) => {
      const { addedAt = listedAt, ...named } = (await nameOf(history, id, sealedName)) ?? UNNAMED
      return { id, addedAt, leafKey, ...named }
    }),
  )

async function nameOf(history: HistoryKey[], deviceId: string, sealedName: string): Promise<SealedName | undefined> {
  for (const { seed } of [...history].reverse()) {
    try {
      return await openDeviceName(seed, deviceId, sealedName)
    } catch (error) {
      if (!(error instanceof CryptoFailure)) throw error
    }
  }
  return undefined
}
