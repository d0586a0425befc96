import { z } from 'zod'
import { onionAddress } from '../../contract/onion.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { exclusive } from '../vault/exclusive.ts'
import { jsonOf } from '../vault/rows.ts'
import type { Write } from '../vault/vault.ts'
import type { Live } from './live.ts'
import { peerOf } from './peers.ts'
import { type ListedDevice, ownDevices } from './review.ts'

const ROW = 'announced'
const notes = z.array(z.string())

const noteWrite = (ids: string[]): Write => ({ store: 'sealed', key: ROW, value: { json: ids } })

/**
 * The devices of this account that the person has not answered for in this browser, oldest first [Note: D1]. The first call takes
 * as answered what the person confirmed when this browser was added: the list up to it. That is written down at once, because
 * whoever holds a way in may later sign a list in another order. Throws CryptoFailure('manifest').
 */
export function newDevices(live: Live): Promise<ListedDevice[]> {
  return withNote(live, async () => {
    const listed = await ownDevices(live)
    const answered = new Set((await readNote(live)) ?? (await firstNote(live, listed)))
    return listed.filter(({ id }) => !answered.has(id))
  })
}

/** The person knows these devices: they are not announced again, in no tab of this browser. */
export function deviceSeen(live: Live, ids: string[]): Promise<void> {
  return withNote(live, async () => {
    const listed = await ownDevices(live)
    const answered = new Set([...((await readNote(live)) ?? (await firstNote(live, listed))), ...ids])
    // Who is gone never comes back under the same id [Note: D1].
    await live.vault.write([noteWrite(listed.filter(({ id }) => answered.has(id)).map(({ id }) => id))])
  })
}

/** What this browser itself knows of its account: no server has a say in it. Throws CryptoFailure('manifest'). */
export async function ownStanding(live: Live): Promise<{ deviceId: string; onionAddress: string; keepsHistory: boolean }> {
  const known = await peerOf(live, live.userId)
  if (!known) throw new CryptoFailure('manifest', "This account's own device list is missing")
  return {
    deviceId: live.device.id,
    onionAddress: onionAddress(live.identityKey),
    keepsHistory: known.manifest.keepsHistory,
  }
}

async function firstNote(live: Live, listed: ListedDevice[]): Promise<string[]> {
  const ids = listed.slice(0, listed.findIndex(({ id }) => id === live.device.id) + 1).map(({ id }) => id)
  await live.vault.write([noteWrite(ids)])
  return ids
}

async function readNote({ vault }: Live): Promise<string[] | undefined> {
  const row = await vault.get('sealed', ROW)
  return row && jsonOf(notes, row)
}

const withNote = <T>(live: Live, work: () => Promise<T>): Promise<T> => exclusive(`conclave/${live.userId}/announced`, work)
