import type { FileContent } from '../../../contract/chat/content.ts'
import { fileOfOnce } from '../../../contract/chat/oncefiles.ts'
import { REFUSAL_TEXTS } from '../../../contract/ground/refusaltexts.ts'
import type { Env } from '../../env.ts'
import { isShowable } from '../../me/photo/pixels.ts'
import { connectionStore } from '../../net/status.ts'
import type { Room } from '../../rooms/list/room.ts'
import { latestRoom } from '../../rooms/list/roomList.ts'
import { CryptoFailure } from '../../worker/crypto.ts'
import { openHeld } from '../files/openFile.ts'
import { waitOf } from './outbox.ts'
import { flush } from './send.ts'
import type { ShownMessage } from './store.ts'

const NO_LINE = 'It opens with a connection alone: the server has to know first that it was opened'
const AGAIN_MS = 2000

export interface Opened {
  file: FileContent
  bytes: Blob
}

/**
 * Fetches what opens once, and returns it when the server has stored that it was opened [Note: M14]. Throws ApiError or CryptoFailure,
 * and the signal's reason where the answer of the server is not waited for any more.
 */
export async function openOnce(
  env: Env,
  room: Room,
  message: ShownMessage,
  signal: AbortSignal,
  onFetched: () => void,
): Promise<Opened> {
  const chatRoomId = room.id
  const { id: targetId, seq, senderId, body } = message
  const once = body.kind === 'once' ? body.once : undefined
  const file = once && fileOfOnce(once)
  if (!once || !file || seq === null || senderId === undefined) throw new CryptoFailure('opened', REFUSAL_TEXTS.already_opened)
  if (connectionStore.getState().phase !== 'open') throw new CryptoFailure('offline', NO_LINE)
  const bytes = await openHeld(env, { chatRoomId, file }, { isKept: false })
  if (once.as === 'image' && !(await isShowable(bytes)))
    throw new CryptoFailure('not_shown', 'It is too large to be shown, or of a kind that is not known here. It stays closed')
  signal.throwIfAborted()
  onFetched()
  const id = crypto.randomUUID()
  const { as, seconds } = once
  const content = {
    type: 'opened' as const,
    target: { senderId, id: targetId },
    place: seq,
    as,
    ...(seconds !== undefined && { seconds }),
  }
  await env.crypto.keepInOutbox({ id, chatRoomId, content, replyToId: null, sentAt: env.clock().toISOString() })
  for (;;) {
    await flush(env, latestRoom(room))
    const row = (await env.crypto.outbox(chatRoomId)).find((one) => one.id === id)
    if (!row) return { file, bytes }
    // The server may have bytes that left.
    if (row.failure !== null || (row.envelope === null && !row.wasSealed)) {
      await env.crypto.dropFromOutbox({ chatRoomId, id })
      throw new CryptoFailure('not_opened', row.failure ?? waitOf(chatRoomId)?.reason ?? NO_LINE)
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS))
    signal.throwIfAborted()
  }
}
