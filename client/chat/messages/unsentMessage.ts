import { postedFile } from '../../../contract/chat/oncefiles.ts'
import { REFUSAL_TEXTS } from '../../../contract/ground/refusaltexts.ts'
import type { Env } from '../../env.ts'
import { keepDraft, loadDrafts, readDraft } from '../../rooms/list/drafts.ts'
import type { Room } from '../../rooms/list/room.ts'
import { showToast } from '../../ui/toast.ts'
import { loadPart, type OutboxRow } from '../../worker/crypto.ts'
import { composer } from './composer.ts'
import { refreshRoom } from './messageWindow.ts'
import type { SendOutcome } from './outbox.ts'
import { showReply } from './replies.ts'
import { flush } from './send.ts'

type Field = NonNullable<typeof composer.open>['field']

const unsentRow = async (env: Env, { id: chatRoomId }: Room, id: string): Promise<OutboxRow | undefined> =>
  (await env.crypto.outbox(chatRoomId)).find((unsent) => unsent.id === id)

/** Uploads the file again if the server has lost the file. */
export async function retryMessage(env: Env, room: Room, id: string): Promise<SendOutcome> {
  const row = await unsentRow(env, room, id)
  if (postedFile(row?.content) && row?.failure === REFUSAL_TEXTS.file_not_found) {
    await (await loadPart(() => import('./chatFiles.ts'))).sendFileAgain(env, room, id)
    return { outcome: 'kept' }
  }
  await env.crypto.changeOutbox({ chatRoomId: room.id, id, failure: null, unseal: false })
  await refreshRoom(env, room)
  return flush(env, room)
}

/** Returns the words, now the draft; undefined if they may have been sent. */
export async function takeBack(env: Env, room: Room, id: string): Promise<string | undefined> {
  const text = await env.crypto.takeBack({ chatRoomId: room.id, id })
  if (text !== undefined) showReply(room.id, await env.crypto.readReply(room.id))
  await refreshRoom(env, room)
  return text
}

export async function cancelUnsent(env: Env, room: Room, id: string): Promise<void> {
  const before = composer.open?.field
  const text = await takeBack(env, room, id)
  if (text !== undefined) return giveBack(env, room, text, before)
  if (await unsentRow(env, room, id)) showToast({ tone: 'plain', title: 'Not cancelled', text: 'It may have been sent already.' })
}

/** A field other than `before` may have read the stored draft. */
async function giveBack(env: Env, { id }: Room, text: string, before: Field | undefined): Promise<void> {
  const stored = await readDraft(env, id)
  const { open } = composer
  const isIn = (words: string) => words === text || words.startsWith(`${text}\n`)
  const isStored = isIn(stored)
  if (open?.chatRoomId !== id) {
    // The field may have stored what was typed as it closed.
    if (!isStored) await keepDraft(env, id, [text, stored].filter(Boolean).join('\n'))
    return loadDrafts(env)
  }
  const typed = open.field.current?.value ?? ''
  if (open.field === before || !isIn(typed)) await open.giveBack(typed === '' && isStored ? stored : text)
}

export async function deleteUnsent(env: Env, room: Room, id: string): Promise<void> {
  const row = await unsentRow(env, room, id)
  if (postedFile(row?.content)) return (await loadPart(() => import('./chatFiles.ts'))).giveUpFile(env, room, id)
  await env.crypto.dropFromOutbox({ chatRoomId: room.id, id })
  await refreshRoom(env, room)
}
