import { CHAT_LOCK } from '../../../contract/chat/locklimits.ts'
import type { Env } from '../../env.ts'
import { type DirectRow, roomById } from '../../rooms/list/roomList.ts'
import { shutHere } from '../../rooms/list/roomLocks.ts'

const HIDDEN_MS = 5 * 60_000
const TICK_MS = 15_000
/** Timers of a page out of sight run once a minute: a longer gap is a computer that has slept. */
const SLEPT_MS = 2 * 60_000
const USES = ['keydown', 'pointerdown', 'wheel'] as const

type Place = Pick<DirectRow, 'id' | 'direct'>

const timers = new Map<string, ReturnType<typeof setTimeout>>()

/** Locks an open chat after 15 minutes in which this was not called again: call it when the person uses the chat. */
export function keepOpen(env: Env, place: Place): void {
  clearTimeout(timers.get(place.id))
  timers.set(place.id, setTimeout(lockOpen, CHAT_LOCK.openSeconds * 1000, env, place))
}

function lockOpen(env: Env, place: Place): void {
  if (roomById(place.id)?.lock === 'open') void lockChat(env, place)
}

/**
 * Locks a chat again: at once on this page, by nothing that would have to be loaded, then at the server. Where the code for that cannot be
 * loaded the server's time runs out.
 */
export async function lockChat(env: Env, place: Place): Promise<void> {
  await shutHere(env, place)
  const part = await import('./lockAtServer.ts').catch(() => undefined)
  await part?.lockAtServer(env, place)
}

/**
 * Watches over an unlocked chat while its screen is shown: what the person does keeps it open; it is locked when the page was out of
 * sight for five minutes or the computer has slept. Returns what is called when the person leaves the chat, which locks it too.
 */
export function keepUntilLeft(env: Env, room: DirectRow): () => void {
  let hiddenAt = document.hidden ? Date.now() : undefined
  let lastTick = Date.now()
  const lock = () => lockOpen(env, room)
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
  const end = new AbortController()
  const { signal } = end
  for (const event of USES) document.addEventListener(event, () => keepOpen(env, room), { passive: true, signal })
  document.addEventListener('visibilitychange', turn, { signal })
  const timer = setInterval(look, TICK_MS)
  return () => {
    clearInterval(timer)
    end.abort()
    lock()
  }
}
