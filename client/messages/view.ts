import { NEEDS_NEWER } from '../../contract/content.ts'
import type { OutboxRow, StoredMessage } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { inTurn } from '../net/turns.ts'
import { latestRoom, roomById } from '../rooms/list.ts'
import { refreshPreview } from '../rooms/preview.ts'
import { deliveryOf, markOf, type Room } from '../rooms/room.ts'
import { waitOf } from './outbox.ts'
import { type Anchor, changeView, type MessageBody, type RoomView, type ShownMessage, viewOf } from './store.ts'

const PAGE = 50
/** Maximum number of messages in the window, which moves through a room of any length. */
const WINDOW = 300

/** Runs refreshes of a room's view one at a time, so that an earlier read of the vault does not overwrite a later one. */
const inView = <T>(env: Env, room: Room, refresh: () => Promise<T>): Promise<T> => inTurn(env, `view ${room.id}`, refresh)

/** Shows the newest page of a room and its unsent messages. */
export const showNewest = (env: Env, room: Room): Promise<void> => inView(env, room, () => toNewest(env, room))

async function toNewest(env: Env, room: Room): Promise<void> {
  const { messages, from } = await env.crypto.page({ chatRoomId: room.id, limit: PAGE })
  await show(env, room, messages, {
    hasNewer: false,
    hasOlder: hasOlder(messages, from),
    newerCount: 0,
    status: 'ready',
    anchor: null,
  })
}

/** Shows a room around one seq, at the top or in the middle of the screen. */
export const showFrom = (env: Env, room: Room, seq: number, place: Anchor['place'] = 'top'): Promise<void> =>
  inView(env, room, async () => {
    const { id: chatRoomId } = room
    const [above, below] = await Promise.all([
      env.crypto.page({ chatRoomId, before: seq, limit: PAGE }),
      env.crypto.page({ chatRoomId, after: seq - 1, limit: PAGE }),
    ])
    const [first] = below.messages
    await show(env, room, [...above.messages, ...below.messages], {
      hasNewer: below.messages.length === PAGE,
      hasOlder: hasOlder(above.messages, above.from),
      status: 'ready',
      anchor: first ? { id: first.id, place } : null,
    })
  })

/** Moves the window up. `fetchOlder` fetches messages that the vault lacks. */
export async function showOlder(env: Env, room: Room, fetchOlder: (before: number) => Promise<boolean>): Promise<void> {
  const { id: chatRoomId } = room
  const { first } = windowOf(room)
  if (first === undefined) return showNewest(env, room)
  const held = await env.crypto.page({ chatRoomId, before: first, limit: PAGE })
  if (held.messages.length < PAGE && held.from > 1) await fetchOlder(held.from)
  await inView(env, room, async () => {
    const now = windowOf(room)
    if (now.first === undefined) return
    const page = await env.crypto.page({ chatRoomId, before: now.first, limit: PAGE })
    const messages = [...page.messages, ...(await range(env, chatRoomId, now.first, now.last))]
    await show(env, room, messages.slice(0, WINDOW), {
      hasOlder: hasOlder(page.messages, page.from),
      hasNewer: now.hasNewer || messages.length > WINDOW,
    })
  })
}

/** Moves the window down. */
export const showNewer = (env: Env, room: Room): Promise<void> =>
  inView(env, room, async () => {
    const { id: chatRoomId } = room
    const { first, last, hadOlder } = windowOf(room)
    if (first === undefined) return toNewest(env, room)
    const { messages } = await env.crypto.page({ chatRoomId, after: last, limit: PAGE })
    const kept = await range(env, chatRoomId, first, messages.at(-1)?.seq ?? last)
    const hasNewer = messages.length === PAGE
    await show(env, room, kept.slice(-WINDOW), {
      hasNewer,
      hasOlder: hadOlder || kept.length > WINDOW,
      ...(!hasNewer && { newerCount: 0 }),
    })
  })

/** Updates the window: new messages, if it reaches the end, ticks, and messages that could be opened meanwhile. */
export const refreshView = (env: Env, room: Room): Promise<void> =>
  inView(env, room, async () => {
    const { id: chatRoomId } = room
    const { first, last, hasNewer, hadOlder, isWaiting } = windowOf(room)
    if (first === undefined) return toNewest(env, room)
    const end = hasNewer ? last : Number.MAX_SAFE_INTEGER
    const messages = isWaiting ? await range(env, chatRoomId, first, end) : []
    const fresh = isWaiting || hasNewer ? [] : await range(env, chatRoomId, last + 1, end)
    if (messages.length + fresh.length >= WINDOW) return toNewest(env, room)
    if (isWaiting) await show(env, room, messages, { hasOlder: hadOlder })
    else await show(env, room, fresh, { hasOlder: hadOlder }, true)
    if (hasNewer) await countNewer(env, room, last)
  })

