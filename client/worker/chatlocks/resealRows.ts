import { inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import type { ChatLock } from '../lists/book.ts'
import { withOutbox } from '../messages/outbox.ts'
import type { RoomLock } from '../vault/roomlocks.ts'
import type { Write } from '../vault/vault.ts'
import { DROPPED, isDropped, newRowKey, openRowKeys } from './chatkeys.ts'
import { CHUNK, lockedNames, putLock, roomNames, unsealed } from './chatrows.ts'

/** Call inside the locks of room and outbox. */
export async function addRowKey(
  live: Live,
  chatRoomId: string,
  { n, data: [publicKey = ''] }: ChatLock,
  seeds: Uint8Array[],
): Promise<void> {
  const lock = (await live.vault.locks())[chatRoomId]
  if (!lock || lock.publicKey === publicKey) return
  const keys = await openRowKeys(live, chatRoomId, lock.rowKeys, seeds)
  const { key, kept } = await newRowKey(live, chatRoomId, publicKey)
  // In this order: who writes meanwhile has the key of either note.
  live.vault.openRoom(chatRoomId, [...keys, key])
  await putLock(live, chatRoomId, { ...lock, n, publicKey, rowKeys: [...lock.rowKeys, kept] })
}

export const hasOlderKeys = (lock: RoomLock | undefined): boolean =>
  lock?.rowKeys.slice(0, -1).some((kept) => !isDropped(kept)) === true

/** The older row keys go, and rows that no key opens: the server has them. */
export const resealChat = (live: Live, { chatRoomId }: { chatRoomId: string }): Promise<void> =>
  inRoom(live, chatRoomId, () =>
    withOutbox(live, chatRoomId, async () => {
      const { vault } = live
      const lock = (await vault.locks())[chatRoomId]
      if (!lock || !hasOlderKeys(lock) || !(await vault.isOpen(chatRoomId))) return
      const names = [...(await roomNames(vault, chatRoomId)), ...(await lockedNames(vault, chatRoomId))]
      for (let at = 0; at < names.length; at += CHUNK) {
        const rows = names.slice(at, at + CHUNK).map(async (name): Promise<Write> => {
          const value = await unsealed(vault, name)
          return value ? { ...name, value, chatRoomId } : { ...name, value: null }
        })
        await vault.write(await Promise.all(rows))
      }
      const rowKeys = lock.rowKeys.map((kept, at) => (at === lock.rowKeys.length - 1 ? kept : DROPPED))
      await putLock(live, chatRoomId, { ...lock, rowKeys })
    }),
  )
