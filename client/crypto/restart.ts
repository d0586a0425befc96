import { type RoomRecord, recordWrite, roomRecord } from '../vault/rooms.ts'
import { bookWrite, readBook, withBook } from './book.ts'
import { newRecord } from './enter.ts'
import { seenIn } from './generations.ts'
import type { Live } from './live.ts'
import { pendingSettled } from './pending.ts'
import { inRoom, type Place } from './room.ts'

/**
 * Takes the generation that the server shows, whatever was known: the person has decided so [Note: R8]. All browsers of the account
 * follow by the book. The MLS state is given up; the caller creates the next generation.
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

/** A log that has become shorter is followed from its end: what this device saw behind it is not there any more. */
function levelWith(record: RoomRecord, lastSeq: number): RoomRecord {
  if (record.cursor <= lastSeq) return record
  const { transcript: _, ...rest } = record
  return { ...rest, cursor: lastSeq, from: Math.min(record.from, lastSeq + 1) }
}
