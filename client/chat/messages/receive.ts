import type { ServerData } from '../../../contract/frames.ts'
import type { Env } from '../../env.ts'
import { fetchRooms } from '../../rooms/list/loadRooms.ts'
import { refreshPreview } from '../../rooms/list/preview.ts'
import { markDelivered } from '../../rooms/list/readMarks.ts'
import { isBlocked, isFollowed, isNotes, type Room } from '../../rooms/list/room.ts'
import { isShut, type RoomRow, roomById } from '../../rooms/list/roomList.ts'
import { addNewest, onReceipt } from '../../rooms/list/rowUpdates.ts'
import { type CaughtUp, catchUp } from '../../rooms/log/catchUp.ts'
import { showForks } from '../../rooms/log/showForks.ts'
import { tellForks } from '../../rooms/log/staleEpoch.ts'
import { isLookedAt } from '../../ui/focus.ts'
import { painted } from '../../ui/painted.ts'
import { appendOpened, refreshRoom, showCaughtUp } from './messageWindow.ts'
import { changeView, messagesStore, viewOf } from './store.ts'

/** Nothing is followed in a blocked person's room before the owner looks: what comes of it would show this browser [Note: R5]. */
export const isQuiet = (room: Room): boolean => isBlocked(room) && !viewOf(room)

/** Handles a socket message; replay enters by `syncRoom`. Both read the log first. */
export async function receiveMessage(env: Env, message: ServerData['message']): Promise<void> {
  // A new person's first message arrives before the list has the room.
  if (!roomById(message.chatRoomId)) await fetchRooms(env, [message.chatRoomId])
  const room = roomById(message.chatRoomId)
  if (!room) return
  // A request's messages are hidden before acceptance.
  if (isFollowed(room) && isSeen(room)) return receiveSeen(env, room, message)
  if (isQuiet(room)) return addNewest(message)
  if (message.senderId !== room.ownId && !message.isSilent) noteFresh(room, message.seq)
  // The worker decrypts during the render of the list.
  const caughtUp = catchUp(env, room, [{ kind: 'message', ...message }])
  addNewest(message)
  await show(env, room, await caughtUp)
}

/** The bubble comes first; list, counters and marks follow. */
async function receiveSeen(env: Env, room: RoomRow, message: ServerData['message']): Promise<void> {
  const caughtUp = await catchUp(env, room, [{ kind: 'message', ...message }]).catch((error: unknown) => {
    addNewest(message)
    throw error
  })
  const newest = caughtUp.opened?.at(-1)
  const isShown = newest !== undefined && (await appendOpened(env, room, caughtUp))
  if (isShown) await painted()
  // The person may have looked away meanwhile.
  addNewest(message, isSeen(room))
  if (!isShown) return show(env, room, caughtUp)
  // The account may be closed meanwhile.
  if (!roomById(room.id)) return
  await refreshPreview(env, room, newest)
  await tellShown(env, room, caughtUp.cursor)
}

function isSeen(room: Room): boolean {
  const view = viewOf(room)
  return view?.isAtEnd === true && !view.hasNewer && !view.isOpening && isLookedAt()
}

/** The line stands above the first unseen message. */
function noteFresh(room: RoomRow, seq: number): void {
  const view = viewOf(room)
  if (!view || view.isOpening || !isFollowed(room)) return
  const { fresh } = view
  const isMore = fresh !== null && room.unreadCount > 0
  changeView(room, { fresh: isMore ? { ...fresh, count: fresh.count + 1 } : { after: seq - 1, count: 1 } })
}

export async function receiveCommit(env: Env, commit: ServerData['commit']): Promise<void> {
  const room = roomById(commit.chatRoomId)
  if (room && !isQuiet(room)) await show(env, room, await catchUp(env, room, [commit]))
}

export async function refreshDelivery(env: Env, receipt: ServerData['receipt']): Promise<void> {
  if (!onReceipt(receipt)) await fetchRooms(env, [receipt.chatRoomId])
  await refreshRoom(env, { id: receipt.chatRoomId })
}

export async function syncRoom(env: Env, room: Room): Promise<void> {
  if (isShut(room)) return
  const { cursor = 0, forks } = (await env.crypto.roomRecord(room.id)) ?? {}
  showForks(room, forks)
  if (cursor < room.lastSeq) return show(env, room, await catchUp(env, room))
  await refreshRoom(env, room)
  await tellShown(env, room, cursor)
}

async function show(env: Env, room: Room, caughtUp: CaughtUp): Promise<void> {
  await showCaughtUp(env, room, caughtUp)
  // The notes tell of deletions, which another tab may have carried out already.
  if (isNotes(room)) await refreshRoom(env, { id: messagesStore.getState().open?.chatRoomId ?? '' })
  await tellShown(env, room, caughtUp.cursor)
}

async function tellShown(env: Env, { id }: Room, cursor: number): Promise<void> {
  const room = roomById(id)
  if (!room) return
  // A mark would show a stranger that this person is online before acceptance.
  if (isFollowed(room) && room.lastMessage && room.lastMessage.senderId !== room.ownId) markDelivered(env, room, cursor)
  await tellForks(env, room)
}
