import type { Live } from '../keys/live.ts'
import { type BookRow, bookWrite, type ChatLock, readBook, withBook } from '../lists/book.ts'
import { isOn } from '../lists/chatlocks.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import type { Write } from '../vault/vault.ts'
import { openSeeds } from './chatkeys.ts'
import { putLock } from './chatrows.ts'

export const entryOf = ({ book }: BookRow, chatRoomId: string): ChatLock | undefined => book.locks?.[chatRoomId]

/** Throws 'chat_lock'. */
export function lockOf(row: BookRow, chatRoomId: string): ChatLock {
  const entry = entryOf(row, chatRoomId)
  if (entry && isOn(entry)) return entry
  throw new CryptoFailure('chat_lock', 'Setting the password of this chat was interrupted. Set it again')
}

export function lockWrite(row: BookRow, chatRoomId: string, lock: Pick<ChatLock, 'kind' | 'data' | 'gone'>): Write {
  const n = (entryOf(row, chatRoomId)?.n ?? 0) + 1
  const locks = { ...row.book.locks, [chatRoomId]: { ...lock, n } }
  return bookWrite({ ...row, isDirty: true, book: { ...row.book, locks } })
}

export const changeLock = (live: Live, chatRoomId: string, change: (entry: ChatLock) => string[]): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    const entry = lockOf(row, chatRoomId)
    await live.vault.write([lockWrite(row, chatRoomId, { ...entry, data: change(entry) })])
  })

/** Returns `data` of the lock that was opened here last [Note: L1]. */
export const provenOf = async ({ vault }: Live, chatRoomId: string): Promise<string[] | undefined> =>
  (await vault.locks())[chatRoomId]?.proven

export async function noteProven(live: Live, chatRoomId: string, data: string[]): Promise<void> {
  const lock = (await live.vault.locks())[chatRoomId]
  if (lock && JSON.stringify(lock.proven) !== JSON.stringify(data)) await putLock(live, chatRoomId, { ...lock, proven: data })
}

interface Opened {
  data: string[]
  seeds: Uint8Array[]
  isChanged: boolean
}

/** Returns undefined where the halves do not open it. */
export async function opensBy(
  live: Live,
  chatRoomId: string,
  data: string[] | undefined,
  halves: { root: Uint8Array; lockSecret: Uint8Array },
): Promise<Opened | undefined> {
  if (!data) return undefined
  const [publicKey = '', , sealed, next, nextKey = publicKey] = data
  // An interrupted change leaves both seals.
  for (const [text, key] of [[sealed, publicKey] as const, [next, nextKey] as const]) {
    if (text === undefined) continue
    try {
      return { data, seeds: await openSeeds(live, chatRoomId, key, halves, text), isChanged: text === next }
    } catch (error) {
      if (!(error instanceof CryptoFailure) || error.code !== 'chat_lock') throw error
    }
  }
  return undefined
}
