import type { OutboxRow, StoredMessage } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { inTurn } from '../net/turns.ts'
import { type ContactRow, contactOfRoom, statusOf } from '../rooms/rows.ts'
import { waitOf } from './outbox.ts'
import { type Anchor, type MessageBody, messagesStore, type RoomView, type ShownMessage } from './store.ts'

export interface Viewer {
  userId: string
}

const PAGE = 50
/** The window never holds more than this: a room of any length scrolls through it. */
const WINDOW = 300

/** Looks at one room follow one another: a slow look must not overwrite what a later one has seen. */
const inView = <T>(env: Env, contact: ContactRow, look: () => Promise<T>): Promise<T> =>
  inTurn(env, `view ${contact.chatRoomId}`, look)

/** Shows the newest page of a room and what waits to be sent. */
export const showNewest = (env: Env, contact: ContactRow, viewer: Viewer): Promise<void> =>
  inView(env, contact, () => toNewest(env, contact, viewer))

async function toNewest(env: Env, contact: ContactRow, viewer: Viewer): Promise<void> {
  const { messages, from } = await env.crypto.page({ chatRoomId: contact.chatRoomId, limit: PAGE })
  await show(env, contact, viewer, messages, {
    hasNewer: false,
    hasOlder: hasOlder(messages, from),
    newerCount: 0,
    status: 'ready',
    anchor: null,
  })
}

/** Shows a room around one place: from there on, or with it in the middle of the screen. */
export const showFrom = (
  env: Env,
  contact: ContactRow,
  viewer: Viewer,
  seq: number,
  place: Anchor['place'] = 'top',
): Promise<void> =>
  inView(env, contact, async () => {
    const { chatRoomId } = contact
    const [above, below] = await Promise.all([
      env.crypto.page({ chatRoomId, before: seq, limit: PAGE }),
      env.crypto.page({ chatRoomId, after: seq - 1, limit: PAGE }),
    ])
    const [first] = below.messages
    await show(env, contact, viewer, [...above.messages, ...below.messages], {
      hasNewer: below.messages.length === PAGE,
      hasOlder: hasOlder(above.messages, above.from),
      status: 'ready',
      anchor: first ? { id: first.id, place } : null,
    })
  })

/** Moves the window up. `fetchOlder` brings what the vault does not hold. */
export async function showOlder(
  env: Env,
  contact: ContactRow,
  viewer: Viewer,
  fetchOlder: (before: number) => Promise<boolean>,
): Promise<void> {
  const { chatRoomId } = contact
  const { first } = windowOf(chatRoomId)
  if (first === undefined) return showNewest(env, contact, viewer)
  const held = await env.crypto.page({ chatRoomId, before: first, limit: PAGE })
  if (held.messages.length < PAGE && held.from > 1) await fetchOlder(held.from)
  await inView(env, contact, async () => {
    const now = windowOf(chatRoomId)
    if (now.first === undefined) return
    const page = await env.crypto.page({ chatRoomId, before: now.first, limit: PAGE })
    const messages = [...page.messages, ...(await range(env, chatRoomId, now.first, now.last))]
    await show(env, contact, viewer, messages.slice(0, WINDOW), {
      hasOlder: hasOlder(page.messages, page.from),
      hasNewer: now.hasNewer || messages.length > WINDOW,
    })
  })
}

/** Moves the window down. */
export const showNewer = (env: Env, contact: ContactRow, viewer: Viewer): Promise<void> =>
  inView(env, contact, async () => {
    const { chatRoomId } = contact
    const { first, last, hadOlder } = windowOf(chatRoomId)
    if (first === undefined) return toNewest(env, contact, viewer)
    const { messages } = await env.crypto.page({ chatRoomId, after: last, limit: PAGE })
    const kept = await range(env, chatRoomId, first, messages.at(-1)?.seq ?? last)
    const hasNewer = messages.length === PAGE
    await show(env, contact, viewer, kept.slice(-WINDOW), {
      hasNewer,
      hasOlder: hadOlder || kept.length > WINDOW,
      ...(!hasNewer && { newerCount: 0 }),
    })
  })

