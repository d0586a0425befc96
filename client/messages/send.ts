import { textBytes } from '../../contract/content.ts'
import { LIMITS, PERIODS } from '../../contract/limits.ts'
import { SIGN_IN_TO_SEND } from '../../contract/messages.ts'
import type { Env } from '../env.ts'
import { ApiError } from '../net/api.ts'
import { contactOfRoom } from '../rooms/rows.ts'
import { flushRoom, type SendOutcome, waitOf } from './outbox.ts'
import { showNewest } from './view.ts'
import { currentViewer, openRow, refreshRoom } from './viewing.ts'

/** Keeps the message on this device, shows it, and sends it. Nothing typed is lost: a refusal gives the text back. Throws ApiError. */
export async function sendText(env: Env, text: string): Promise<SendOutcome> {
  const contact = openRow()
  const words = text.trim()
  const viewer = currentViewer()
  if (words === '') return { outcome: 'kept' }
  if (!viewer) throw new ApiError(401, 'not_signed_in', SIGN_IN_TO_SEND)
  if (!contact) return { outcome: 'kept' }
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
  const contact = contactOfRoom(chatRoomId)
  if (!contact || !currentViewer()) return { outcome: 'kept' }
  const outcome = await flushRoom(env, contact, () => refreshRoom(env, chatRoomId))
  retryLater(env, chatRoomId)
  return outcome
}

const retries = new Map<string, ReturnType<typeof setTimeout>>()

/** A server that was away or busy is asked again, also when no news comes from it. */
function retryLater(env: Env, chatRoomId: string): void {
  clearTimeout(retries.get(chatRoomId))
  const retryMs = waitOf(chatRoomId)?.retryMs
  if (!retryMs) return
  const again = () => void (currentViewer() && flush(env, chatRoomId))
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
  await refreshRoom(env, contact.chatRoomId)
  return flush(env, contact.chatRoomId)
}

export async function deleteUnsent(env: Env, id: string): Promise<void> {
  const contact = openRow()
  if (!contact) return
  await env.crypto.dropFromOutbox({ chatRoomId: contact.chatRoomId, id })
  await refreshRoom(env, contact.chatRoomId)
}

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
