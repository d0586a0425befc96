import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Live } from '../keys/live.ts'
import { bookWrite, readBook, withBook } from './book.ts'
import { listedDevices } from './listedDevices.ts'

/** Names a device; '' restores the original name [Note: I1]. */
export const nameDevice = (live: Live, { deviceId, name }: { deviceId: string; name: string }): Promise<void> =>
  withBook(live, async () => {
    const [row, devices] = await Promise.all([readBook(live), listedDevices(live)])
    const before = row.book.deviceNames ?? {}
    const given = { name: name.slice(0, LIMITS.deviceNameMax), n: (before[deviceId]?.n ?? 0) + 1 }
    const all = Object.entries({ ...before, [deviceId]: given })
    const deviceNames = Object.fromEntries(all.filter(([id]) => devices.some((device) => device.id === id)))
    await live.vault.write([bookWrite({ ...row, isDirty: true, book: { ...row.book, deviceNames } })])
  })
