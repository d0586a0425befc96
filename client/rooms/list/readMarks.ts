import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { connectionStore } from '../../net/status.ts'
import { markOf, type Room } from './room.ts'
import { changeRoom, type RoomRow } from './roomList.ts'
import { pause } from './tellMarks.ts'

/** Marks of a room, as seqs. */
interface Marks {
  delivered: number
  read: number
}

interface Told {
  wanted: Marks
  sent: Marks
  sentAtMs: number
  telling: Promise<void> | undefined
}

/** A message on screen is read by then: its read mark, which raises both, goes alone. */
const GATHER_MS = 40
/** At most one mark of a room goes in this time. */
const BETWEEN_MS = 300
/** The pause after a mark that the server did not answer. */
const AGAIN_MS = 3000
const NONE: Marks = { delivered: 0, read: 0 }

const told = new Map<string, Told>()

export const marksTold = () => Promise.allSettled([...told.values()].map(({ telling }) => telling))

export function forgetMarks(): void {
  told.clear()
}

/** Tells soon. What is refused is told again with the next mark. */
export function markDelivered(env: Env, { id: chatRoomId }: Room, seq: number): void {
  if (wantedIn(chatRoomId).delivered >= seq) return
  tell(env, chatRoomId, { delivered: seq, read: 0 }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error
  })
}

const wantedIn = (chatRoomId: string): Marks => told.get(chatRoomId)?.wanted ?? NONE

export const readSeqOf = (room: Room): number => Math.max(markOf(room, room.ownId).readSeq, wantedIn(room.id).read)

/** Reports a seq as read and subtracts `passed` from the unread count at once. */
export async function markRead(env: Env, room: Room, seq: number, passed: number): Promise<void> {
  const { id: chatRoomId } = room
  if (seq <= readSeqOf(room)) return
  changeRoom(chatRoomId, ({ lastMessage, unreadCount }) => {
    const left = seq >= (lastMessage?.seq ?? 0) ? 0 : Math.max(0, unreadCount - passed)
    return { unreadCount: left }
  })
  await tell(env, chatRoomId, { delivered: seq, read: seq })
}

export async function markAllRead(env: Env, rows: RoomRow[]): Promise<void> {
  const rooms = rows.flatMap(({ id: chatRoomId, lastMessage }) => (lastMessage ? [{ chatRoomId, seq: lastMessage.seq }] : []))
  for (const { chatRoomId } of rooms) changeRoom(chatRoomId, () => ({ unreadCount: 0 }))
  for (let from = 0; from < rooms.length; from += LIMITS.roomIdsMax)
    await env.api(notificationsApi.read, { rooms: rooms.slice(from, from + LIMITS.roomIdsMax) })
}

function tell(env: Env, chatRoomId: string, { delivered, read }: Marks): Promise<void> {
  const one = told.get(chatRoomId) ?? { wanted: NONE, sent: NONE, sentAtMs: Number.NEGATIVE_INFINITY, telling: undefined }
  told.set(chatRoomId, one)
  one.wanted = { delivered: Math.max(one.wanted.delivered, delivered), read: Math.max(one.wanted.read, read) }
  if (!isOwed(one)) return Promise.resolve()
  one.telling ??= tellInTime(env, chatRoomId, one)
  return one.telling
}

const isOwed = ({ wanted, sent }: Told): boolean => sent.delivered < wanted.delivered || sent.read < wanted.read

async function tellInTime(env: Env, chatRoomId: string, one: Told): Promise<void> {
  try {
    while (isOwed(one)) {
      await pause(Math.max(GATHER_MS, one.sentAtMs + BETWEEN_MS - performance.now()))
      if (told.get(chatRoomId) !== one) return
      await tellOnce(env, chatRoomId, one)
    }
  } finally {
    one.telling = undefined
  }
}

async function tellOnce(env: Env, chatRoomId: string, one: Told): Promise<void> {
  one.sentAtMs = performance.now()
  const { wanted } = one
  const { delivered, read } = wanted
  const isRead = read > one.sent.read
  try {
    if (isRead) await env.api(messagesApi.markRead, { chatRoomId, seq: read })
    else await env.api(messagesApi.markDelivered, { chatRoomId, seq: delivered })
    one.sent = isRead ? { delivered: Math.max(one.sent.delivered, read), read } : { ...one.sent, delivered }
  } catch (error) {
    if (error instanceof ApiError && error.status === 0) return await connectedAgain()
    // A newer mark says the same and more.
    if (error instanceof ApiError && one.wanted !== wanted) return
    one.wanted = one.sent
    throw error
  }
}

async function connectedAgain(): Promise<void> {
  await pause(AGAIN_MS)
  if (connectionStore.getState().phase === 'open') return
  await new Promise<void>((resolve) => {
    const off = connectionStore.subscribe(({ phase }) => {
      if (phase !== 'open') return
      off()
      resolve()
    })
  })
}
