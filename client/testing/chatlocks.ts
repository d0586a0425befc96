import { randomBytes } from 'node:crypto'
import { manifestShape } from '../../contract/account/documents.ts'
import { archiveApi } from '../../contract/chat/archive.ts'
import { chatLocksApi } from '../../contract/chat/chatlocks.ts'
import { CHAT_LOCK } from '../../contract/chat/locklimits.ts'
import { messagesApi } from '../../contract/chat/messages.ts'
import { type ArchiveKey, roomsApi } from '../../contract/chat/rooms.ts'
import type { Endpoint } from '../../contract/ground/endpoint.ts'
import { LIMITS } from '../../contract/ground/limits.ts'
import { directRoomId, membersOfDirectRoom } from '../../contract/ground/shapes.ts'
import { ApiError } from '../net/api.ts'
import { type ArchivePage, type Listed, roomIn, type ServerState, type Verb } from './state.ts'

/** The calls that a session makes of a chat with a password only once it has verified it. */
const GATED: Endpoint[] = [
  ...[roomsApi.group, roomsApi.log, roomsApi.commit, roomsApi.claimKeyPackages, roomsApi.archiveKeys, roomsApi.addArchiveKeys],
  ...[roomsApi.replaceGroupInfo, archiveApi.pages, archiveApi.page, archiveApi.putPage, archiveApi.keysLeft],
  ...[messagesApi.send, messagesApi.list, messagesApi.markRead, messagesApi.markDelivered],
]
const gated = new Set(GATED.map(({ method, path }) => `${method} ${path}`))

function entryIn({ contacts }: ServerState, userId: string, chatRoomId: string): Listed | undefined {
  const otherId = membersOfDirectRoom(chatRoomId).find((id) => id !== userId) ?? ''
  return contacts.get(`${userId} ${otherId}`)
}

/** What a session sees of a chat's password. A device stands for its session. */
export function lockSeenIn(state: ServerState, userId: string, chatRoomId: string, deviceId: string | undefined) {
  const lock = entryIn(state, userId, chatRoomId)?.chatPassword
  const isOpen = isWithin(lock?.verifiedAt.get(deviceId ?? ''), CHAT_LOCK.openSeconds)
  return { isPasswordProtected: lock !== undefined, isLocked: lock !== undefined && !isOpen }
}

const isWithin = (at: number | undefined, seconds: number): boolean => at !== undefined && Date.now() - at <= seconds * 1000

const devicesListed = ({ accounts }: ServerState, userId: string): number =>
  manifestShape.parse(JSON.parse(accounts.get(userId)?.keys.manifest.content ?? '{}')).devices.length

/** Throws as the server does where a session has not verified the chat's password. */
export function requireOpen(
  state: ServerState,
  { method, path }: Endpoint,
  input: unknown,
  userId: string,
  deviceId: string,
): void {
  const chatRoomId = typeof input === 'object' && input !== null && 'chatRoomId' in input ? String(input.chatRoomId) : undefined
  if (chatRoomId === undefined || !gated.has(`${method} ${path}`)) return
  if (lockSeenIn(state, userId, chatRoomId, deviceId).isLocked)
    throw new ApiError(403, 'chat_locked', 'Enter the password of this chat first')
}

