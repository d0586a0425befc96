import type { Mark } from '../../../contract/chat/content.ts'
import type { Env } from '../../env.ts'
import { loadMarks } from '../../rooms/list/marks.ts'
import { openNotes } from '../../rooms/list/notes.ts'
import { type RoomRow, roomById } from '../../rooms/list/roomList.ts'
import { sendAct } from './acts.ts'

/** Marks a chat on all own browsers. Throws ApiError where there are no notes yet, and no line. */
export async function setMark(env: Env, room: RoomRow, is: Mark['is'], on: boolean): Promise<void> {
  const notes = roomById(await openNotes(env))
  if (!notes) throw new Error('The notes are not in the list')
  const mark = { type: 'mark' as const, room: room.id, is, on, at: room.lastSeq }
  await sendAct(env, notes, mark, () => void loadMarks(env))
}
