import { type Folded, foldEntries } from '../../../contract/chat/kinds/fold.ts'
import { isPinnedIn, PINS_MAX } from '../../../contract/chat/kinds/pin.ts'
import type { Env } from '../../env.ts'
import { inTurn } from '../../net/inTurn.ts'
import { noteEnds } from '../../rooms/list/lifetimes.ts'
import { refreshPreview } from '../../rooms/list/preview.ts'
import { deliveryOf, type Room } from '../../rooms/list/room.ts'
import { isShut, latestRoom, roomById } from '../../rooms/list/roomList.ts'
import type { CaughtUp } from '../../rooms/log/catchUp.ts'
import type { MessagePage, OutboxRow, StoredMessage } from '../../worker/crypto.ts'
import { uploadsIn } from '../files/uploadsState.ts'
import { actRows, pendingOf, pendingPins, stateOfActs, withPending } from './pendingActs.ts'
import { lastSays, shownMessage, shownUnsent } from './shown.ts'
import { type Anchor, changeView, type RoomView, type ShownMessage, viewOf } from './store.ts'
import { keepingIn } from './whileKept.ts'

const PAGE = 50
const WINDOW = 300

/** The turns keep an earlier read of the vault from overwriting a later read. */
const inView = <T>(env: Env, room: Room, refresh: () => Promise<T>): Promise<T> => inTurn(env, `view ${room.id}`, refresh)

/** Resolves after the refreshes under way. */
export const viewRefreshed = (env: Env, room: Room): Promise<void> => inView(env, room, async () => undefined)

export const showNewest = (env: Env, room: Room): Promise<void> => inView(env, room, () => toNewest(env, room))

async function toNewest(env: Env, room: Room): Promise<void> {
  const page = await env.crypto.page({ chatRoomId: room.id, limit: PAGE })
  await show(env, room, page.messages, {
    ...stateOf(room, page),
    hasNewer: false,
    hasOlder: hasOlder(page),
    status: 'ready',
    anchor: null,
    isAtEnd: true,
  })
}

export const showFrom = (env: Env, room: Room, seq: number, place: Anchor['place'] = 'top'): Promise<void> =>
  inView(env, room, async () => {
    const { id: chatRoomId } = room
    const [above, below] = await Promise.all([
      env.crypto.page({ chatRoomId, before: seq, limit: PAGE }),
      env.crypto.page({ chatRoomId, after: seq - 1, limit: PAGE }),
    ])
    // Own messages are never unread.
    const first = below.messages.find(({ senderId }) => place !== 'unread' || senderId !== room.ownId)
    await show(env, room, [...above.messages, ...below.messages], {
      ...stateOf(room, above.cursor < below.cursor ? above : below),
      hasNewer: below.messages.length === PAGE,
      hasOlder: hasOlder(above),
      status: 'ready',
      anchor: first ? { id: first.id, place } : null,
      ...(first && { isPlaced: true }),
      isAtEnd: false,
    })
  })

/** `fetchOlder` fetches messages that the vault lacks. */
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
      ...stateOf(room, page),
      hasOlder: hasOlder(page),
      hasNewer: now.hasNewer || messages.length > WINDOW,
    })
  })
}

export const showNewer = (env: Env, room: Room): Promise<void> =>
  inView(env, room, async () => {
    const { id: chatRoomId } = room
    const { first, last, hadOlder } = windowOf(room)
    if (first === undefined) return toNewest(env, room)
    const page = await env.crypto.page({ chatRoomId, after: last, limit: PAGE })
    const kept = await range(env, chatRoomId, first, page.messages.at(-1)?.seq ?? last)
    const hasNewer = page.messages.length === PAGE
    await show(env, room, kept.slice(-WINDOW), {
      ...stateOf(room, page),
      hasNewer,
      hasOlder: hadOlder || kept.length > WINDOW,
    })
  })

export const refreshView = (env: Env, room: Room): Promise<void> =>
  inView(env, room, async () => {
    const { id: chatRoomId } = room
    const { first, last, hasNewer, hadOlder, waitsFor } = windowOf(room)
    if (first === undefined) return toNewest(env, room)
    const page = await env.crypto.page({ chatRoomId, after: last, limit: hasNewer ? 1 : WINDOW })
    const change = { ...stateOf(room, page), hasOlder: hadOlder }
    const outbox = await env.crypto.outbox(chatRoomId)
    const acts = stateOfActs(actRows(outbox))
    if (page.waitsFor !== waitsFor || acts !== (viewOf(room)?.acts ?? '')) {
      const messages = await range(env, chatRoomId, first, hasNewer ? last : Number.MAX_SAFE_INTEGER)
      if (messages.length >= WINDOW) return toNewest(env, room)
      await show(env, room, messages, change, { outbox })
    } else {
      const fresh = hasNewer ? [] : page.messages
      if (fresh.length >= WINDOW) return toNewest(env, room)
      await show(env, room, fresh, change, { isMore: true, outbox })
    }
  })

export async function refreshRoom(env: Env, { id }: Pick<Room, 'id'>): Promise<void> {
  const room = roomById(id)
  if (!room || isShut(room)) return
  await Promise.all([viewOf(room) && refreshView(env, room), refreshPreview(env, room)])
}

