import { type LogEntry, roomsApi } from '../../../contract/chat/rooms.ts'
import type { Env } from '../../env.ts'
import { connectionStore } from '../../net/status.ts'
import { isFollowed, placeOf, type Room } from '../list/room.ts'
import { isShut, latestRoom } from '../list/roomList.ts'
import { fetchNamed } from '../trust/fetchNamed.ts'
import { keepKeys } from './archiveKeys.ts'

const PAGE = 50
/** Maximum length of a page down to a commit, where the comparison with senders' logs starts [Note: M5]. */
const PAGE_MAX = 150

export async function loadOlderPage(env: Env, room: Room, before: number): Promise<boolean> {
  if (before <= 1 || !isFollowed(room) || isShut(room)) return false
  const { clearedSeq } = latestRoom(room)
  if (!(await env.crypto.ownStanding()).keepsHistory) {
    // The account kept no older keys: the page would be unreadable.
    await env.crypto.adoptPage({ ...placeOf(room), entries: [], isStart: true, clearedSeq })
    return false
  }
  const entries = await readDown(env, room.id, before)
  const missing = await env.crypto.missingEpochs(entries.filter((entry) => entry.kind === 'message'))
  if (missing.length > 0) await keepKeys(env, room, missing)
  const { ingress: route } = connectionStore.getState()
  await fetchNamed(
    env,
    room,
    await env.crypto.adoptPage({ ...placeOf(room), entries, isStart: entries[0]?.seq === 1, clearedSeq, route }),
  )
  return true
}

async function readDown(env: Env, chatRoomId: string, before: number): Promise<LogEntry[]> {
  const entries: LogEntry[] = []
  for (let end = before - 1; end > 0 && entries.length < PAGE_MAX; ) {
    const after = Math.max(0, end - PAGE)
    const page = await env.api(roomsApi.log, { chatRoomId, after, limit: end - after })
    entries.unshift(...page.entries)
    end = after
    const start = entries.slice(0, 1 - PAGE).findLastIndex(({ kind }) => kind === 'commit')
    if (end > 0 && start >= 0) return entries.slice(start)
  }
  return entries
}
