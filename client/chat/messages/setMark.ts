import type { ChatDeletion, Mark, Star } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { loadMarks } from '../../rooms/list/marks.ts'
import { openNotes } from '../../rooms/list/notes.ts'
import { type RoomRow, roomById } from '../../rooms/list/roomList.ts'
import { flush } from './send.ts'

export const setMark = (env: Env, room: RoomRow, is: Mark['is'], on: boolean): Promise<void> =>
  keepMarks(env, [{ type: 'mark', room: room.id, is, on, at: room.lastSeq }])

/** Pins chats, or pins them once more: they stand in this order. */
export const setPins = (env: Env, rooms: RoomRow[]): Promise<void> =>
  keepMarks(
    env,
    rooms.map(({ id, lastSeq }) => ({ type: 'mark', room: id, is: 'pinned', on: true, at: lastSeq })),
  )

/** Marks on all own browsers. Throws ApiError where there are no notes yet, and no line; CryptoFailure('queue_full'). */
export async function keepMarks(env: Env, marks: (Mark | Star | ChatDeletion)[]): Promise<void> {
  const notes = roomById(await openNotes(env))
  if (!notes) throw new Error('The notes are not in the list')
  try {
    for (const content of marks)
      await env.crypto.keepInOutbox({
        ...{ id: crypto.randomUUID(), chatRoomId: notes.id, content },
        ...{ replyToId: null, sentAt: env.clock().toISOString() },
      })
  } finally {
    // Those before a failure are kept.
    await loadMarks(env)
  }
  await flush(env, notes)
}