/** The endpoints of chat passwords and archive pages, according to the contract. */
export function chatLockVerbs(state: ServerState): Verb[] {
  const { contacts, archivePages } = state

  function entryOf(userId: string, contactId: string) {
    for (const [key, listed] of contacts) {
      const [ownId, otherId = ''] = key.split(' ')
      if (ownId === userId && listed.id === contactId) return { listed, chatRoomId: directRoomId(userId, otherId) }
    }
    throw new ApiError(404, 'not_found', 'Not found')
  }
  const pagesOf = (userId: string, chatRoomId: string): ArchivePage[] => archivePages.get(`${userId} ${chatRoomId}`) ?? []

  type Given = { contactId: string; password: string; lockSecret?: string }
  function set({ contactId, password, lockSecret: given }: Given, userId: string, deviceId: string) {
    const { listed } = entryOf(userId, contactId)
    const before = listed.chatPassword
    if (before && !isWithin(before.verifiedAt.get(deviceId), CHAT_LOCK.freshSeconds))
      throw new ApiError(409, 'has_chat_password', 'This chat has a password. Enter it to change it')
    const lockSecret = given ?? before?.lockSecret ?? randomBytes(32).toString('base64')
    listed.chatPassword = { verifier: password, lockSecret, wrong: 0, verifiedAt: new Map([[deviceId, Date.now()]]) }
    return { lockSecret }
  }

  function verify({ contactId, password }: { contactId: string; password: string }, userId: string, deviceId: string) {
    const lock = entryOf(userId, contactId).listed.chatPassword
    if (!lock) throw new ApiError(404, 'not_found', 'Not found')
    if (lock.wrong >= CHAT_LOCK.tries) throw new ApiError(429, 'too_many_requests', 'Too many tries')
    if (lock.verifier !== password) {
      lock.wrong += 1
      return { valid: false, lockSecret: null, triesLeft: CHAT_LOCK.tries - lock.wrong, waitSeconds: 0 }
    }
    lock.wrong = 0
    lock.verifiedAt.set(deviceId, Date.now())
    return { valid: true, lockSecret: lock.lockSecret, triesLeft: 0, waitSeconds: 0 }
  }

  function remove(userId: string, contactId: string, deviceId: string): object {
    const { listed } = entryOf(userId, contactId)
    if (!isWithin(listed.chatPassword?.verifiedAt.get(deviceId), CHAT_LOCK.freshSeconds))
      throw new ApiError(403, 'chat_password_required', 'Enter the chat password once more')
    delete listed.chatPassword
    return {}
  }

  function giveUp(userId: string, contactId: string) {
    const { listed, chatRoomId } = entryOf(userId, contactId)
    const room = roomIn(state, chatRoomId)
    delete listed.chatPassword
    archivePages.delete(`${userId} ${chatRoomId}`)
    const isRunning = ({ groupId, epoch }: { groupId: string; epoch: number }) => groupId === room.groupId && epoch === room.epoch
    room.archiveKeys = room.archiveKeys.filter((key) => key.userId !== userId || isRunning(key))
    listed.clearedSeq = room.log.length
    return { clearedSeq: listed.clearedSeq }
  }

  function listPages(userId: string, chatRoomId: string) {
    const pages = pagesOf(userId, chatRoomId)
    const newest = pages.filter(({ number }, at) => number !== pages[at - 1]?.number)
    return newest.map(({ sealed: _, writtenBy: __, ...head }) => {
      const before = pages.find(({ number, version }) => number === head.number && version !== head.version)
      return { ...head, before: before ? { version: before.version, historyKeyId: before.historyKeyId } : null }
    })
  }

  /** The caller's device; undefined where it has just verified, or the account has no other one. */
  function confirming(userId: string, chatRoomId: string, deviceId: string): string | undefined {
    const verifiedAt = entryIn(state, userId, chatRoomId)?.chatPassword?.verifiedAt.get(deviceId)
    return devicesListed(state, userId) === 1 || isWithin(verifiedAt, CHAT_LOCK.freshSeconds) ? undefined : deviceId
  }

  type NewPage = Omit<ArchivePage, 'writtenBy'> & { chatRoomId: string; epochs: { groupId: string; epoch: number }[] }
  function putPage({ chatRoomId, epochs, ...draft }: NewPage, userId: string, deviceId: string) {
    const pages = pagesOf(userId, chatRoomId)
    const stored = pages.find(({ number }) => number === draft.number)
    if (stored?.version === draft.version && stored.sealed === draft.sealed) return {}
    if (!lockSeenIn(state, userId, chatRoomId, deviceId).isPasswordProtected)
      throw new ApiError(400, 'invalid_input', 'Only a chat with a password has archive pages')
    if ((stored?.version ?? 0) !== draft.version - 1)
      throw new ApiError(409, 'stale_version', 'Another device changed this first')
    if (draft.historyKeyId !== null && (stored?.historyKeyId !== null || epochs.length > 0))
      throw new ApiError(400, 'invalid_input', 'A page under a history key follows one under the chat’s own seed')
    const device = confirming(userId, chatRoomId, deviceId)
    const isSpared = ({ number, writtenBy, historyKeyId }: ArchivePage) =>
      number === draft.number && writtenBy !== deviceId && (device !== undefined || historyKeyId === null)
    const other = devicesListed(state, userId) === 1 ? undefined : pages.find(isSpared)
    const kept = [...pages.filter(({ number }) => number !== draft.number), ...(other ? [other] : [])]
    const next = [...kept, { ...draft, writtenBy: deviceId }].sort((a, b) => a.number - b.number || b.version - a.version)
    archivePages.set(`${userId} ${chatRoomId}`, next)
    const room = roomIn(state, chatRoomId)
    const isNamed = (key: ArchiveKey) =>
      key.userId === userId && epochs.some(({ groupId, epoch }) => groupId === key.groupId && epoch === key.epoch)
    room.archiveKeys = room.archiveKeys.filter(
      (key) => !isNamed(key) || (device !== undefined && (key.pagedBy === undefined || key.pagedBy === device)),
    )
    for (const key of room.archiveKeys) if (isNamed(key) && device !== undefined) key.pagedBy = device
    return {}
  }

  function keysLeft(chatRoomId: string, userId: string, deviceId: string) {
    const device = confirming(userId, chatRoomId, deviceId)
    const isLeft = (key: { userId: string; pagedBy?: string }) =>
      key.userId === userId && (device === undefined || key.pagedBy !== device)
    const own = roomIn(state, chatRoomId).archiveKeys.filter(isLeft)
    return { keys: own.slice(0, LIMITS.archiveKeysLeftMax), more: own.length > LIMITS.archiveKeysLeftMax }
  }

  function pageOf({ chatRoomId, ...asked }: { chatRoomId: string; number: number; version?: number }, userId: string) {
    const isAsked = ({ number, version }: ArchivePage) =>
      number === asked.number && (asked.version === undefined || version === asked.version)
    const page = pagesOf(userId, chatRoomId).find(isAsked)
    if (!page) throw new ApiError(404, 'not_found', 'Not found')
    return page
  }

  return [
    [chatLocksApi.set, set],
    [chatLocksApi.verify, verify],
    [chatLocksApi.remove, ({ contactId }: { contactId: string }, userId, deviceId) => remove(userId, contactId, deviceId)],
    [
      chatLocksApi.lock,
      ({ contactId }: { contactId: string }, userId, deviceId) => {
        entryOf(userId, contactId).listed.chatPassword?.verifiedAt.delete(deviceId)
        return {}
      },
    ],
    [chatLocksApi.giveUp, ({ contactId }: { contactId: string }, userId) => giveUp(userId, contactId)],
    [archiveApi.pages, ({ chatRoomId }: { chatRoomId: string }, userId) => ({ pages: listPages(userId, chatRoomId) })],
    [archiveApi.page, pageOf],
    [archiveApi.putPage, putPage],
    [archiveApi.keysLeft, ({ chatRoomId }: { chatRoomId: string }, userId, deviceId) => keysLeft(chatRoomId, userId, deviceId)],
  ]
}
