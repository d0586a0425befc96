import type { Env } from '../../env.ts'
import { onEnds } from '../../rooms/list/lifetimes.ts'
import { readSeqOf } from '../../rooms/list/readMarks.ts'
import { isShut, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import { refreshRoom } from '../messages/messageWindow.ts'

/** A longer timer would be cut off by the browser; a clock may be set meanwhile. */
const LOOK_MS = 10 * 60_000
/** What ends together ends in one look. */
const GATHER_MS = 50

/** Starts the lifetimes of what is read, and ends messages in time. Returns how to stop. */
export function keepLifetimes(env: Env, attempt: (work: Promise<unknown>) => void): () => void {
  const readIn = new Map<string, number>()
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
    for (const id of ended.chatRoomIds) await refresh(id)
    if (ended.nextMs !== undefined) lookAt(ended.nextMs)
  }

  async function refresh(id: string) {
    const room = roomById(id)
    if (room) await refreshRoom(env, room)
  }

  async function start(chatRoomId: string) {
    const room = roomById(chatRoomId)
    if (!room || isShut(room)) return
    const readSeq = readSeqOf(room)
    readIn.set(chatRoomId, readSeq)
    if (await env.crypto.startLifetimes({ chatRoomId, readSeq })) await refresh(chatRoomId)
  }

  const offEnds = onEnds((chatRoomId, endMs) => {
    lookAt(endMs)
    attempt(start(chatRoomId))
  })
  const offRooms = roomsStore.subscribe(() =>
    // A page's own mark is raised behind the change of its row.
    queueMicrotask(() => {
      for (const [id, seq] of readIn) {
        const room = roomById(id)
        if (room && readSeqOf(room) > seq) attempt(start(id))
      }
    }),
  )
  return () => {
    clearTimeout(timer)
    offEnds()
    offRooms()
  }
}
