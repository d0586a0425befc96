import type { Live } from '../keys/live.ts'
import { readBook } from './book.ts'
import { type ListedDevice, listedDevices } from './listedDevices.ts'

/** Throws 'manifest' if the vault has no own list. */
export async function ownDevices(live: Live): Promise<ListedDevice[]> {
  const [devices, row] = await Promise.all([listedDevices(live), readBook(live)])
  const given = row.book.deviceNames ?? {}
  return devices.map((device) => ({ ...device, name: given[device.id]?.name || device.name }))
}
