import type { FrameOf } from '../../contract/frames.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { reloadContacts } from '../rooms/list.ts'
import { noteMessage } from '../rooms/news.ts'
import { catchUp, loadOlderPage } from '../rooms/rooms.ts'
import { type ContactRow, contactOfRoom } from '../rooms/rows.ts'
import { seqOfDay } from './days.ts'
import { tellDelivered, tellRead } from './marks.ts'
import { flush } from './send.ts'
import { messagesStore } from './store.ts'
import { refreshView, showFrom, showNewer, showNewest, showOlder } from './view.ts'
import { changeOpen, currentViewer, isLookedAt, isOpen, openRow, refreshRoom } from './viewing.ts'

/** Where the next room to be opened is shown, instead of at its end. */
let wanted: { chatRoomId: string; seq: number } | undefined

/** Shows a room: at once what this device holds, then what it missed. */
export async function openRoom(env: Env, contact: ContactRow): Promise<void> {
  const viewer = currentViewer()
  const { chatRoomId } = contact
  const seq = wanted?.chatRoomId === chatRoomId ? wanted.seq : undefined
  wanted = undefined
  messagesStore.setState({
    open: {
      chatRoomId,
      status: 'loading',
      messages: [],
      hasOlder: false,
      hasNewer: false,
      isLoadingOlder: false,
      isEncrypted: false,
      anchor: null,
      newerCount: 0,
    },
  })
  try {
    if (viewer) await (seq === undefined ? showNewest(env, contact, viewer) : showFrom(env, contact, viewer, seq, 'middle'))
    await catchUp(env, contact)
    if (viewer && isOpen(chatRoomId)) await (seq === undefined ? showNewest : refreshView)(env, contact, viewer)
    void flush(env, chatRoomId)
  } catch (error) {
    if (isOpen(chatRoomId) && messagesStore.getState().open?.messages.length === 0) changeOpen({ status: 'failed' })
    if (!(error instanceof ApiError)) throw error
  }
}

export const closeRoom = (_env: Env): void => messagesStore.setState({ open: null })

/** The page above what is shown: from the vault, else from the server. */
export async function loadOlder(env: Env): Promise<void> {
  const viewer = currentViewer()
  const open = messagesStore.getState().open
  const contact = openRow()
  if (!open || !contact || !viewer || open.isLoadingOlder || !open.hasOlder) return
  changeOpen({ isLoadingOlder: true })
  try {
    await showOlder(env, contact, viewer, (before) => loadOlderPage(env, contact, before))
  } finally {
    if (isOpen(contact.chatRoomId)) changeOpen({ isLoadingOlder: false })
  }
}

/** The page below what is shown, while the window does not reach the newest message. */
export async function loadNewer(env: Env): Promise<void> {
  const viewer = currentViewer()
  const contact = openRow()
  if (contact && viewer) await showNewer(env, contact, viewer)
}

export async function jumpToNewest(env: Env): Promise<void> {
  const viewer = currentViewer()
  const contact = openRow()
  if (contact && viewer) await showNewest(env, contact, viewer)
}

/** Shows the conversation from the beginning of a day. False: nothing was written since. */
export async function jumpToDay(env: Env, dayStart: Date): Promise<boolean> {
  const viewer = currentViewer()
  const contact = openRow()
  const seq = contact && (await seqOfDay(env, contact, dayStart))
  if (!contact || !viewer || seq === undefined) return false
  await showFrom(env, contact, viewer, seq)
  return true
}

/** Shows a message among its neighbours: now where its room is open, else as soon as it is. */
export async function jumpToMessage(env: Env, place: { chatRoomId: string; seq: number }): Promise<void> {
  const viewer = currentViewer()
  const contact = openRow()
  wanted = undefined
  if (contact?.chatRoomId !== place.chatRoomId) wanted = place
  else if (viewer) await showFrom(env, contact, viewer, place.seq, 'middle')
}

/** A message came live. Replay enters by `syncRoom`; both end in `catchUp`. */
export async function receiveMessage(env: Env, message: FrameOf<'message'>['data']): Promise<void> {
  const viewer = currentViewer()
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
  await refreshRoom(env, chatRoomId)
  const row = contactOfRoom(chatRoomId)
  // A mark of delivery would tell a stranger that this person is here: it waits until the request is accepted.
  if (row?.state !== 'accepted' || !row.lastMessage || row.lastMessage.senderId === currentViewer()?.userId) return
  await tellDelivered(env, chatRoomId, (await env.crypto.roomRecord(chatRoomId))?.cursor ?? 0)
}

/** The open chat is visible: everything shown of it counts as read. */
export async function markSeen(env: Env): Promise<void> {
  const contact = openRow()
  const open = messagesStore.getState().open
  if (!contact || !open || open.hasNewer || contact.state === 'pending' || !isLookedAt()) return
  await tellRead(env, contact, open.messages.findLast((message) => message.seq !== null)?.seq ?? 0)
}
