import type { Live } from '../keys/live.ts'
import type { RoomLock, RoomLocks } from '../vault/roomlocks.ts'
import { type Book, type ChatLock, readBook } from './book.ts'

/** `off`: archive pages may remain at the server. */
export type ChatLockState = 'shut' | 'open' | 'off'

export interface ChatLocks {
  states: Record<string, ChatLockState>
  isBookRead: boolean
}

export async function chatLocks(live: Live): Promise<ChatLocks> {
  const [{ book, isRead }, locks] = await Promise.all([readBook(live), live.vault.locks()])
  const rooms = [...new Set([...Object.keys(book.locks ?? {}), ...Object.keys(locks)])]
  const states = rooms.map(async (room) => [room, await stateOf(live, room, book.locks?.[room], locks[room])] as const)
  return { states: Object.fromEntries(await Promise.all(states)), isBookRead: isRead }
}

async function stateOf({ vault }: Live, room: string, entry: ChatLock | undefined, lock: RoomLock | undefined) {
  if (lock) return (await vault.isOpen(room)) ? 'open' : 'shut'
  return entry && isOn(entry) ? 'shut' : 'off'
}

/** Unknown kinds count as locks. */
export const isOn = ({ kind }: ChatLock): boolean => kind !== 'off' && kind !== 'gone'

/** Returns rooms whose rows must follow [Note: L1]. */
export function locksToFollow({ locks = {} }: Pick<Book, 'locks'>, held: RoomLocks): string[] {
  return Object.entries(locks).flatMap(([room, entry]) => {
    const lock = held[room]
    if (!isOn(entry)) return lock ? [room] : []
    const isFollowed = lock?.isSealed && !lock.isOff && lock.publicKey === entry.data[0] && lock.n >= entry.gone
    return isFollowed ? [] : [room]
  })
}
