import { type ContactRow, contactOfRoom, statusOf } from '../contacts/contacts.ts'
import type { OutboxRow, StoredMessage } from '../crypto/crypto.ts'
import type { Env } from '../env.ts'
import { waitOf } from './outbox.ts'
import { type MessageBody, messagesStore, type RoomView, type ShownMessage } from './store.ts'

export interface Viewer {
  userId: string
}

const PAGE = 50
/** The window never holds more than this: a room of any length scrolls through it. */
const WINDOW = 300

/** Shows the newest page of a room and what waits to be sent. */
export async function showNewest(env: Env, contact: ContactRow, viewer: Viewer): Promise<void> {
  const { messages, from } = await env.crypto.page({ chatRoomId: contact.chatRoomId, limit: PAGE })
  await show(env, contact, viewer, messages, {
    hasNewer: false,
    hasOlder: hasOlder(messages, from),
    newerCount: 0,
    status: 'ready',
  })
}

/**
 * Moves or refreshes the window. `older` asks `fetchOlder` for what the vault does not hold; `refresh` reads
 * again what is shown, with what came after it while the window reaches the newest message.
 */
export async function showRoom(
  env: Env,
  contact: ContactRow,
  viewer: Viewer,
  move: 'older' | 'newer' | 'refresh',
  fetchOlder?: (before: number) => Promise<boolean>,
): Promise<void> {
  const { chatRoomId } = contact
  const open = messagesStore.getState().open
  if (open?.chatRoomId !== chatRoomId) return
  const placed = open.messages.filter((message) => message.seq !== null)
  const first = placed[0]?.seq ?? undefined
  const last = placed.at(-1)?.seq ?? 0
  if (move === 'refresh' && open.hasNewer) return countNewer(env, contact, viewer, last)
  if (first === undefined) return showNewest(env, contact, viewer)
  if (move === 'newer') {
    const { messages } = await env.crypto.page({ chatRoomId, after: last, limit: PAGE })
    const kept = await range(env, chatRoomId, first, messages.at(-1)?.seq ?? last)
    const hasNewer = messages.length === PAGE
    return show(env, contact, viewer, kept.slice(-WINDOW), {
      hasNewer,
      hasOlder: open.hasOlder || kept.length > WINDOW,
      newerCount: hasNewer ? open.newerCount : 0,
    })
  }
  if (move === 'refresh') {
    const messages = await range(env, chatRoomId, first, Number.MAX_SAFE_INTEGER)
    if (messages.length === WINDOW + PAGE) return showNewest(env, contact, viewer)
    return show(env, contact, viewer, messages.slice(-WINDOW), { hasOlder: open.hasOlder || messages.length > WINDOW })
  }
  let page = await env.crypto.page({ chatRoomId, before: first, limit: PAGE })
  if (page.messages.length < PAGE && page.from > 1 && fetchOlder) {
    await fetchOlder(page.from)
    page = await env.crypto.page({ chatRoomId, before: first, limit: PAGE })
  }
  const messages = [...page.messages, ...(await range(env, chatRoomId, first, last))]
  const isCut = messages.length > WINDOW
  await show(env, contact, viewer, messages.slice(0, WINDOW), {
    hasOlder: hasOlder(page.messages, page.from),
    hasNewer: open.hasNewer || isCut,
  })
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
): Promise<void> {
  const { chatRoomId } = contact
  const [outbox, record] = await Promise.all([env.crypto.outbox(chatRoomId), env.crypto.roomRecord(chatRoomId)])
  const row = contactOfRoom(chatRoomId) ?? contact
  const hasNewer = change.hasNewer ?? messagesStore.getState().open?.hasNewer ?? false
  const unsent = hasNewer ? [] : outbox.map((message) => shownUnsent(message))
  const messages = [...stored.map((message) => shownMessage(message, row, viewer)), ...unsent]
  const isEncrypted = record?.standing === 'joined'
  messagesStore.setState(({ open }) => ({
    open: open?.chatRoomId === chatRoomId ? { ...open, ...change, messages, isEncrypted } : open,
  }))
}

function shownMessage({ id, seq, at, senderId, body }: StoredMessage, row: ContactRow, viewer: Viewer): ShownMessage {
  const isMine = senderId === viewer.userId
  const isSpoken = body.kind === 'content' || body.kind === 'plain'
  return { id, seq, at, isMine, status: isMine && isSpoken ? statusOf(row, seq) : null, reason: null, body: shownBody(body) }
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
  return { id, seq: null, at: sentAt, isMine: true, status, reason: failure ?? waits, body: { kind: 'text', text: content.text } }
}
