import { pendingSettled } from '../group/pending.ts'
import { inRoom, type Place } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { bookWrite, readBook, withBook } from '../lists/book.ts'
import { seenIn } from '../lists/generations.ts'
import { type RoomRecord, recordWrite, roomRecord } from '../vault/storedRoom.ts'
import { newRecord } from './enterRoom.ts'

/**
 * Accepts the generation that the server shows, even against the known one, because the person decided so [Note: R8]. The book
 * brings the decision to the account's other browsers. Gives up the MLS state; the caller creates the next generation.
 */
export function restartRoom(live: Live, shown: Place & { generation: number; lastSeq: number }): Promise<void> {
  const { chatRoomId, generation, lastSeq } = shown
  return inRoom(live, chatRoomId, () =>
    withBook(live, async () => {
      const [row, record] = await Promise.all([readBook(live), roomRecord(live.vault, chatRoomId)])
      const { book } = row
      const generations = { ...book.generations, [chatRoomId]: generation }
      const restarts = { ...book.restarts, [chatRoomId]: seenIn(book, chatRoomId).n + 1 }
      const before = record ? levelWith(record, lastSeq) : newRecord({ generation, groupId: null, epoch: 0, lastSeq })
      await live.vault.write([
        bookWrite({ ...row, isDirty: true, book: { ...book, generations, restarts } }),
        recordWrite(chatRoomId, { ...before, standing: 'outside', generation, groupId: null, epoch: 0 }),
        { store: 'groups', key: chatRoomId, value: null },
        pendingSettled(chatRoomId),
      ])
    }),
  )
}

/** If the log has become shorter, moves the cursor to its end: the entries after it no longer exist. */
function levelWith(record: RoomRecord, lastSeq: number): RoomRecord {
  if (record.cursor <= lastSeq) return record
  const { transcript: _, ...rest } = record
  return { ...rest, cursor: lastSeq, from: Math.min(record.from, lastSeq + 1) }
}
