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

/** A device's name in the note: its id and leaf key. Notes of older builds hold ids alone. */
const nameOf = ({ id, leafKey }: ListedDevice): string => `${id} ${leafKey}`
const noteWrite = (devices: ListedDevice[]): Write => ({ store: 'sealed', key: ROW, value: { json: devices.map(nameOf) } })

/**
 * The devices of this account that the person has not confirmed in this browser, oldest first [Note: D1]. The first call counts
 * the devices up to this one as confirmed, because the person confirmed them when this browser was added. It stores that at once,
 * because a person with a way in may later sign the list in another order. Throws CryptoFailure('manifest').
 */
export function newDevices(live: Live): Promise<ListedDevice[]> {
  return withNote(live, async () => {
    const listed = await ownDevices(live)
    const answered = await answeredAmong(live, listed)
    return listed.filter((device) => !answered.includes(device))
  })
}

/** Notes that the person knows these devices, so that no tab of this browser announces them again. */
export function deviceSeen(live: Live, ids: string[]): Promise<void> {
  return withNote(live, async () => {
    const listed = await ownDevices(live)
    const answered = await answeredAmong(live, listed)
    // A removed device never comes back under the same id [Note: D1].
    await live.vault.write([noteWrite(listed.filter((device) => answered.includes(device) || ids.includes(device.id)))])
  })
}

/**
 * This browser's own record of its account, which no server can change; `identityKey` is Ed25519, base64. Throws
 * CryptoFailure('manifest').
 */
export async function ownStanding(live: Live): Promise<{ deviceId: string; identityKey: string; keepsHistory: boolean }> {
  const known = await peerOf(live, live.userId)
  if (!known) throw new CryptoFailure('manifest', 'This account’s own device list is missing')
  return {
    deviceId: live.device.id,
    identityKey: toBase64(live.identityKey),
    keepsHistory: known.manifest.keepsHistory,
  }
}

/**
 * The listed devices that the person has confirmed. An id without a key, in the note of an older build, means its current key.
 */
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
