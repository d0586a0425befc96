import type { FileContent, OnceContent } from '../../../contract/chat/content.ts'
import { fileOfOnce } from '../../../contract/chat/oncefiles.ts'
import { REFUSAL_TEXTS } from '../../../contract/ground/refusaltexts.ts'
import type { Env } from '../../env.ts'
import { isShowable } from '../../me/photo/pixels.ts'
import { connectionStore } from '../../net/status.ts'
import { isBlocked, type Room } from '../../rooms/list/room.ts'
import { latestRoom } from '../../rooms/list/roomList.ts'
import { peerName, readyRoom } from '../../rooms/log/readyRoom.ts'
import { CryptoFailure, type OutboxRow } from '../../worker/crypto.ts'
import { openHeld } from '../files/openFile.ts'
import { canDecode } from '../once/canDecode.ts'
import { refreshRoom } from './messageWindow.ts'
import { LINE, waitOf } from './outbox.ts'
import { flush, roomToSeal } from './send.ts'
import type { ShownMessage } from './store.ts'

const AGAIN_MS = 2000
const TRIES = 3

const NO_LINE = 'It opens with a connection alone: the server has to know first that it was opened'

export interface Opened {
  file: FileContent
  bytes: Blob
}

/** `waiting`: the server may have it. */
export type Step = 'fetching' | 'opening' | 'waiting'

/**
 * Fetches what opens once, and returns it when the server has stored that it was opened [Note: M14]. Throws ApiError or CryptoFailure;
 * the signal's reason where the person has left before, and then it is closed still, unless it was `waiting`.
 */
export async function openOnce(
  env: Env,
  room: Room,
  message: ShownMessage,
  signal: AbortSignal,
  onStep: (step: Step) => void,
): Promise<Opened> {
  const { seq, body } = message
  const once = body.kind === 'once' ? body.once : undefined
  const file = once && fileOfOnce(once)
  if (!once || !file || seq === null) throw new CryptoFailure('opened', REFUSAL_TEXTS.already_opened)
  requireLine(room)
  const bytes = await fetched(env, room, once, file)
  signal.throwIfAborted()
  onStep('opening')
  let row = await sealedOpening(env, room, message, once, signal)
  if (signal.aborted) await drop(env, room, row)
  signal.throwIfAborted()
  onStep('waiting')
  let mayBeStored = false
  for (;;) {
    await flush(env, latestRoom(room), row.envelope === null ? undefined : row)
    const left = (await env.crypto.outbox(room.id)).find(({ id }) => id === row.id)
    if (!left) break
    // The server has refused these bytes, or the last ones.
    if (left.failure !== null || left.envelope === null) {
      await drop(env, room, row)
      throw new CryptoFailure('not_opened', left.failure ?? 'This chat is busy. Try again')
    }
    row = left
    const reason = waitOf(room.id)?.reason
    if (reason === undefined || reason === LINE) mayBeStored = true
    else if (!mayBeStored) {
      await drop(env, room, row)
      throw new CryptoFailure('not_opened', reason)
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    signal.throwIfAborted()
  }
  // Another tab may have dropped it, or it has ended meanwhile.
  if (!(await isOpened(env, room, seq))) throw new CryptoFailure('not_opened', REFUSAL_TEXTS.already_opened)
  return { file, bytes }
}

/** The view has shown it as opened already. */
async function drop(env: Env, room: Room, { id }: OutboxRow): Promise<void> {
  await env.crypto.dropFromOutbox({ chatRoomId: room.id, id })
  await refreshRoom(env, room)
}

function requireLine(room: Room): void {
  const now = latestRoom(room)
  if (now.isClosed) throw new CryptoFailure('not_opened', REFUSAL_TEXTS.account_deleted)
  if (isBlocked(now)) throw new CryptoFailure('not_opened', `You have blocked ${peerName(now)}`)
  if (connectionStore.getState().phase !== 'open') throw new CryptoFailure('offline', NO_LINE)
}

/** Returns bytes that this browser can show. */
async function fetched(env: Env, { id: chatRoomId }: Room, { as }: OnceContent, file: FileContent): Promise<Blob> {
  const bytes = await openHeld(env, { chatRoomId, file }, { isKept: false })
  const isFit = as === 'audio' || (await isShowable(bytes))
  if (!isFit || !(await canDecode(bytes, as)))
    throw new CryptoFailure('not_shown', 'This browser cannot show it, so it stays closed. Another browser may open it')
  return bytes
}

/** Nothing waits before it is sealed: what is closed before that is not opened. */
async function sealedOpening(
  env: Env,
  room: Room,
  { id, senderId, seq }: ShownMessage,
  { as, seconds }: OnceContent,
  signal: AbortSignal,
): Promise<OutboxRow> {
  const content = {
    ...{ type: 'opened' as const, target: { senderId: senderId ?? '', id }, place: seq ?? 0, as },
    ...(seconds !== undefined && { seconds }),
  }
  const message = { id: crypto.randomUUID(), chatRoomId: room.id, content, replyToId: null }
  for (let attempt = 1; ; attempt++) {
    const readiness = await readyRoom(env, latestRoom(room))
    signal.throwIfAborted()
    if (!readiness.ready) throw new CryptoFailure('not_opened', readiness.reason)
    const place = roomToSeal(env, room)
    if (!place) throw new CryptoFailure('offline', NO_LINE)
    try {
      return await env.crypto.keepAndSeal({ message: { ...message, sentAt: env.clock().toISOString() }, room: place })
    } catch (error) {
      const isBusy = error instanceof CryptoFailure && error.code === 'not_ready'
      if (!isBusy || attempt === TRIES) throw error
    }
  }
}

async function isOpened(env: Env, { id: chatRoomId, ownId }: Room, seq: number): Promise<boolean> {
  const { messages } = await env.crypto.page({ chatRoomId, after: seq - 1, limit: 1 })
  return messages.some((message) => message.seq === seq && message.acts?.opened?.[ownId] !== undefined)
}
