import type { Live } from '../keys/live.ts'
import type { RoomLock, RoomLocks } from '../vault/roomlocks.ts'
import { type Book, type ChatLock, readBook } from './book.ts'

/** `claimed`: the server knows no password. `ending`: only rows have the lock. `off`: archive pages may remain at the server. */
export type ChatLockState = 'shut' | 'open' | 'claimed' | 'ending' | 'off'

export interface ChatLocks {
  states: Record<string, ChatLockState>
  /** Device ids, by room. */
  claimedBy: Record<string, string>
  /** Rooms whose rows may follow what the server says. */
  waiting: string[]
  isBookRead: boolean
}

/** By room, whether the server has a password. */
export type SeenPasswords = Record<string, boolean>

export async function chatLocks(live: Live): Promise<ChatLocks> {
  const [{ book, isRead, lockedBy = {} }, locks] = await Promise.all([readBook(live), live.vault.locks()])
  const rooms = [...new Set([...Object.keys(book.locks ?? {}), ...Object.keys(locks)])]
  const states = rooms.map(async (room) => [room, await stateOf(live, room, book.locks?.[room], locks[room])] as const)
  const claims = Object.entries(lockedBy).filter(([room]) => locks[room]?.isClaim)
  const mayFollow = ([room, entry]: [string, ChatLock]) => [true, false].some((seen) => isDue(entry, locks[room], seen))
  return {
    states: Object.fromEntries(await Promise.all(states)),
    claimedBy: Object.fromEntries(claims),
    waiting: Object.entries(book.locks ?? {})
      .filter(mayFollow)
      .map(([room]) => room),
    isBookRead: isRead,
  }
}

async function stateOf({ vault }: Live, room: string, entry: ChatLock | undefined, lock: RoomLock | undefined) {
  if (!lock) return entry && isOn(entry) ? 'shut' : 'off'
  if (lock.isClaim) return 'claimed'
  if (await vault.isOpen(room)) return 'open'
  return entry && !isOn(entry) ? 'ending' : 'shut'
}

/** Unknown kinds count as locks. */
export const isOn = ({ kind }: ChatLock): boolean => kind !== 'off' && kind !== 'gone'

const ROW_KEYS_MAX = 8

export const locksToFollow = ({ locks = {} }: Pick<Book, 'locks'>, held: RoomLocks, seen: SeenPasswords): string[] =>
  Object.entries(locks).flatMap(([room, entry]) =>
    isDue(entry, held[room], seen[room]) && !waitsForPassword(entry, held[room]) ? [room] : [],
  )

/** A thief adds keys without end. */
function waitsForPassword(entry: ChatLock, lock: RoomLock | undefined): boolean {
  if (!isOn(entry) || !lock?.isSealed || lock.isOff) return false
  return lock.rowKeys.filter(({ sealed }) => sealed !== '').length >= ROW_KEYS_MAX
}

/** Rows follow the book only where the server says the same [Note: L1]. */
export function isDue(entry: ChatLock, lock: RoomLock | undefined, hasPassword: boolean | undefined): boolean {
  if (!isOn(entry)) return lock !== undefined && (lock.isClaim === true || hasPassword === false)
  if (!lock) return true
  const isFollowed = !lock.isClaim && !lock.isOff && lock.publicKey === entry.data[0]
  return isFollowed ? !lock.isSealed : hasPassword === true
}
