import { textBytes } from '../../contract/content.ts'
import type { FrameOf } from '../../contract/frames.ts'
import { LIMITS, PERIODS } from '../../contract/limits.ts'
import { messagesApi } from '../../contract/messages.ts'
import { type ContactRow, changeRow, contactOfRoom, noteMessage, refreshPreview, reloadContacts } from '../contacts/contacts.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { catchUp, loadOlderPage } from '../rooms/rooms.ts'
import { flushRoom, type SendOutcome, waitOf } from './outbox.ts'
import { messagesStore } from './store.ts'
import { showNewest, showRoom, type Viewer } from './view.ts'

export type { SendOutcome } from './outbox.ts'

/** Who looks at the messages: set once an account is open. */
let viewer: Viewer | undefined
export const viewAs = (userId: string | undefined): void => {
  viewer = userId === undefined ? undefined : { userId }
  if (!viewer) messagesStore.setState({ open: null })
}

const openRow = (): ContactRow | undefined => {
  const open = messagesStore.getState().open
  return open ? contactOfRoom(open.chatRoomId) : undefined
}
const isOpen = (chatRoomId: string) => messagesStore.getState().open?.chatRoomId === chatRoomId

/** Shows a room: at once what this device holds, then what it missed. */
export async function openRoom(env: Env, contact: ContactRow): Promise<void> {
  const { chatRoomId } = contact
  messagesStore.setState({
    open: {
      chatRoomId,
      status: 'loading',
      messages: [],
      hasOlder: false,
      hasNewer: false,
      isLoadingOlder: false,
      isEncrypted: false,
      newerCount: 0,
    },
  })
  try {
    if (viewer) await showNewest(env, contact, viewer)
    await catchUp(env, contact)
    if (viewer && isOpen(chatRoomId)) await showNewest(env, contact, viewer)
    void flush(env, chatRoomId)
  } catch (error) {
    if (isOpen(chatRoomId) && messagesStore.getState().open?.messages.length === 0) changeOpen({ status: 'failed' })
    if (!(error instanceof ApiError)) throw error
  }
}

export const closeRoom = (_env: Env): void => messagesStore.setState({ open: null })

/** The page above what is shown: from the vault, else from the server. */
export async function loadOlder(env: Env): Promise<void> {
  const open = messagesStore.getState().open
  const contact = openRow()
  if (!open || !contact || !viewer || open.isLoadingOlder || !open.hasOlder) return
  changeOpen({ isLoadingOlder: true })
  try {
    await showRoom(env, contact, viewer, 'older', (before) => loadOlderPage(env, contact, before))
  } finally {
    if (isOpen(contact.chatRoomId)) changeOpen({ isLoadingOlder: false })
  }
}

/** The page below what is shown, while the window does not reach the newest message. */
export async function loadNewer(env: Env): Promise<void> {
  const contact = openRow()
  if (contact && viewer) await showRoom(env, contact, viewer, 'newer')
}

export async function jumpToNewest(env: Env): Promise<void> {
  const contact = openRow()
  if (contact && viewer) await showNewest(env, contact, viewer)
}

/** Keeps the message on this device, shows it, and sends it. Nothing typed is lost: a refusal gives the text back. */
export async function sendText(env: Env, text: string): Promise<SendOutcome> {
  const contact = openRow()
  const words = text.trim()
  if (!contact || !viewer || words === '') return { outcome: 'kept' }
  if (textBytes(words) > LIMITS.textBytes)
    throw new ApiError(400, 'invalid_input', `A message is at most ${LIMITS.textBytes / 1024} KB of text`)
  const { chatRoomId } = contact
  await env.crypto.keepInOutbox({
    id: crypto.randomUUID(),
    chatRoomId,
    content: { type: 'text', text: words },
    replyToId: null,
    sentAt: env.clock().toISOString(),
  })
  await showNewest(env, contact, viewer)
  return flush(env, chatRoomId)
}

/** Sends what waits in a room. */
export async function flush(env: Env, chatRoomId: string): Promise<SendOutcome> {
  const { userId } = viewer ?? {}
  if (!userId) return { outcome: 'kept' }
  const outcome = await flushRoom(env, chatRoomId, userId, () => refresh(env, chatRoomId))
  retryLater(env, chatRoomId)
  return outcome
}

const retries = new Map<string, ReturnType<typeof setTimeout>>()

/** A server that was away or busy is asked again, also when no news comes from it. */
function retryLater(env: Env, chatRoomId: string): void {
  clearTimeout(retries.get(chatRoomId))
  const retryMs = waitOf(chatRoomId)?.retryMs
  if (!retryMs) return
  const again = () => void (viewer && flush(env, chatRoomId))
  retries.set(chatRoomId, setTimeout(again, retryMs))
}

/** Sends what waits anywhere: after a reload, or when the connection is back. */
export async function flushAll(env: Env): Promise<void> {
  for (const chatRoomId of await env.crypto.roomsWithOutbox()) await flush(env, chatRoomId)
}

