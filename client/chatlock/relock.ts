import type { Env } from '../env.ts'
import { type RoomRow, roomById } from '../rooms/list.ts'

const HIDDEN_MS = 5 * 60_000
const TICK_MS = 15_000
/** Timers of a page out of sight run once a minute: a longer gap is a computer that has slept. */
const SLEPT_MS = 2 * 60_000
/** Use is noted this often. */
const USE_MS = 30_000
const USES = ['keydown', 'pointerdown', 'wheel'] as const

/** Locks a chat in this browser. */
export async function lockNow(env: Env, room: RoomRow): Promise<void> {
  const { lockChat } = await import('./chatlock.ts')
  await lockChat(env, room)
}

/**
 * Watches over an unlocked chat while its screen is shown: what the person does keeps it open; it is locked when the page was out of
 * sight for five minutes or the computer has slept. Returns what is called when the person leaves the chat, which locks it too.
 */
export function keepUntilLeft(env: Env, room: RoomRow): () => void {
  let hiddenAt = document.hidden ? Date.now() : undefined
  let lastTick = Date.now()
  let lastUse = Date.now()
  const lock = () => {
    if (roomById(room.id)?.lock === 'open') void lockNow(env, room)
  }
  const look = () => {
    const now = Date.now()
    const hasSlept = now - lastTick > SLEPT_MS
    lastTick = now
    if (hasSlept || (hiddenAt !== undefined && now - hiddenAt >= HIDDEN_MS)) lock()
  }
  const turn = () => {
    look()
    hiddenAt = document.hidden ? Date.now() : undefined
  }
  const use = () => {
    if (Date.now() - lastUse < USE_MS) return
    lastUse = Date.now()
    void import('./chatlock.ts').then(({ keepOpen }) => keepOpen(env, room))
  }
  for (const event of USES) document.addEventListener(event, use, { passive: true })
  const timer = setInterval(look, TICK_MS)
  document.addEventListener('visibilitychange', turn)
  return () => {
    clearInterval(timer)
    for (const event of USES) document.removeEventListener(event, use)
    document.removeEventListener('visibilitychange', turn)
    lock()
  }
}
