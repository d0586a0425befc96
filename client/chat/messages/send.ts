import type { Quote } from '../../../contract/chat/content.ts'
import { SIGN_IN_TO_SEND } from '../../../contract/chat/messages.ts'
import { textBytes } from '../../../contract/ground/bytes.ts'
import { LIMITS, PERIODS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { ownPrivacy } from '../../me/privacy/privacy.ts'
import { ApiError } from '../../net/api.ts'
import { connectionStore } from '../../net/status.ts'
import { forgetDraft } from '../../rooms/list/drafts.ts'
import { isFollowed, isNotes, placeOf, type Room } from '../../rooms/list/room.ts'
import { isShut, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import { untilKept } from '../../rooms/list/unkeptDrafts.ts'
import type { CaughtUp } from '../../rooms/log/catchUp.ts'
import { isClosed, type OutboxRow } from '../../worker/crypto.ts'
import { hideUnsent, refreshRoom, showCaughtUp, showNewest, showUnsent, viewRefreshed } from './messageWindow.ts'
import { flushRoom, isFlushing, type SendOutcome, waitOf } from './outbox.ts'
import { changeView, viewOf } from './store.ts'
import { whileKept } from './whileKept.ts'

/**
 * Shows and stores the message, calls `onKept`, then sends without blocking further typing. A refused message stays unsent until
 * `takeBack`. Throws ApiError; the caller then restores the text.
 */
export async function sendText(
  env: Env,
  room: Room,
  text: string,
  onKept?: (id: string) => void,
  quote?: Quote | null,
): Promise<SendOutcome> {
  const words = text.trim()
  if (words === '') return { outcome: 'kept' }
  // The list is empty after the account is closed.
  if (!roomById(room.id)) throw new ApiError(401, 'not_signed_in', SIGN_IN_TO_SEND)
  if (textBytes(words) > LIMITS.textBytes)
    throw new ApiError(400, 'invalid_input', `A message is at most ${LIMITS.textBytes / 1024} KB of text`)
  const content = { type: 'text' as const, text: words, ...(quote && { quote }) }
  const message = { id: crypto.randomUUID(), chatRoomId: room.id, content, replyToId: null, sentAt: env.clock().toISOString() }
  const row = { ...message, order: Number.MAX_SAFE_INTEGER, envelope: null, failure: null }
  typingSentAt = 0
  showUnsent(room, row)
  changeView(room, { fresh: null })
  const keep = () => env.crypto.keepAndSeal({ message, room: roomToSeal(env, room) })
  const kept = await whileKept(
    row,
    () => untilKept(keep()),
    () => viewRefreshed(env, room),
  ).catch((error: unknown) => {
    hideUnsent(room, row.id)
    throw error
  })
  // The transaction that kept the message has deleted the stored draft.
  forgetDraft(room.id)
  const view = viewOf(room)
  if (view?.status !== 'ready' || view.hasNewer) await showNewest(env, room)
  onKept?.(row.id)
  // A running send takes this message from the outbox.
  return flush(env, room, kept.isAlone && !isFlushing(env, room) ? kept : undefined)
}

/** null without a line, or if the room must be readied first. */
export function roomToSeal(env: Env, { id }: Room) {
  const row = roomById(id)
  if (
    connectionStore.getState().phase !== 'open' ||
    !row ||
    !isFollowed(row) ||
    row.isClosed ||
    row.asksRestart ||
    row.peers.some(({ isDeleted }) => isDeleted)
  )
    return null
  return { ...placeOf(row), peers: row.peers, lastSeq: row.lastSeq, now: env.clock().getTime() }
}

/** `sealed` is the outbox's only message. */
export async function flush(env: Env, room: Room, sealed?: OutboxRow): Promise<SendOutcome> {
  const onChange = (caughtUp?: CaughtUp) => (caughtUp ? showCaughtUp(env, room, caughtUp) : refreshRoom(env, room))
  try {
    const outcome = await flushRoom(env, room, onChange, sealed)
    retryLater(env, room)
    return outcome
  } catch (error) {
    // The outbox stays in the vault until the next sign-in.
    if (isClosed(error)) return { outcome: 'kept' }
    throw error
  }
}

const retries = new Map<string, ReturnType<typeof setTimeout>>()

/** A busy or unreachable server may send no event at its return. */
function retryLater(env: Env, room: Room): void {
  clearTimeout(retries.get(room.id))
  const retryMs = waitOf(room.id)?.retryMs
  if (!retryMs) return
  const again = () => {
    // The account may be closed.
    const now = roomById(room.id)
    if (now && !isShut(now)) void flush(env, now)
  }
  retries.set(room.id, setTimeout(again, retryMs))
}

export function stopRetries(): void {
  for (const timer of retries.values()) clearTimeout(timer)
  retries.clear()
}

export async function flushAll(env: Env): Promise<void> {
  const ids = await env.crypto.roomsWithOutbox()
  const unlisted = ids.filter((id) => !roomById(id))
  const flushListed = async (id: string) => {
    const room = roomById(id)
    if (room && !isShut(room)) await flush(env, room)
  }
  for (const id of ids) await flushListed(id)
  if (unlisted.length === 0 || roomsStore.getState().counter === null) return
  const part = await import('./removedContact.ts').catch(() => undefined)
  await part?.stopRemoved(env, unlisted)
  for (const id of unlisted) await flushListed(id)
}

let typingSentAt = 0

/** At most one frame every few seconds; a frame may be lost. */
export function setTyping(env: Env, room: Room, isTyping: boolean): void {
  if (!ownPrivacy().typing || isNotes(room)) return
  const now = env.clock().getTime()
  if (isTyping && now - typingSentAt < PERIODS.typingSentMs) return
  typingSentAt = isTyping ? now : 0
  env.socket.send({ type: 'typing', data: { chatRoomId: room.id, isTyping } })
}
