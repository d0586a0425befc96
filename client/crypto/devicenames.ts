import { LIMITS } from '../../contract/limits.ts'
import { type Book, bookWrite, readBook, withBook } from './book.ts'
import { type ListedDevice, listedDevices } from './listed.ts'
import type { Live } from './live.ts'
import { AHEAD_MAX } from './pins.ts'

/** The devices of the open account with the names that the person gave them since. Throws CryptoFailure('manifest'). */
export async function ownDevices(live: Live): Promise<ListedDevice[]> {
  const [devices, row] = await Promise.all([listedDevices(live), readBook(live)])
  const given = row.book.deviceNames ?? {}
  return devices.map((device) => ({ ...device, name: given[device.id]?.name || device.name }))
}

/**
 * Gives a device of the account another name, in the book, which no password has to open; '' gives back the name that it came with
 * [Note: I1]. Names of devices that are no longer listed are dropped.
 */
export const nameDevice = (live: Live, { deviceId, name }: { deviceId: string; name: string }): Promise<void> =>
  withBook(live, async () => {
    const [row, devices] = await Promise.all([readBook(live), listedDevices(live)])
    const before = row.book.deviceNames ?? {}
    const given = { name: name.slice(0, LIMITS.deviceNameMax), n: (before[deviceId]?.n ?? 0) + 1 }
    const all = Object.entries({ ...before, [deviceId]: given })
    const deviceNames = Object.fromEntries(all.filter(([id]) => devices.some((device) => device.id === id)))
    await live.vault.write([bookWrite({ ...row, isDirty: true, book: { ...row.book, deviceNames } })])
  })

/** Merges the names of two books: the one that was changed more often wins, then the server's. An n too far ahead is ignored. */
export function mergedNames({ deviceNames: mine }: Book, { deviceNames: theirs }: Book): Pick<Book, 'deviceNames'> {
  if (!mine && !theirs) return {}
  const merged = { ...mine }
  for (const [id, other] of Object.entries(theirs ?? {})) {
    const own = mine?.[id]?.n ?? 0
    if (other.n >= own && other.n <= own + AHEAD_MAX) merged[id] = other
  }
  return { deviceNames: merged }
}
