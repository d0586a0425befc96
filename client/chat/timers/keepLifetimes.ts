import type { Env } from '../../env.ts'
import { forgetEnds, onEnds } from '../../rooms/list/lifetimes.ts'
import { readSeqOf } from '../../rooms/list/readMarks.ts'
import { markOf } from '../../rooms/list/room.ts'
import { isShut, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import { editIn, showEdit } from '../messages/edits.ts'
import { refreshRoom } from '../messages/messageWindow.ts'
import { replyIn, showReply } from '../messages/replies.ts'

/** A longer timer would be cut off by the browser; a clock may be set meanwhile. */
const LOOK_MS = 10 * 60_000
/** What ends together ends in one look. */
const GATHER_MS = 50

const kept = new WeakSet<AbortSignal>()

/** Starts the lifetimes of what is read, and ends messages in time, once a session. */
export function keepLifetimes(env: Env, attempt: (work: Promise<unknown>) => void, over: AbortSignal): void {
  if (over.aborted || kept.has(over)) return
  kept.add(over)
  const unbegun = new Map<string, number>()
  const nextEnds = new Map<string, number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let nextMs = Number.POSITIVE_INFINITY

  function lookAt(endMs: number) {
    if (endMs >= nextMs) return
    nextMs = endMs
    clearTimeout(timer)
    const inMs = Math.max(GATHER_MS, endMs - env.clock().getTime())
    timer = setTimeout(() => attempt(end()), Math.min(inMs, LOOK_MS))
  }

  async function end() {
    nextMs = Number.POSITIVE_INFINITY
    const ended = await env.crypto.endDue()
    const hidden = await env.crypto.dropHidden()
    // Another tab may have ended what this one shows.
    const now = env.clock().getTime()
    const shown = [...nextEnds].filter(([, endMs]) => endMs <= now).map(([id]) => id)
    for (const id of new Set([...ended.chatRoomIds, ...hidden, ...shown])) {
      nextEnds.delete(id)
      await refreshRoom(env, { id })
      await readBegun(id)
    }
    if (ended.nextMs !== undefined) lookAt(ended.nextMs)
  }

  /** A reply or an edit goes with its message. */
  async function readBegun(id: string) {
    if (editIn(id) && !(await env.crypto.readEdit(id))) showEdit(id, null)
    if (replyIn(id) && !(await env.crypto.readReply(id))) showReply(id, null)
  }

  async function start(chatRoomId: string) {
    const room = roomById(chatRoomId)
    const first = unbegun.get(chatRoomId)
    if (!room || first === undefined || isShut(room) || readSeqOf(room) < first) return
    unbegun.delete(chatRoomId)
    const readSeq = readSeqOf(room)
    // Another browser has read it: this one may have been off.
    const isElsewhere = readSeq === markOf(room, room.ownId).readSeq
    const readAtMs = isElsewhere && room.readAt ? { readAtMs: Date.parse(room.readAt) } : {}
    await env.crypto.startLifetimes({ chatRoomId, readSeq, ...readAtMs })
    // Another tab may have started it.
    await refreshRoom(env, room)
  }

  onEnds((chatRoomId, ends) => {
    const { nextEndMs = Number.POSITIVE_INFINITY } = ends
    nextEnds.set(chatRoomId, nextEndMs)
    lookAt(nextEndMs)
    if (ends.unbegun === undefined) unbegun.delete(chatRoomId)
    else unbegun.set(chatRoomId, ends.unbegun)
    attempt(start(chatRoomId))
  })
  const offRooms = roomsStore.subscribe(() =>
    // A page's own mark is raised behind the change of its row.
    queueMicrotask(() => {
      for (const id of unbegun.keys()) attempt(start(id))
    }),
  )
  over.addEventListener('abort', () => {
    clearTimeout(timer)
    forgetEnds()
    offRooms()
  })
}
