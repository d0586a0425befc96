import type { Env } from '../../env.ts'
import { isRefused } from '../../net/api.ts'
import { showToast } from '../../ui/toast.ts'
import type { ChatLocks, SeenPasswords } from '../../worker/crypto.ts'
import { draftKept, forgetDraft } from './drafts.ts'
import { isShutRow, putRooms, type RoomRow, roomById, roomsStore } from './roomList.ts'
import { keepDrafts } from './unkeptDrafts.ts'
import { takeVoice } from './voicedrafts.ts'

/** [Note: L1] */
export type RoomLock = Pick<RoomRow, 'lock' | 'hasPages'>

/**
 * A password takes two steps, at the server and in the book. A page that sees only the first step waits this long before
 * `interrupted`.
 */
const SETTLES_MS = 10_000
/** Timers may fire early. */
const LATER_MS = 100

/** End of the wait by room, in ms of performance.now(). */
const settlesAt = new Map<string, number>()

type Seen = Pick<RoomRow, 'id' | 'isPasswordProtected' | 'lock'>

export function lockOf(env: Env, { states, isBookRead }: ChatLocks, seen: Seen): RoomLock {
  const state = states[seen.id]
  const hasPages = state !== undefined
  const isBetween = seen.isPasswordProtected && (state === undefined || state === 'off' || state === 'ending')
  if (!isBetween) settlesAt.delete(seen.id)
  if (state === 'shut' || state === 'open') return { lock: state, hasPages }
  if (state === 'claimed') return { lock: seen.isPasswordProtected ? 'shut' : 'claimed', hasPages }
  if (state === 'ending' && !isBetween) return { lock: 'shut', hasPages }
  if (!isBetween) return { lock: 'none', hasPages }
  // The unread book may have the lock.
  return { lock: isBookRead ? between(env, seen) : 'shut', hasPages }
}

function between(env: Env, { id, lock }: Seen): RoomRow['lock'] {
  const before = roomById(id)?.lock
  // The first sight tells no duration, and before the server's list the rows are the kept ones.
  if (before === undefined || before === 'interrupted' || roomsStore.getState().counter === null) return 'interrupted'
  const now = performance.now()
  const until = settlesAt.get(id) ?? now + SETTLES_MS
  if (now >= until) return 'interrupted'
  if (!settlesAt.has(id)) {
    settlesAt.set(id, until)
    setTimeout(() => settlesAt.get(id) === until && roomById(id) && void showLocks(env), SETTLES_MS + LATER_MS)
  }
  // Only a session that has the room open changes the password.
  return lock === 'shut' ? 'shut' : before
}

export async function followLocks(env: Env): Promise<void> {
  // Drafts first: a room locked by another browser takes none afterwards.
  await keepDrafts()
  await env.crypto.followLocks(seenPasswords())
  await showLocks(env)
}

function seenPasswords(): SeenPasswords {
  const { rooms, counter } = roomsStore.getState()
  return counter === null ? {} : passwordsOf(rooms.values())
}

export const passwordsOf = (rows: Iterable<Seen>): SeenPasswords =>
  Object.fromEntries([...rows].map(({ id, isPasswordProtected }) => [id, isPasswordProtected]))

export async function showLocks(env: Env): Promise<void> {
  const known = await env.crypto.chatLocks()
  const rows = [...roomsStore.getState().rooms.values()].flatMap((row) => {
    const { lock, hasPages } = lockOf(env, known, row)
    return lock === row.lock && hasPages === row.hasPages ? [] : [withLock(row, { lock, hasPages })]
  })
  if (rows.length > 0) putRooms(rows)
}

export function withLock(row: RoomRow, lock: RoomLock): RoomRow {
  if (!isShutRow(lock)) return { ...row, ...lock }
  forgetDraft(row.id)
  dropVoice(row.id)
  return { ...row, ...lock, preview: null, isTyping: false }
}

/** Only the page's memory has the recording. */
function dropVoice(chatRoomId: string): void {
  const voice = takeVoice(chatRoomId)
  if (!voice) return
  voice.drop()
  showToast({ tone: 'bad', title: 'Voice draft deleted', text: 'A chat with a password keeps no recording when it locks.' })
}

export function markShut({ id }: Pick<RoomRow, 'id'>): void {
  const row = roomById(id)
  if (row) putRooms([withLock(row, { lock: 'shut', hasPages: true })])
}

/** Shuts an open room on this page: clears the screen, stores the draft, forgets the keys. */
export async function shutHere(env: Env, { id }: Pick<RoomRow, 'id'>): Promise<void> {
  markShut({ id })
  // The composer hands over its text when it unmounts.
  await new Promise((resolve) => setTimeout(resolve))
  await draftKept(env, id)
  await env.crypto.shutChatLock({ chatRoomId: id })
}

/** Shuts a room that the server has locked for this session and returns undefined. */
export async function unlessLocked<T>(env: Env, room: Pick<RoomRow, 'id'>, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isRefused(error, 'chat_locked')) throw error
    if (roomById(room.id)?.lock === 'open') await shutHere(env, room)
    else markShut(room)
    return undefined
  }
}
