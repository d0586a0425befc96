import { pendingSettled } from '../group/pending.ts'
import { inRoom, type Place } from '../group/roomState.ts'
import type { Live } from '../keys/live.ts'
import { bookWrite, readBook, withBook } from '../lists/book.ts'
import { seenIn } from '../lists/generations.ts'
import { type RoomRecord, recordWrite, roomRecord } from '../vault/storedRoom.ts'
import { newRecord } from './enterRoom.ts'

/** Accepts the server's generation by the person's decision [Note: R8]. The caller creates the next generation. */
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

/** A shortened log lacks the later entries. */
function levelWith(record: RoomRecord, lastSeq: number): RoomRecord {
  if (record.cursor <= lastSeq) return record
  const { transcript: _, timer: __, pins = [], ...rest } = record
  return { ...rest, pins: pins.filter(({ seq }) => seq <= lastSeq), cursor: lastSeq, from: Math.min(record.from, lastSeq + 1) }
}