/** Shows a room's state in the vault again: in its row of the list and, if it is open, on screen. */
export async function refreshRoom(env: Env, room: Room): Promise<void> {
  // The account and its vault were closed meanwhile.
  if (!roomById(room.id)) return
  await Promise.all([viewOf(room) && refreshView(env, room), refreshPreview(env, room)])
}

/** The current window of a room. */
function windowOf(room: Room) {
  const view = viewOf(room)
  const placed = view?.messages.filter(({ seq }) => seq !== null) ?? []
  return {
    first: placed[0]?.seq ?? undefined,
    last: placed.at(-1)?.seq ?? 0,
    hasNewer: view?.hasNewer ?? false,
    hadOlder: view?.hasOlder ?? false,
    /** True if a message could not be opened, whose key may have arrived meanwhile. */
    isWaiting: placed.some(({ body }) => body.kind === 'unreadable'),
  }
}

const hasOlder = (messages: StoredMessage[], from: number): boolean => messages.length >= PAGE || from > 1

async function range(env: Env, chatRoomId: string, first: number, last: number): Promise<StoredMessage[]> {
  const { messages } = await env.crypto.page({ chatRoomId, after: first - 1, limit: WINDOW + PAGE })
  return messages.filter((message) => message.seq <= last)
}

async function countNewer(env: Env, room: Room, last: number): Promise<void> {
  const { id: chatRoomId, ownId } = room
  const { readSeq } = markOf(latestRoom(room), ownId)
  // Messages below the window may have been read before the reader scrolled up, so the count begins after them.
  const { messages } = await env.crypto.page({ chatRoomId, after: Math.max(last, readSeq), limit: 100 })
  const newerCount = messages.filter(({ senderId }) => senderId !== ownId).length
  changeView(room, { newerCount })
}

async function show(env: Env, room: Room, stored: StoredMessage[], change: Partial<RoomView>, isMore = false): Promise<void> {
  const { id: chatRoomId } = room
  const [outbox, record] = await Promise.all([env.crypto.outbox(chatRoomId), env.crypto.roomRecord(chatRoomId)])
  const { marks } = latestRoom(room)
  const now = { ...room, marks }
  const hasNewer = change.hasNewer ?? viewOf(room)?.hasNewer ?? false
  const unsent = hasNewer ? [] : outbox.map((message) => shownUnsent(message))
  const before = isMore ? (viewOf(room)?.messages ?? []).filter(({ seq }) => seq !== null) : []
  const kept = before.map((message) =>
    message.status && message.seq ? { ...message, status: deliveryOf(now, message.seq) } : message,
  )
  const placed = [...kept, ...stored.map((message) => shownMessage(message, now))]
  const messages = [...(isMore ? placed.slice(-WINDOW) : placed), ...unsent]
  const isEncrypted = record?.standing === 'joined'
  changeView(room, { ...change, messages, isEncrypted })
}

function shownMessage(message: StoredMessage, room: Room): ShownMessage {
  const { id, seq, at, senderId, body, isOutOfPlace = false } = message
  const isMine = senderId === room.ownId
  const hasDelivery = body.kind === 'content' || body.kind === 'plain'
  const status = isMine && hasDelivery ? deliveryOf(room, seq) : null
  return { id, seq, at, isMine, status, reason: null, body: shownBody(body), isOutOfPlace, ...flagsOf(message) }
}

const flagsOf = ({ isRemovedSince, isArchiveWrong, isOlder, sentAt }: StoredMessage) => ({
  ...(isRemovedSince && { isRemovedSince }),
  ...(isArchiveWrong && { isArchiveWrong }),
  ...(isOlder && { isOlder }),
  ...(sentAt !== undefined && { sentAt }),
})

function shownBody(body: StoredMessage['body']): MessageBody {
  if (body.kind === 'content') return { kind: 'text', text: body.content.text }
  if (body.kind === 'newer') return { kind: 'unreadable', reason: NEEDS_NEWER }
  if (body.kind === 'sealed')
    return {
      kind: 'unreadable',
      reason: 'This message was sealed with a key that this browser does not have.',
    }
  return body
}

function shownUnsent({ id, chatRoomId, sentAt, content, failure }: OutboxRow): ShownMessage {
  const waits = waitOf(chatRoomId)?.reason ?? null
  const status = failure ? 'failed' : waits ? 'waiting' : 'sending'
  const body: MessageBody = content ? { kind: 'text', text: content.text } : { kind: 'unreadable', reason: NEEDS_NEWER }
  return { id, seq: null, at: sentAt, isMine: true, status, reason: failure ?? waits, body, isOutOfPlace: false }
}
