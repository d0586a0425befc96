import { openOnce } from '../client/chat/messages/openOnce.ts'
import { flush } from '../client/chat/messages/send.ts'
import type { ShownMessage } from '../client/chat/messages/store.ts'
import type { Env } from '../client/env.ts'
import { ApiError } from '../client/net/api.ts'
import type { RoomRow } from '../client/rooms/list/roomList.ts'
import { CryptoFailure } from '../client/worker/crypto.ts'
import { sealFile } from '../client/worker/files/sealedfile.ts'
import type { OnceContent } from '../contract/chat/content.ts'
import { uploaderApi } from '../contract/chat/files.ts'
import { type Bytes, toBase64 } from '../contract/ground/bytes.ts'

interface At {
  fetch: (path: string, init: RequestInit) => Promise<Response>
  theRoom: () => RoomRow
  shownAt: (seq: number) => ShownMessage
}

/** What a person at a page does with what opens once. */
export const onceVerbs = (env: Env, at: At) => ({
  /** Returns false where it could not be uploaded. */
  async sendsOnce() {
    const room = at.theRoom()
    const content = await uploadedOnce(env, at).catch(offlineOnly)
    if (!content) return false
    const sentAt = env.clock().toISOString()
    await env.crypto.keepInOutbox({ id: crypto.randomUUID(), chatRoomId: room.id, content, replyToId: null, sentAt })
    await flush(env, room)
    return true
  },
  /** Opens what opens once, unless the line or another browser prevents it. */
  async opensOnce(seq: number) {
    const leave = new AbortController()
    setTimeout(() => leave.abort(new CryptoFailure('offline', 'Left')), OPENS_MS)
    await openOnce(env, at.theRoom(), at.shownAt(seq), leave.signal, () => undefined).catch((error: unknown) => {
      if (!(error instanceof CryptoFailure || error instanceof ApiError)) throw error
    })
  },
})

const OPENS_MS = 5000

function offlineOnly(error: unknown): undefined {
  if (!(error instanceof ApiError || error instanceof TypeError)) throw error
}

/** Uploads a voice message that opens once. */
async function uploadedOnce({ api }: Env, { fetch }: At): Promise<OnceContent> {
  const key = crypto.getRandomValues(new Uint8Array(32))
  const words = new Blob([crypto.getRandomValues(new Uint8Array(900))])
  const sealing = sealFile(key, words)
  const pieces: Bytes[] = []
  let step = await sealing.next()
  for (; !step.done; step = await sealing.next()) pieces.push(step.value)
  const body = new Blob(pieces)
  const { url } = await api(uploaderApi.params, {})
  const { ok } = await fetch(url, { method: 'PUT', body, headers: { 'Content-Type': 'application/octet-stream' } })
  if (!ok) throw new TypeError('The server did not take the file')
  const object = url.split('?')[0]?.split('/').at(-1) ?? ''
  const about = { mediaType: 'audio/webm', sizeBytes: words.size, caption: '', peaks: '' }
  const file = { object, storedBytes: body.size, key: toBase64(key), hash: toBase64(step.value), ...about }
  return { type: 'once', as: 'audio', seconds: 1, file }
}
