import { type Book, readBook } from './book.ts'
import { type ListedDevice, listedDevices } from './listed.ts'
import type { Live } from './live.ts'
import { AHEAD_MAX } from './pins.ts'

/** The devices of the open account with the names that the person gave them since. Throws CryptoFailure('manifest'). */
export async function ownDevices(live: Live): Promise<ListedDevice[]> {
  const [devices, row] = await Promise.all([listedDevices(live), readBook(live)])
  const given = row.book.deviceNames ?? {}
  return devices.map((device) => ({ ...device, name: given[device.id]?.name || device.name }))
}

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
