import { fileIn } from '../../../contract/chat/kinds/kinds.ts'
import { REFUSAL_TEXTS } from '../../../contract/ground/refusaltexts.ts'
import type { Env } from '../../env.ts'
import { loadDrafts } from '../../rooms/list/drafts.ts'
import type { Room } from '../../rooms/list/room.ts'
import { showToast } from '../../ui/toast.ts'
import type { OutboxRow } from '../../worker/crypto.ts'
import { composer } from './composer.ts'
import { refreshRoom } from './messageWindow.ts'
import type { SendOutcome } from './outbox.ts'
import { flush } from './send.ts'

const unsentRow = async (env: Env, { id: chatRoomId }: Room, id: string): Promise<OutboxRow | undefined> =>
  (await env.crypto.outbox(chatRoomId)).find((unsent) => unsent.id === id)

/** Uploads the file again if the server has lost the file. */
export async function retryMessage(env: Env, room: Room, id: string): Promise<SendOutcome> {
  const row = await unsentRow(env, room, id)
  if (fileIn(row?.content) && row?.failure === REFUSAL_TEXTS.file_not_found) {
    await (await import('./chatFiles.ts')).sendFileAgain(env, room, id)
    return { outcome: 'kept' }
  }
  await env.crypto.changeOutbox({ chatRoomId: room.id, id, failure: null, unseal: false })
  await refreshRoom(env, room)
  return flush(env, room)
}

/** Makes the words the draft again and returns them; undefined if they were sent, or may have been. */
export async function takeBack(env: Env, room: Room, id: string): Promise<string | undefined> {
  const text = await env.crypto.takeBack({ chatRoomId: room.id, id })
  await refreshRoom(env, room)
  return text
}

/** The words return to the field. */
export async function cancelUnsent(env: Env, room: Room, id: string): Promise<void> {
  const text = await takeBack(env, room, id)
  if (text !== undefined) return composer.giveBack ? composer.giveBack(text) : loadDrafts(env)
  if (await unsentRow(env, room, id)) showToast({ tone: 'plain', title: 'Not cancelled', text: 'It may have been sent already.' })
}

export async function deleteUnsent(env: Env, room: Room, id: string): Promise<void> {
  const row = await unsentRow(env, room, id)
  if (fileIn(row?.content)) return (await import('./chatFiles.ts')).giveUpFile(env, room, id)
  await env.crypto.dropFromOutbox({ chatRoomId: room.id, id })
  await refreshRoom(env, room)
}
