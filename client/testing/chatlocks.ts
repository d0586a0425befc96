import { randomBytes } from 'node:crypto'
import { archiveApi } from '../../contract/chat/archive.ts'
import { chatLocksApi } from '../../contract/chat/chatlocks.ts'
import { CHAT_LOCK } from '../../contract/chat/locklimits.ts'
import { messagesApi } from '../../contract/chat/messages.ts'
import { roomsApi } from '../../contract/chat/rooms.ts'
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
  const pagesOf = (userId: string, chatRoomId: string): Map<number, ArchivePage> => {
    const key = `${userId} ${chatRoomId}`
    const pages = archivePages.get(key) ?? new Map<number, ArchivePage>()
    archivePages.set(key, pages)
    return pages
  }

  function set({ contactId, password }: { contactId: string; password: string }, userId: string, deviceId: string) {
    const { listed } = entryOf(userId, contactId)
    const before = listed.chatPassword
    if (before && !isWithin(before.verifiedAt.get(deviceId), CHAT_LOCK.freshSeconds))
      throw new ApiError(409, 'has_chat_password', 'This chat has a password. Enter it to change it')
    const lockSecret = before?.lockSecret ?? randomBytes(32).toString('base64')
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

  function putPage(page: ArchivePage & { chatRoomId: string; epochs: { groupId: string; epoch: number }[] }, userId: string) {
    const { chatRoomId, number, version, historyKeyId, sealed, epochs } = page
    const pages = pagesOf(userId, chatRoomId)
    if ((pages.get(number)?.version ?? 0) !== version - 1)
      throw new ApiError(409, 'stale_version', 'Another device changed this first')
    pages.set(number, { number, version, historyKeyId, sealed })
    const room = roomIn(state, chatRoomId)
    const isPaged = (key: { groupId: string; epoch: number }) =>
      epochs.some(({ groupId, epoch }) => groupId === key.groupId && epoch === key.epoch)
    room.archiveKeys = room.archiveKeys.filter((key) => key.userId !== userId || !isPaged(key))
    return {}
  }

  function keysLeft(chatRoomId: string, userId: string) {
    const own = roomIn(state, chatRoomId).archiveKeys.filter((key) => key.userId === userId)
    return { keys: own.slice(0, LIMITS.archiveKeysLeftMax), more: own.length > LIMITS.archiveKeysLeftMax }
  }

  function pageOf({ chatRoomId, number }: { chatRoomId: string; number: number }, userId: string): ArchivePage {
    const page = pagesOf(userId, chatRoomId).get(number)
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
    [
      archiveApi.pages,
      ({ chatRoomId }: { chatRoomId: string }, userId) => ({
        pages: [...pagesOf(userId, chatRoomId).values()].map(({ number, version, historyKeyId }) => ({
          number,
          version,
          historyKeyId,
        })),
      }),
    ],
    [archiveApi.page, pageOf],
    [archiveApi.putPage, putPage],
    [archiveApi.keysLeft, ({ chatRoomId }: { chatRoomId: string }, userId) => keysLeft(chatRoomId, userId)],
  ]
}