export async function retryMessage(env: Env, id: string): Promise<SendOutcome> {
  const contact = openRow()
  if (!contact) return { outcome: 'kept' }
  await env.crypto.changeOutbox({ chatRoomId: contact.chatRoomId, id, failure: null, unseal: false })
  await refresh(env, contact.chatRoomId)
  return flush(env, contact.chatRoomId)
}

export async function deleteUnsent(env: Env, id: string): Promise<void> {
  const contact = openRow()
  if (!contact) return
  await env.crypto.dropFromOutbox({ chatRoomId: contact.chatRoomId, id })
  await refresh(env, contact.chatRoomId)
}

/** A message came live. Replay enters by `syncRoom`; both end in `catchUp`. */
export async function receiveMessage(env: Env, message: FrameOf<'message'>['data']): Promise<void> {
  if (!viewer) return
  if (!contactOfRoom(message.chatRoomId)) await reloadContacts(env)
  noteMessage(message, viewer.userId, isOpen(message.chatRoomId) && isLookedAt())
  const contact = contactOfRoom(message.chatRoomId)
  if (!contact) return
  await catchUp(env, contact, [{ kind: 'message', ...message }])
  await afterCatchUp(env, contact)
}

export async function receiveCommit(env: Env, commit: FrameOf<'commit'>['data']): Promise<void> {
  const contact = contactOfRoom(commit.chatRoomId)
  if (!contact) return
  await catchUp(env, contact, [commit])
  await afterCatchUp(env, contact)
}

/** Brings a room that is behind up to date, and sends what waits in it. */
export async function syncRoom(env: Env, contact: ContactRow): Promise<void> {
  const cursor = (await env.crypto.roomRecord(contact.chatRoomId))?.cursor ?? 0
  if (cursor < contact.lastSeq) await catchUp(env, contact)
  await afterCatchUp(env, contact)
}

async function afterCatchUp(env: Env, contact: ContactRow): Promise<void> {
  const { chatRoomId } = contact
  await refresh(env, chatRoomId)
  const cursor = (await env.crypto.roomRecord(chatRoomId))?.cursor ?? 0
  const row = contactOfRoom(chatRoomId)
  const newest = row?.lastMessage
  // A mark of delivery would tell a stranger that this person is here: it waits until the request is accepted.
  if (newest && row.state === 'accepted' && newest.senderId !== viewer?.userId && (delivered.get(chatRoomId) ?? 0) < cursor) {
    delivered.set(chatRoomId, cursor)
    await env.api(messagesApi.markDelivered, { chatRoomId, seq: cursor })
  }
}

/** How far the server was told that this device keeps a room. */
const delivered = new Map<string, number>()

async function refresh(env: Env, chatRoomId: string): Promise<void> {
  const contact = contactOfRoom(chatRoomId)
  if (!contact || !viewer) return
  await refreshPreview(env, chatRoomId, viewer.userId)
  if (isOpen(chatRoomId)) await showRoom(env, contact, viewer, 'refresh')
}

/** The other side's marks moved: the ticks of what is shown follow. */
export async function showReceipts(env: Env, chatRoomId: string): Promise<void> {
  await refresh(env, chatRoomId)
}

const isLookedAt = () => typeof document === 'undefined' || (document.visibilityState === 'visible' && document.hasFocus())

/** The open chat is visible: everything shown of it counts as read. */
export async function markSeen(env: Env): Promise<void> {
  const contact = openRow()
  const open = messagesStore.getState().open
  const newest = open?.messages.findLast((message) => message.seq !== null)?.seq ?? 0
  if (!contact || !open || open.hasNewer || contact.state === 'pending' || !isLookedAt()) return
  const { chatRoomId } = contact
  if (newest <= Math.max(contact.readSeq, read.get(chatRoomId) ?? 0)) return
  read.set(chatRoomId, newest)
  changeRow(
    ({ id }) => id === contact.id,
    () => ({ unreadCount: 0, hasUnreadNotifications: false }),
  )
  try {
    await env.api(messagesApi.markRead, { chatRoomId, seq: newest })
  } catch (error) {
    read.delete(chatRoomId)
    throw error
  }
}

/** How far the server was told that a room is read. */
const read = new Map<string, number>()

let typingSaidAt = 0

/** Says at most every few seconds that the person types; a frame may be lost. */
export function setTyping(env: Env, isTyping: boolean): void {
  const contact = openRow()
  const now = env.clock().getTime()
  if (!contact || (isTyping && now - typingSaidAt < PERIODS.typingSentMs)) return
  typingSaidAt = isTyping ? now : 0
  env.socket.say({ type: 'typing', data: { chatRoomId: contact.chatRoomId, isTyping } })
}

export const readDraft = (env: Env, chatRoomId: string): Promise<string> => env.crypto.readDraft(chatRoomId)
export const keepDraft = (env: Env, chatRoomId: string, text: string): Promise<void> =>
  env.crypto.keepDraftText({ chatRoomId, text })

function changeOpen(change: Partial<NonNullable<ReturnType<typeof messagesStore.getState>['open']>>): void {
  messagesStore.setState(({ open }) => ({ open: open && { ...open, ...change } }))
}
