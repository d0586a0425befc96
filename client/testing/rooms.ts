import { randomUUID } from 'node:crypto'
import { envelopeVersion, parseEnvelope } from '../../contract/chat/envelope.ts'
import { type Draft, type Message, messagesApi } from '../../contract/chat/messages.ts'
import { type ArchiveKey, type CommitDraft, type LogEntry, roomsApi } from '../../contract/chat/rooms.ts'
import { toBase64, utf8 } from '../../contract/ground/bytes.ts'
import { membersOfDirectRoom } from '../../contract/ground/shapes.ts'
import { ApiError } from '../net/api.ts'
import type { Mark } from '../rooms/list/room.ts'
import { sha256 } from '../worker/primitives/seal.ts'
import { manifestAnswer } from './accounts.ts'
import { isWithheldFrom, marksOf, type Room, roomIn, type ServerState, type Verb } from './state.ts'

/** The endpoints of rooms and messages, according to the contract. */
export function roomVerbs(state: ServerState): Verb[] {
  const roomOf = (chatRoomId: string): Room => roomIn(state, chatRoomId)

  const groupOf = ({ generation, groupId, epoch, groupInfo, welcome }: Room) => ({
    generation,
    groupId,
    epoch,
    groupInfo,
    welcome,
  })

  function page({ chatRoomId, after, limit }: { chatRoomId: string; after: number; limit: number }, userId: string) {
    const { log } = roomOf(chatRoomId)
    return { entries: log.slice(after, after + limit).map((entry) => givenTo(entry, userId)), lastSeq: log.length }
  }

  /** The entry as this account is given it: of a withheld message place and hash. */
  function givenTo(entry: LogEntry, userId: string): LogEntry {
    if (entry.kind !== 'message' || !isWithheldFrom(state, userId, entry)) return entry
    const { id, seq, chatRoomId, senderId, createdAt, content } = entry
    const contentHash = toBase64(sha256('conclave/log-entry/v1', utf8(content)))
    return { kind: 'withheld', id, seq, chatRoomId, senderId, createdAt, contentHash }
  }

  function commit(draft: CommitDraft, senderId: string) {
    const room = roomOf(draft.chatRoomId)
    const manifestVersions = versionsIn(draft.chatRoomId)
    if (Object.entries(manifestVersions).some(([member, version]) => (draft.manifestVersions[member] ?? 0) < version))
      throw new ApiError(409, 'stale_manifest', 'The devices of this chat changed', { details: { manifestVersions } })
    const isCreation = draft.generation === room.generation + 1 && draft.epoch === 0
    const isNext = draft.generation === room.generation && draft.groupId === room.groupId && draft.epoch === room.epoch
    if (!isCreation && !isNext) {
      const log = page({ chatRoomId: draft.chatRoomId, after: draft.afterSeq, limit: 200 }, senderId)
      throw new ApiError(409, 'stale_epoch', 'The chat has moved on', { details: { log } })
    }
    const { chatRoomId, generation, groupId, epoch, commit: bytes, groupInfo } = draft
    const seq = room.log.length + 1
    room.log.push({
      kind: 'commit',
      seq,
      chatRoomId,
      senderId,
      generation,
      groupId,
      epoch,
      commit: bytes,
      createdAt: new Date().toISOString(),
    })
    Object.assign(room, { generation, groupId, epoch: epoch + 1, groupInfo })
    room.needsCommit = false
    if (isCreation) room.welcome = null
    if (draft.welcome) room.welcome = { seq, epoch: epoch + 1, welcome: draft.welcome }
    keepKeys(chatRoomId, draft.archiveKeys, 'committer')
    return { seq }
  }

  const versionsIn = (chatRoomId: string): Record<string, number> =>
    Object.fromEntries(membersOfDirectRoom(chatRoomId).map((member) => [member, manifestAnswer(state, member).version]))

  /** Stores keys: each slot keeps the first key for each account, epoch and history key. */
  function keepKeys(chatRoomId: string, keys: ArchiveKey[], slot: 'committer' | 'own_device'): object {
    const kept = roomOf(chatRoomId)
    const nameOf = ({ userId, groupId, epoch, historyKeyId }: ArchiveKey) => [userId, groupId, epoch, historyKeyId].join()
    for (const key of keys) {
      if (kept.archiveKeys.some((one) => one.slot === slot && nameOf(one) === nameOf(key))) continue
      kept.archiveKeys.push({ ...key, slot })
    }
    return {}
  }

  function replaceGroupInfo({ chatRoomId, groupInfo }: { chatRoomId: string; groupInfo: string }): object {
    roomOf(chatRoomId).groupInfo = groupInfo
    return {}
  }

  function archived({ chatRoomId, groupId, epochs }: { chatRoomId: string; groupId: string; epochs: string }, userId: string) {
    const wanted = new Set(epochs.split(',').map(Number))
    const isAsked = (key: ArchiveKey) => key.userId === userId && key.groupId === groupId && wanted.has(key.epoch)
    return { keys: roomOf(chatRoomId).archiveKeys.filter(isAsked) }
  }

  function send(draft: Draft, senderId: string): Message {
    const room = roomOf(draft.chatRoomId)
    const id = draft.id ?? randomUUID()
    const known = room.log.find((entry) => entry.kind === 'message' && entry.id === id && entry.senderId === senderId)
    if (known?.kind === 'message') return known
    const envelope = parseEnvelope(draft.content)
    if (envelope && (envelope.groupId !== room.groupId || envelope.epoch !== room.epoch))
      throw new ApiError(409, 'stale_epoch', 'The chat has moved on')
    if (envelope && room.needsCommit)
      throw new ApiError(409, 'stale_epoch', 'The chat has moved on', {
        details: { needsCommit: true, manifestVersions: versionsIn(draft.chatRoomId) },
      })
    const isOpenable = ({ seq, senderId: authorId }: LogEntry) =>
      seq === draft.opens && authorId !== senderId && room.once?.has(seq) && !room.emptied?.has(seq)
    if (draft.opens !== undefined && !room.log.some(isOpenable))
      throw new ApiError(409, 'already_opened', 'This was opened already, or is no longer there')
    const message: Message = {
      id,
      seq: room.log.length + 1,
      chatRoomId: draft.chatRoomId,
      senderId,
      content: draft.content,
      messageType: draft.messageType,
      filePath: null,
      fileName: null,
      fileSize: null,
      isEncrypted: envelopeVersion(draft.content) !== undefined,
      deliveryStatus: 'sent',
      replyToId: null,
      createdAt: new Date().toISOString(),
    }
    // Sending accepts the request. It also moves the sender's read mark if no message of others is unread.
    for (const member of membersOfDirectRoom(draft.chatRoomId)) {
      const listed = state.contacts.get(`${senderId} ${member}`)
      if (listed) listed.state = 'accepted'
    }
    const { readSeq } = marksOf(state, draft.chatRoomId, senderId)
    const hasUnread = room.log.some((entry) => entry.kind === 'message' && entry.seq > readSeq && entry.senderId !== senderId)
    const isOwn = (seq: number) => room.log.some((entry) => entry.seq === seq && entry.senderId === senderId)
    room.emptied = new Set([
      ...(room.emptied ?? []),
      ...(draft.takesBack ?? []).filter(isOwn),
      ...(draft.opens === undefined ? [] : [draft.opens]),
    ])
    if (draft.isOnce) room.once = new Set([...(room.once ?? []), message.seq])
    room.log.push({ kind: 'message', ...message })
    if (!hasUnread) mark(draft.chatRoomId, senderId, { deliveredSeq: message.seq, readSeq: message.seq })
    return message
  }

  function answerTo(draft: Draft, senderId: string): Message {
    const { length } = roomOf(draft.chatRoomId).log
    const message = send(draft, senderId)
    return draft.isBrief && message.seq > length ? { ...message, content: '' } : message
  }

  /** Stores marks, which only increase and never exceed the log. */
  function mark(chatRoomId: string, userId: string, { deliveredSeq, readSeq }: Mark): object {
    const { log } = roomOf(chatRoomId)
    const before = marksOf(state, chatRoomId, userId)
    state.marks.set(`${chatRoomId} ${userId}`, {
      deliveredSeq: Math.max(before.deliveredSeq, Math.min(deliveredSeq, log.length)),
      readSeq: Math.max(before.readSeq, Math.min(readSeq, log.length)),
    })
    return {}
  }

  function list(
    { chatRoomId, before = Number.POSITIVE_INFINITY, limit }: { chatRoomId: string; before?: number; limit: number },
    userId: string,
  ) {
    const isGiven = (entry: LogEntry) => entry.kind === 'message' && !isWithheldFrom(state, userId, entry)
    const messages = roomOf(chatRoomId).log.filter((entry) => isGiven(entry) && entry.seq < before)
    return messages.slice(-limit)
  }

  return [
    [
      roomsApi.group,
      ({ chatRoomId }: { chatRoomId: string }) => ({
        chatRoomId,
        lastSeq: roomOf(chatRoomId).log.length,
        ...groupOf(roomOf(chatRoomId)),
      }),
    ],
    [roomsApi.log, (input: { chatRoomId: string; after: number; limit: number }, userId) => page(input, userId)],
    [roomsApi.commit, (draft: CommitDraft, userId) => commit(draft, userId)],
    [roomsApi.archiveKeys, (input: { chatRoomId: string; groupId: string; epochs: string }, userId) => archived(input, userId)],
    [
      roomsApi.addArchiveKeys,
      (input: { chatRoomId: string; keys: ArchiveKey[] }) => keepKeys(input.chatRoomId, input.keys, 'own_device'),
    ],
    [roomsApi.replaceGroupInfo, (input: { chatRoomId: string; groupInfo: string }) => replaceGroupInfo(input)],
    [messagesApi.send, (draft: Draft, userId) => answerTo(draft, userId)],
    [
      messagesApi.markRead,
      ({ chatRoomId, seq = Number.POSITIVE_INFINITY }: { chatRoomId: string; seq?: number }, userId) =>
        mark(chatRoomId, userId, { deliveredSeq: seq, readSeq: seq }),
    ],
    [
      messagesApi.markDelivered,
      ({ chatRoomId, seq }: { chatRoomId: string; seq: number }, userId) =>
        mark(chatRoomId, userId, { deliveredSeq: seq, readSeq: 0 }),
    ],
    [messagesApi.list, (input: { chatRoomId: string; before?: number; limit: number }, userId) => list(input, userId)],
  ]
}
