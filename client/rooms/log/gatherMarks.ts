import type { Env } from '../../env.ts'
import { loadMarks } from '../list/marks.ts'
import type { Room } from '../list/room.ts'
import { catchUp } from './catchUp.ts'
import { loadOlderPage } from './olderPage.ts'

/** A new browser reads the notes to their beginning [Note: M13]. */
export async function gatherMarks(env: Env, notes: Room): Promise<void> {
  const start = async () => (await env.crypto.page({ chatRoomId: notes.id, limit: 1 })).from
  let from = await start()
  while (from > 1) {
    await loadOlderPage(env, notes, from)
    const next = await start()
    // A server may repeat a page.
    if (next >= from) break
    from = next
  }
  const lackKeys = (await env.crypto.roomRecord(notes.id))?.waiting ?? []
  if (lackKeys.length > 0) await catchUp(env, notes)
  // Another tab may have read them.
  await loadMarks(env)
}