/** Says what is new: messages at the end while the window reaches it, the ticks, and what could be opened meanwhile. */
export const refreshView = (env: Env, contact: ContactRow, viewer: Viewer): Promise<void> =>
  inView(env, contact, async () => {
    const { chatRoomId } = contact
    const { first, last, hasNewer, hadOlder, isWaiting } = windowOf(chatRoomId)
    if (first === undefined) return toNewest(env, contact, viewer)
    const end = hasNewer ? last : Number.MAX_SAFE_INTEGER
    const messages = isWaiting ? await range(env, chatRoomId, first, end) : []
    const fresh = isWaiting || hasNewer ? [] : await range(env, chatRoomId, last + 1, end)
    if (messages.length + fresh.length >= WINDOW) return toNewest(env, contact, viewer)
    if (isWaiting) await show(env, contact, viewer, messages, { hasOlder: hadOlder })
    else await show(env, contact, viewer, fresh, { hasOlder: hadOlder }, true)
    if (hasNewer) await countNewer(env, contact, viewer, last)
  })

/** What the window of the open room shows now. */
function windowOf(chatRoomId: string) {
  const open = messagesStore.getState().open
  const placed = open?.chatRoomId === chatRoomId ? open.messages.filter(({ seq }) => seq !== null) : []
  return {
    first: placed[0]?.seq ?? undefined,
    last: placed.at(-1)?.seq ?? 0,
    hasNewer: open?.hasNewer ?? false,
    hadOlder: open?.hasOlder ?? false,
    /** Something of it could not be opened: its key may have come. */
    isWaiting: placed.some(({ body }) => body.kind === 'unreadable'),
  }
}

const hasOlder = (messages: StoredMessage[], from: number): boolean => messages.length >= PAGE || from > 1

async function range(env: Env, chatRoomId: string, first: number, last: number): Promise<StoredMessage[]> {
  const { messages } = await env.crypto.page({ chatRoomId, after: first - 1, limit: WINDOW + PAGE })
  return messages.filter((message) => message.seq <= last)
}

async function countNewer(env: Env, contact: ContactRow, { userId }: Viewer, last: number): Promise<void> {
  const { chatRoomId, readSeq } = contactOfRoom(contact.chatRoomId) ?? contact
  // Below the window there is also what was read before the reader went up.
  const { messages } = await env.crypto.page({ chatRoomId, after: Math.max(last, readSeq), limit: 100 })
  const newerCount = messages.filter(({ senderId }) => senderId !== userId).length
  messagesStore.setState(({ open }) => ({ open: open?.chatRoomId === chatRoomId ? { ...open, newerCount } : open }))
}

async function show(
  env: Env,
  contact: ContactRow,
  viewer: Viewer,
  stored: StoredMessage[],
  change: Partial<RoomView>,
  isMore = false,
): Promise<void> {
  const { chatRoomId } = contact
  const [outbox, record] = await Promise.all([env.crypto.outbox(chatRoomId), env.crypto.roomRecord(chatRoomId)])
  const row = contactOfRoom(chatRoomId) ?? contact
  const hasNewer = change.hasNewer ?? messagesStore.getState().open?.hasNewer ?? false
  const unsent = hasNewer ? [] : outbox.map((message) => shownUnsent(message))
  const before = isMore ? (messagesStore.getState().open?.messages ?? []).filter(({ seq }) => seq !== null) : []
  const kept = before.map((message) =>
    message.status && message.seq ? { ...message, status: statusOf(row, message.seq) } : message,
  )
  const placed = [...kept, ...stored.map((message) => shownMessage(message, row, viewer))]
  const messages = [...(isMore ? placed.slice(-WINDOW) : placed), ...unsent]
  const isEncrypted = record?.standing === 'joined'
  messagesStore.setState(({ open }) => ({
    open: open?.chatRoomId === chatRoomId ? { ...open, ...change, messages, isEncrypted } : open,
  }))
}

function shownMessage(message: StoredMessage, row: ContactRow, viewer: Viewer): ShownMessage {
  const { id, seq, at, senderId, body, isOutOfPlace = false } = message
  const isMine = senderId === viewer.userId
  const isSpoken = body.kind === 'content' || body.kind === 'plain'
  const status = isMine && isSpoken ? statusOf(row, seq) : null
  return { id, seq, at, isMine, status, reason: null, body: shownBody(body), isOutOfPlace }
}

function shownBody(body: StoredMessage['body']): MessageBody {
  if (body.kind === 'content') return { kind: 'text', text: body.content.text }
  if (body.kind === 'sealed')
    return {
      kind: 'unreadable',
      reason: 'This message was sealed before this device was added, and its key is not in the archive.',
    }
  return body
}

function shownUnsent({ id, chatRoomId, sentAt, content, failure }: OutboxRow): ShownMessage {
  const waits = waitOf(chatRoomId)?.reason ?? null
  const status = failure ? 'failed' : waits ? 'waiting' : 'sending'
  const body = { kind: 'text' as const, text: content.text }
  return { id, seq: null, at: sentAt, isMine: true, status, reason: failure ?? waits, body, isOutOfPlace: false }
}
