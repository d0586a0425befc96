import { ACT_LIMITS } from '../../../contract/chat/kinds/fold.ts'
import { SAID } from '../../../contract/chat/saidlimits.ts'
import type { Env } from '../../env.ts'
import { isAwaited, type Room } from '../../rooms/list/room.ts'
import type { BegunEdit } from '../../worker/crypto.ts'
import { makeKeptChoice } from './keptChoice.ts'
import { isForwarded } from './quotes.ts'
import { type ShownMessage, viewOf } from './store.ts'

/** The message whose words are changed in the field; null: none. */
export const {
  store: editStore,
  shown: editIn,
  open: openEdit,
  choose: chooseEdit,
  show: showEdit,
} = makeKeptChoice<BegunEdit>({
  read: async (env, chatRoomId) => {
    const kept = await env.crypto.readEdit(chatRoomId)
    return kept?.isOpen ? kept : null
  },
  keep: (env, chatRoomId, edit) => env.crypto.keepEdit({ chatRoomId, edit }),
})

export const isWithin = (env: Env, { at, sentAt = at }: ShownMessage, limitMs: number): boolean =>
  env.clock().getTime() - Date.parse(sentAt) <= limitMs

export const isOwnAndSent = ({ isMine, seq, senderId }: ShownMessage) => isMine && seq !== null && senderId !== undefined

/** True for an own text or caption of the last 24 hours, fifty times. */
export function canEdit(env: Env, message: ShownMessage): boolean {
  const { body, edited } = message
  const hasWords = body.kind === 'text' || (body.kind === 'file' && body.text !== '' && !body.file.album)
  return (
    isOwnAndSent(message) &&
    hasWords &&
    !isForwarded(message) &&
    (edited?.places.length ?? 0) < SAID.textsMax &&
    isWithin(env, message, ACT_LIMITS.editMs)
  )
}

/** Opened by a press: its field may open an on-screen keyboard. */
let askedId: string | undefined
export const isAskedFor = (id: string): boolean => id === askedId

/** Opens the message in the field, with the words that were begun for it before. */
export async function beginEdit(env: Env, { id: chatRoomId }: Room, message: ShownMessage): Promise<void> {
  const { senderId, id, body, edited } = message
  if (senderId === undefined || (body.kind !== 'text' && body.kind !== 'file')) return
  askedId = id
  const kept = await env.crypto.readEdit(chatRoomId).catch(() => null)
  const isSame = kept?.target.senderId === senderId && kept.target.id === id && kept.before === body.text
  await chooseEdit(env, chatRoomId, {
    ...{ target: { senderId, id }, n: (edited?.n ?? 0) + 1, before: body.text, isCaption: body.kind === 'file', isOpen: true },
    text: isSame ? kept.text : body.text,
  })
}

/** Opens the last own message of those that are shown, if it can be edited. */
export async function editLast(env: Env, room: Room): Promise<void> {
  const view = viewOf(room)
  const last = view?.hasNewer ? undefined : view?.messages.findLast(isOwnAndSent)
  if (last && !isAwaited(room) && canEdit(env, last)) await beginEdit(env, room, last)
}

/** Closes the field of the edit. What was changed is kept for the next time. */
export async function leaveEdit(env: Env, { id: chatRoomId }: Pick<Room, 'id'>, edit: BegunEdit): Promise<void> {
  askedId = undefined
  showEdit(chatRoomId, null)
  const kept = edit.text === edit.before ? null : { ...edit, isOpen: false }
  await env.crypto.keepEdit({ chatRoomId, edit: kept }).catch(() => undefined)
}
