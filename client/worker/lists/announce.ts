import { z } from 'zod'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { exclusive } from '../vault/exclusive.ts'
import type { Write } from '../vault/vault.ts'
import { jsonOf } from '../vault/vaultRows.ts'
import { ownDevices } from './devicenames.ts'
import type { ListedDevice } from './listedDevices.ts'
import { peerOf } from './peers.ts'

const ROW = 'announced'
const notes = z.array(z.string())

const nameOf = ({ id, leafKey }: ListedDevice): string => `${id} ${leafKey}`
const noteWrite = (devices: ListedDevice[]): Write => ({ store: 'sealed', key: ROW, value: { json: devices.map(nameOf) } })

/** Returns the unconfirmed devices, oldest first [Note: D1]. Throws 'manifest'. */
export function newDevices(live: Live): Promise<ListedDevice[]> {
  return withNote(live, async () => {
    const listed = await ownDevices(live)
    const answered = await answeredAmong(live, listed)
    return listed.filter((device) => !answered.includes(device))
  })
}

/** Marks devices as confirmed, for all tabs. */
export function deviceSeen(live: Live, ids: string[]): Promise<void> {
  return withNote(live, async () => {
    const listed = await ownDevices(live)
    const answered = await answeredAmong(live, listed)
    // [Note: D1] No device returns under a removed id.
    await live.vault.write([noteWrite(listed.filter((device) => answered.includes(device) || ids.includes(device.id)))])
  })
}

/** Reads this device's own list. Throws 'manifest' if the vault has none. */
export async function ownStanding(live: Live): Promise<{ deviceId: string; identityKey: string; keepsHistory: boolean }> {
  const known = await peerOf(live, live.userId)
  if (!known) throw new CryptoFailure('manifest', 'This account’s own device list is missing')
  return {
    deviceId: live.device.id,
    identityKey: toBase64(live.identityKey),
    keepsHistory: known.manifest.keepsHistory,
  }
}

/** Older builds noted ids without keys. */
async function answeredAmong(live: Live, listed: ListedDevice[]): Promise<ListedDevice[]> {
  const note = await readNote(live)
  const first = listed.slice(0, listed.findIndex(({ id }) => id === live.device.id) + 1)
  const answered = note ? listed.filter((device) => note.includes(nameOf(device)) || note.includes(device.id)) : first
  if (!note || answered.some(({ id }) => note.includes(id))) await live.vault.write([noteWrite(answered)])
  return answered
}

async function readNote({ vault }: Live): Promise<string[] | undefined> {
  const row = await vault.get('sealed', ROW)
  return row && jsonOf(notes, row)
}

const withNote = <T>(live: Live, work: () => Promise<T>): Promise<T> => exclusive(`conclave/${live.userId}/announced`, work)
