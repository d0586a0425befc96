import { LIMITS } from '../../../contract/ground/limits.ts'
import { inRoom } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { type Book, bookWrite, readBook, withBook } from '../lists/book.ts'
import { readIntoIndex } from '../searchindex/searchindex.ts'
import { dropFiles } from '../vault/disk.ts'
import { type RoomRecord, recordWrite, roomRecord } from '../vault/storedRoom.ts'
import type { Write } from '../vault/vault.ts'
import { clearedIn } from './withheldPlace.ts'

const CHUNK = 500

/** Sets a contact's alias in the book; '' removes the alias [Note: I1]. */
export const nameContact = (live: Live, { userId, name }: { userId: string; name: string }): Promise<void> =>
  changeBook(live, ({ contactNames = {}, ...book }) => {
    const given = { name: name.slice(0, LIMITS.displayNameMax), n: (contactNames[userId]?.n ?? 0) + 1 }
    return { ...book, contactNames: { ...contactNames, [userId]: given } }
  })

/** Notes a block or its end [Note: M8]. */
export const noteBlock = (live: Live, { userId, isBlocked }: { userId: string; isBlocked: boolean }): Promise<void> =>
  changeBook(live, ({ blocks = {}, ...book }) => {
    const noted = { isBlocked, n: (blocks[userId]?.n ?? 0) + 1 }
    return { ...book, blocks: { ...blocks, [userId]: noted } }
  })

const changeBook = (live: Live, change: (book: Book) => Book): Promise<void> =>
  withBook(live, async () => {
    const row = await readBook(live)
    await live.vault.write([bookWrite({ ...row, isDirty: true, book: change(row.book) })])
  })

/** Notes a cleared room in the book, and deletes its messages here. */
export async function clearRoom(
  live: Live,
  { chatRoomId, clearedSeq }: { chatRoomId: string; clearedSeq: number },
): Promise<void> {
  await changeBook(live, ({ clears = {}, ...book }) => {
    const seq = Math.max(clears[chatRoomId] ?? 0, clearedSeq)
    return { ...book, clears: { ...clears, [chatRoomId]: seq } }
  })
  await applyClears(live, { [chatRoomId]: clearedSeq })
}

/** Deletes what other browsers cleared; `shown`: the server's seqs by room id. Returns the changed rooms. */
export async function applyClears(live: Live, shown: Record<string, number>): Promise<string[]> {
  const { book } = await readBook(live)
  const changed: string[] = []
  for (const [chatRoomId, clearedSeq] of Object.entries(shown)) {
    const upTo = clearedIn(book, chatRoomId, clearedSeq)
    if (upTo > 0 && (await deleteUpTo(live, chatRoomId, upTo))) changed.push(chatRoomId)
  }
  // The index drops what lies before the room's first message.
  if (changed.length > 0) await readIntoIndex(live.vault, changed, CHUNK)
  return changed
}

const deleteUpTo = (live: Live, chatRoomId: string, upTo: number): Promise<boolean> =>
  inRoom(live, chatRoomId, async () => {
    // A locked room is cleared after it opens.
    const record = (await live.vault.isOpen(chatRoomId)) ? await roomRecord(live.vault, chatRoomId) : undefined
    if (!record || (record.cleared ?? 0) >= upTo) return false
    const gone: Write[] = []
    for (let after = 0; ; ) {
      const rows = await live.vault.page('messages', chatRoomId, { after, before: upTo + 1, limit: CHUNK })
      for (const { seq } of rows) gone.push({ store: 'messages', key: [chatRoomId, seq], value: null })
      after = rows.at(-1)?.seq ?? upTo
      if (rows.length < CHUNK) break
    }
    await live.vault.write([...gone, recordWrite(chatRoomId, withoutCleared(record, upTo))])
    // Files of later messages are fetched again.
    await dropFiles(live.userId, chatRoomId)
    return true
  })

function withoutCleared(record: RoomRecord, upTo: number): RoomRecord {
  const left = <R extends { first: number; last: number }>(ranges: R[]): R[] =>
    ranges.filter(({ last }) => last > upTo).map((range) => ({ ...range, first: Math.max(range.first, upTo + 1) }))
  const { newer } = record
  return {
    ...record,
    ...{ cleared: upTo, from: Math.max(record.from, Math.min(upTo, record.cursor) + 1), waiting: left(record.waiting) },
    ...(newer && { newer: left(newer) }),
  }
}
