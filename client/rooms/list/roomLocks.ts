import type { Env } from '../../env.ts'
import { isRefused } from '../../net/api.ts'
import { showToast } from '../../ui/toast.ts'
import type { ChatLocks } from '../../worker/crypto.ts'
import { draftKept, forgetDraft } from './drafts.ts'
import { putRooms, type RoomRow, roomById, roomsStore } from './roomList.ts'
import { keepDrafts } from './unkeptDrafts.ts'
import { takeVoice } from './voicedrafts.ts'

/** What a room's lock is on this page [Note: L1]. */
export type RoomLock = Pick<RoomRow, 'lock' | 'hasPages'>

/**
 * Setting or removing a password takes two steps, at the server and in the book. A page that sees the first one happen gives the second
 * one so long before it says that it was interrupted.
 */
const SETTLES_MS = 10_000
/** A timer may run a little early. */
const LATER_MS = 100

/** The rooms between the two steps: when this page gives up waiting, in ms of performance.now(). */
const settlesAt = new Map<string, number>()

/** What the server's row, or the list's, says of a room's lock. */
type Seen = Pick<RoomRow, 'id' | 'isPasswordProtected' | 'lock'>

/** A room's lock, by what this browser knows and what a row says of it. */
export function lockOf(env: Env, { states, isBookRead }: ChatLocks, seen: Seen): RoomLock {
  const state = states[seen.id]
  const hasPages = state !== undefined
  const isBetween = seen.isPasswordProtected && state !== 'shut' && state !== 'open'
  if (!isBetween) settlesAt.delete(seen.id)
  if (state === 'shut' || state === 'open') return { lock: state, hasPages }
  if (!isBetween) return { lock: 'none', hasPages }
  // Before the book was read, it may have the lock.
  return { lock: isBookRead ? between(env, seen) : 'shut', hasPages }
}

/** The lock of a room of which the server has a password and the book no lock. */
function between(env: Env, { id, lock }: Seen): RoomRow['lock'] {
  const before = roomById(id)?.lock
  // Whoever sees it for the first time does not know how long it has been so. Before the server's list was read, rows are what was kept.
  if (before === undefined || before === 'interrupted' || roomsStore.getState().counter === null) return 'interrupted'
  const now = performance.now()
  const until = settlesAt.get(id) ?? now + SETTLES_MS
  if (now >= until) return 'interrupted'
  if (!settlesAt.has(id)) {
    settlesAt.set(id, until)
    setTimeout(() => settlesAt.get(id) === until && roomById(id) && void showLocks(env), SETTLES_MS + LATER_MS)
  }
  // The session that sets or removes it has the room open.
  return lock === 'shut' ? 'shut' : before
}

const isOpen = (lock: RoomRow['lock'] | undefined): boolean => lock === undefined || lock === 'none' || lock === 'open'

/** True if nothing of the room may be read or done here. */
export const isShut = ({ id }: Pick<RoomRow, 'id'>): boolean => !isOpen(roomById(id)?.lock)

/** Lets this browser follow the locks in the account's book, and shows them. */
export async function followLocks(env: Env): Promise<void> {
  // A room that another browser has locked takes no draft afterwards.
  await keepDrafts()
  await env.crypto.followLocks()
  await showLocks(env)
}

/** Shows the rooms' locks as they are now. A room that is shut shows nothing of what was read of it. */
export async function showLocks(env: Env): Promise<void> {
  const known = await env.crypto.chatLocks()
  const rows = [...roomsStore.getState().rooms.values()].flatMap((row) => {
    const { lock, hasPages } = lockOf(env, known, row)
    return lock === row.lock && hasPages === row.hasPages ? [] : [withLock(row, { lock, hasPages })]
  })
  if (rows.length > 0) putRooms(rows)
}

/** The row with its lock. */
export function withLock(row: RoomRow, lock: RoomLock): RoomRow {
  if (isOpen(lock.lock)) return { ...row, ...lock }
  forgetDraft(row.id)
  dropVoice(row.id)
  return { ...row, ...lock, preview: null, isTyping: false }
}

/** A locked chat keeps no word in this page's memory, and a recording is nowhere else. */
function dropVoice(chatRoomId: string): void {
  const voice = takeVoice(chatRoomId)
  if (!voice) return
  voice.drop()
  showToast({ tone: 'bad', title: 'Voice draft deleted', text: 'A chat with a password keeps no recording when it locks.' })
}

/** Shows nothing of a room any more. */
export function markShut({ id }: Pick<RoomRow, 'id'>): void {
  const row = roomById(id)
  if (row) putRooms([withLock(row, { lock: 'shut', hasPages: true })])
}

/** Shuts an open room on this page: what is on screen of it goes, what was typed is stored, and its keys are forgotten. */
export async function shutHere(env: Env, { id }: Pick<RoomRow, 'id'>): Promise<void> {
  markShut({ id })
  // The composer hands its text over when it leaves the screen.
  await new Promise((resolve) => setTimeout(resolve))
  await draftKept(env, id)
  await env.crypto.shutChatLock({ chatRoomId: id })
}

/**
 * Shuts a room that the server has locked for this session: its time ended, or another browser has set or changed the password. Returns
 * undefined then, else what `work` does.
 */
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
