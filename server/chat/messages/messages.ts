import { randomUUID } from 'node:crypto'
import { envelopeVersion, readSealedFor } from '../../../contract/chat/envelope.ts'
import { type Draft, type Message, SIGN_IN_TO_SEND, SILENT_LIMITS } from '../../../contract/chat/messages.ts'
import { objectIdOf, objectPath } from '../../../contract/chat/objects.ts'
import { notesRoomId } from '../../../contract/ground/shapes.ts'
import { messageLimitText } from '../../../contract/money/plans.ts'
import type { Env, SignedInUser } from '../../env.ts'
import { Refusal } from '../../refuse.ts'
import { tellLocked } from '../chatlocks/chatGate.ts'
import { askAgain } from '../contacts/requests.ts'
import type { AppendResult, NewMessage } from '../rooms/append.ts'
import { manifestVersions } from '../rooms/manifests.ts'
import { requireRoom } from '../rooms/members.ts'
import { shownMessage } from '../rooms/shownMessage.ts'
import * as store from './store.ts'

interface Sent {
  message: Message
  json: string
  /** False for a known id. */
  isNew: boolean
}

/** Stores a message, at most once per id. Throws Refusal. */
export async function sendMessage(env: Env, user: SignedInUser, draft: Draft): Promise<Sent> {
  const sent = newMessage(user, draft)
  if (sent.sealedFor && user.deviceId === null) throw new Refusal('device_required')
  const before = await judge(env, user, sent)
  if (before) return known(before)
  if (sent.isSilent) await env.limits.take('silentInRoom', `${user.id} ${sent.chatRoomId}`)
  if (sent.isSilent && sent.chatRoomId === notesRoomId(user.id)) await env.limits.take('silentNotes', user.id)
  const appended = await env.batch.append(sent)
  const seq = await requirePlace(env, sent, appended)
  await env.fault?.('message:committed')
  if (appended.verdict === 'known') return known(await storedMessage(env, user, sent.chatRoomId, seq))

  const shown = shownMessage(sent, { seq, isEncrypted: sent.sealedFor !== null, createdAt: appended.createdAt }, [])
  const message: Message = sent.isSilent ? { ...shown, isSilent: true } : shown
  for (const askedId of appended.lapsed) await askAgain(env, user.id, askedId)
  const json = JSON.stringify(message)
  env.hub.publishMessage(appended.listeners, json, appended.open)
  tellLocked(env, sent.chatRoomId, appended.open)
  if (!sent.isSilent) env.push.note(appended.listeners.filter((id) => !env.hub.isHere(id)))
  if (appended.hasAccepted) env.hub.publish(appended.members, { type: 'contacts', data: { userIds: appended.members } })
  return { message, json, isNew: true }
}

/** Returns the answer. Throws Refusal. */
export async function postMessage(env: Env, user: SignedInUser, draft: Draft): Promise<string> {
  const { message, json, isNew } = await sendMessage(env, user, draft)
  return isNew && draft.isBrief ? JSON.stringify({ ...message, content: '' }) : json
}

const known = (message: Message): Sent => ({ message, json: JSON.stringify(message), isNew: false })

/** Refuses a message early, before the queue. A lapsed plan still gets the message of a known id. Throws Refusal. */
async function judge(
  env: Env,
  user: SignedInUser,
  { chatRoomId, id, takesBack, opens }: NewMessage,
): Promise<Message | undefined> {
  if (!(await env.isMember(chatRoomId, user.id))) throw new Refusal('not_found')
  if (user.rights.send || takesBack || opens !== null) return undefined
  const room = await requireRoom(env.db, user, chatRoomId, env.clock())
  if (room.type === 'notes') return undefined
  const known = await store.findOwnMessage(env.db, chatRoomId, user.id, id)
  if (known) return shownMessage(known, known, room.members)
  throw new Refusal(room.isClosed ? 'account_deleted' : 'subscription_required')
}

type File = Pick<NewMessage, 'fileId' | 'filePath' | 'fileName' | 'fileSize'>

/** Names the object; the append checks it. Throws Refusal. */
function fileOf({ messageType, filePath, fileName, fileSize }: Draft): File {
  const id = filePath === undefined ? undefined : objectIdOf(filePath)?.toLowerCase()
  if (messageType === 'text') {
    if (filePath !== undefined || fileName !== undefined || fileSize !== undefined) throw new Refusal('file_not_found')
    return { fileId: null, filePath: null, fileName: null, fileSize: null }
  }
  if (id === undefined || filePath !== objectPath(id) || fileSize === undefined) throw new Refusal('file_not_found')
  // The name for people is sealed inside the message.
  if (fileName !== undefined && fileName !== id) throw new Refusal('file_not_found')
  return { fileId: id, filePath, fileName: id, fileSize }
}

function newMessage(user: SignedInUser, draft: Draft): NewMessage {
  const sealedFor = readSealedFor(draft.content)
  // An unknown version would be shown as plain text [Note: M2].
  if (!sealedFor && envelopeVersion(draft.content) !== undefined) throw new Refusal('unknown_envelope')
  const { fileId, filePath, fileName, fileSize } = fileOf(draft)
  const { isSilent = false, takesBack = null, lifetime = null, isOnce = false, opens = null } = draft
  return {
    // PostgreSQL returns ids in lower case.
    id: draft.id?.toLowerCase() ?? randomUUID(),
    chatRoomId: draft.chatRoomId,
    senderId: user.id,
    content: draft.content,
    messageType: draft.messageType,
    fileId,
    filePath,
    fileName,
    fileSize,
    replyToId: draft.replyToId?.toLowerCase() ?? null,
    isSilent,
    isCounted: !isSilent || Buffer.byteLength(draft.content) > SILENT_LIMITS.bytes,
    takesBack,
    lifetime,
    isOnce,
    opens,
    session: Buffer.from(user.sessionHash, 'hex'),
    sealedFor: sealedFor ?? null,
  }
}

async function requirePlace(env: Env, { senderId, chatRoomId }: NewMessage, result: AppendResult): Promise<number> {
  const { verdict } = result
  if (verdict === 'stale_epoch') {
    const { generation, groupId, epoch, lastSeq, needsCommit, members } = result
    // Versions that are newer do no harm.
    const versions = await manifestVersions(env.db, senderId, chatRoomId, members)
    throw new Refusal('stale_epoch', {
      details: { generation, groupId, epoch, lastSeq, needsCommit, manifestVersions: versions },
    })
  }
  if (verdict === 'not_signed_in') throw new Refusal(verdict, { text: SIGN_IN_TO_SEND })
  if (verdict === 'message_limit_reached') {
    throw new Refusal(verdict, { text: messageLimitText(result.messagesPerMonth ?? 0) })
  }
  if (verdict !== 'stored' && verdict !== 'known') throw new Refusal(verdict)
  if (result.seq === null) throw new Error('A stored message has no place')
  return result.seq
}

async function storedMessage(env: Env, user: SignedInUser, roomId: string, seq: number): Promise<Message> {
  const room = await requireRoom(env.db, user, roomId, env.clock())
  const row = await store.findMessage(env.db, roomId, seq)
  if (!row) throw new Error('A known message is gone')
  return shownMessage(row, row, room.members)
}
