import { fileIn } from '../../../contract/chat/kinds/kinds.ts'
import { REFUSAL_TEXTS } from '../../../contract/ground/refusaltexts.ts'
import type { Env } from '../../env.ts'
import type { Room } from '../../rooms/list/room.ts'
import type { OutboxRow } from '../../worker/crypto.ts'
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

/** Makes the message the draft again. Returns false if the message was sent or still waits. */
export async function takeBack(env: Env, room: Room, id: string, draft: string): Promise<boolean> {
  if (!(await unsentRow(env, room, id))?.failure) return false
  await env.crypto.dropFromOutbox({ chatRoomId: room.id, id, draft })
  await refreshRoom(env, room)
  return true
}

export async function deleteUnsent(env: Env, room: Room, id: string): Promise<void> {
  const row = await unsentRow(env, room, id)
  if (fileIn(row?.content)) return (await import('./chatFiles.ts')).giveUpFile(env, room, id)
  await env.crypto.dropFromOutbox({ chatRoomId: room.id, id })
  await refreshRoom(env, room)
}