/** Spares a read of the vault if the view ends just before the opened messages. */
export async function showCaughtUp(env: Env, room: Room, caughtUp: CaughtUp): Promise<void> {
  const newest = caughtUp.opened?.at(-1)
  if (!newest) return refreshRoom(env, room)
  if (!roomById(room.id)) return
  const shown = async () => (await appendOpened(env, room, caughtUp)) || (await refreshView(env, room))
  await Promise.all([viewOf(room) && shown(), refreshPreview(env, room, newest)])
}

/** Returns false for a gap. */
export const appendOpened = (env: Env, room: Room, caughtUp: CaughtUp): Promise<boolean> =>
  inView(env, room, async () => append(room, caughtUp))

function append(room: Room, { after, cursor, opened, isJoined }: CaughtUp): boolean {
  const view = viewOf(room)
  if (!opened || view?.status !== 'ready' || view.hasNewer || view.cursor !== after || !isJoined) return false
  // The page is read after the room's state and may hold the first messages.
  const { last } = windowOf(room)
  const ids = new Set(opened.filter(({ senderId }) => senderId === room.ownId).map(({ id }) => id))
  const unsent = view.messages.filter(({ seq, id }) => seq === null && !ids.has(id))
  const more = opened.filter(({ seq }) => seq > last)
  changeView(room, { cursor, messages: [...extended(room, view, more), ...unsent] })
  return true
}

function windowOf(room: Room) {
  const view = viewOf(room)
  const placed = view?.messages.filter(({ seq }) => seq !== null) ?? []
  return {
    first: placed[0]?.seq ?? undefined,
    last: placed.at(-1)?.seq ?? 0,
    hasNewer: view?.hasNewer ?? false,
    hadOlder: view?.hasOlder ?? false,
    waitsFor: view?.waitsFor ?? '',
  }
}

const hasOlder = ({ messages, from }: MessagePage): boolean => messages.length >= PAGE || from > 1

function stateOf({ id }: Room, page: MessagePage) {
  noteEnds(id, page)
  const { cursor, isJoined, waitsFor, timer = 0, pins = [] } = page
  return { cursor, isEncrypted: isJoined, waitsFor, timer, pins }
}

async function range(env: Env, chatRoomId: string, first: number, last: number): Promise<StoredMessage[]> {
  const { messages } = await env.crypto.page({ chatRoomId, after: first - 1, limit: WINDOW + PAGE })
  return messages.filter((message) => message.seq <= last)
}

interface Shows {
  /** True for messages behind those of the view. */
  isMore?: boolean
  /** As it was read after them. */
  outbox?: OutboxRow[]
}

async function show(env: Env, room: Room, stored: StoredMessage[], change: Partial<RoomView>, more: Shows = {}): Promise<void> {
  const { isMore = false, outbox = await env.crypto.outbox(room.id) } = more
  const keeping = keepingIn(room.id)
  const view = viewOf(room)
  const hasNewer = change.hasNewer ?? view?.hasNewer ?? false
  const acts = actRows(outbox)
  const now = withMarks(room)
  const pins = pendingPins(change.pins ?? [], outbox).slice(0, PINS_MAX)
  const shownOf = (message: StoredMessage) => ({
    ...shownMessage(withPending(message, acts, room.ownId), now),
    ...pendingOf(message, acts),
    ...(isPinnedIn(pins, message) && { isPinned: true }),
  })
  const placed = isMore ? extended(room, view, stored) : stored.map(shownOf)
  const known = new Set([...outbox, ...placed.filter(({ isMine }) => isMine)].map(({ id }) => id))
  const fromMemory = keeping.filter(({ row, hasFailed }) => !hasFailed && !known.has(row.id)).map(({ row }) => row)
  // A text overtakes a file on its way, but no queued file.
  const uploads = uploadsIn(room.id)
    .filter(({ id }) => !known.has(id))
    .map(({ line, order, isQueued }) => ({ order: isQueued ? order : Number.MAX_SAFE_INTEGER, shown: line }))
  const rows = foldEntries([...outbox, ...fromMemory]).map((row) => ({ order: row.order, shown: shownUnsent(row) }))
  const unsent = hasNewer ? [] : [...rows, ...uploads].sort((a, b) => a.order - b.order).map(({ shown }) => shown)
  changeView(room, { ...change, pins, acts: stateOfActs(acts), messages: lastSays([...placed, ...unsent]) })
}

/** Marks change while a view is read. */
const withMarks = (room: Room): Room => ({ ...room, marks: latestRoom(room).marks })

function extended(room: Room, view: RoomView | undefined, more: StoredMessage[]): ShownMessage[] {
  const now = withMarks(room)
  const before = (view?.messages ?? []).flatMap((message) => {
    if (message.seq === null) return []
    const status = message.status && deliveryOf(now, message.seq)
    return [status === message.status ? message : { ...message, status }]
  })
  return [...before, ...more.map((message) => shownMessage(message, now))].slice(-WINDOW)
}

/** Spares a read of the vault. */
export function showUnsent(room: Room, row: Folded<OutboxRow>): void {
  const view = viewOf(room)
  if (view?.status === 'ready' && !view.hasNewer) changeView(room, { messages: lastSays([...view.messages, shownUnsent(row)]) })
}

export function hideUnsent(room: Room, id: string): void {
  const view = viewOf(room)
  if (view) changeView(room, { messages: lastSays(view.messages.filter((message) => message.seq !== null || message.id !== id)) })
}
