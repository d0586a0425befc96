import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { inTurn } from '../../net/inTurn.ts'
import { forgetMarks, readSeqOf } from '../../rooms/list/readMarks.ts'
import { isBlocked, isFollowed, type Room } from '../../rooms/list/room.ts'
import { isShut, isUnanswered, latestRoom, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import { catchUp } from '../../rooms/log/catchUp.ts'
import { loadOlderPage } from '../../rooms/log/olderPage.ts'
import { enterRoom } from '../../rooms/log/readyRoom.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { refreshRoom, refreshView, showFrom, showNewer, showNewest, showOlder } from './messageWindow.ts'
import { forgetWaits, queueOf } from './outbox.ts'
import { flush, stopRetries } from './send.ts'
import { changeView, type Matches, messagesStore, viewOf } from './store.ts'
import { sendWaitingFiles } from './waitingFiles.ts'

/** Shown instead of the end when the room opens. */
let pendingJump: { chatRoomId: string; seq: number } | undefined

export async function showRoom(env: Env, room: Room): Promise<void> {
  if (isShut(room)) return hideRoom()
  const seq = pendingJump?.chatRoomId === room.id ? pendingJump.seq : undefined
  pendingJump = undefined
  const isKept = isUnanswered(room.id)
  let unreadAfter = isKept ? undefined : unreadIn(room)
  messagesStore.setState({
    open: {
      chatRoomId: room.id,
      status: 'loading',
      messages: [],
      hasOlder: false,
      hasNewer: false,
      isLoadingOlder: false,
      isEncrypted: false,
      cursor: 0,
      waitsFor: '',
      anchor: null,
      isPlaced: !isKept && seq === undefined && unreadAfter === undefined,
      isOpening: true,
      isAtEnd: true,
      fresh: null,
      matches: null,
    },
  })
  const show = () => {
    if (seq !== undefined) return showFrom(env, room, seq, 'middle')
    return unreadAfter === undefined ? showNewest(env, room) : showUnread(env, room, unreadAfter)
  }
  try {
    await show()
    await catchUp(env, room)
    if (isKept) {
      await untilAnswered(room)
      // A person who reads further up stays there.
      if (viewOf(room)?.isAtEnd) unreadAfter = unreadIn(room)
    }
    // A person who has moved elsewhere stays there.
    const isPlaced = viewOf(room)?.isPlaced || (seq === undefined && unreadAfter === undefined)
    if (viewOf(room)) await (isPlaced ? refreshView(env, room) : show())
    if (unreadAfter !== undefined) noteFresh(room, unreadAfter)
    void flush(env, room).then(() => enter(env, room))
    // The files of a chat with a password wait until the chat is open.
    if (roomById(room.id)?.lock === 'open') void sendWaitingFiles(env)
  } catch (error) {
    if (viewOf(room)?.messages.length === 0) changeView(room, { status: 'failed' })
    if (!(error instanceof ApiError)) throw error
  } finally {
    changeView(room, { isOpening: false })
  }
}

function unreadIn({ id }: Room): number | undefined {
  const row = roomById(id)
  return row && isFollowed(row) && row.unreadCount > 0 ? readSeqOf(row) : undefined
}

/** Resolves also where nobody looks any more. */
const untilAnswered = (room: Room): Promise<void> =>
  new Promise((resolve) => {
    const isOver = () => !isUnanswered(room.id) || !viewOf(room)
    if (isOver()) return resolve()
    const off = roomsStore.subscribe(() => {
      if (!isOver()) return
      off()
      resolve()
    })
  })

/** A new browser needs the room's keys for writing. */
async function enter(env: Env, room: Room): Promise<void> {
  // A commit would show this browser to a blocked person.
  if (viewOf(room)?.isEncrypted !== false || isBlocked(latestRoom(room))) return
  try {
    await inTurn(env, queueOf(room), () => enterRoom(env, latestRoom(room)))
    await refreshRoom(env, room)
  } catch (error) {
    // Sending tries again and shows the failure.
    if (!(error instanceof ApiError || error instanceof CryptoFailure)) throw error
  }
}

async function showUnread(env: Env, room: Room, after: number): Promise<void> {
  noteFresh(room, after)
  await showFrom(env, room, after + 1, 'unread')
}

const noteFresh = (room: Room, after: number) => {
  const count = roomById(room.id)?.unreadCount ?? 0
  if (count > 0) changeView(room, { fresh: { after, count } })
}

export const hideRoom = (): void => messagesStore.setState({ open: null })

export const hideLocked = (): (() => void) =>
  roomsStore.subscribe(({ rooms }) => {
    const { open } = messagesStore.getState()
    if (open && rooms.has(open.chatRoomId) && isShut({ id: open.chatRoomId })) hideRoom()
  })

/** The next account must not see the state. */
export function resetMessages(): void {
  pendingJump = undefined
  forgetMarks()
  forgetWaits()
  stopRetries()
  hideRoom()
}

export async function loadOlder(env: Env, room: Room): Promise<void> {
  const view = viewOf(room)
  if (!view || view.isLoadingOlder || !view.hasOlder) return
  changeView(room, { isLoadingOlder: true })
  try {
    await showOlder(env, room, (before) => loadOlderPage(env, room, before))
  } finally {
    changeView(room, { isLoadingOlder: false })
  }
}

export const loadNewer = (env: Env, room: Room): Promise<void> => showNewer(env, room)

export async function jumpToNewest(env: Env, room: Room): Promise<void> {
  changeView(room, { isPlaced: true })
  await showNewest(env, room)
}

/** Returns false without a message since that day. */
export async function jumpToDay(env: Env, room: Room, dayStart: Date): Promise<boolean> {
  const { seqOfDay } = await import('./days.ts')
  const seq = await seqOfDay(env, room, dayStart)
  if (seq === undefined) return false
  await showFrom(env, room, seq)
  return true
}

/** Waits for the room if the room is not on screen. */
export async function jumpToMessage(env: Env, room: Room, seq: number, place: 'middle' | 'match' = 'middle'): Promise<void> {
  pendingJump = undefined
  if (viewOf(room)) await showFrom(env, room, seq, place)
  else pendingJump = { chatRoomId: room.id, seq }
}

export const showMatches = (room: Room, matches: Matches | null): void => changeView(room, { matches })
