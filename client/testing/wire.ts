import { randomUUID } from 'node:crypto'
import { fromBase64, toBase64 } from '../../contract/bytes.ts'
import type { Contact } from '../../contract/contacts.ts'
import { type AccountKeys, devicesApi, manifestShape, type SealedBook } from '../../contract/devices.ts'
import type { Endpoint } from '../../contract/endpoint.ts'
import { parseEnvelope } from '../../contract/envelope.ts'
import { type Draft, type Message, messagesApi } from '../../contract/messages.ts'
import { type ArchiveKey, type CommitDraft, type LogEntry, type RoomGroup, roomsApi } from '../../contract/rooms.ts'
import { directRoomId, membersOfRoom } from '../../contract/shapes.ts'
import { type Api, ApiError } from '../net/api.ts'

interface Account {
  keys: AccountKeys
  book: SealedBook
  packages: { deviceId: string; keyPackage: string; isLastResort: boolean }[]
}

interface Room {
  log: LogEntry[]
  generation: number
  groupId: string | null
  epoch: number
  groupInfo: string | null
  welcome: RoomGroup['welcome']
  archiveKeys: ArchiveKey[]
}

/**
 * A server in memory that keeps to the contract, for tests of the client: only the wire is replaced. It is as
 * hostile as a test wants: `answers` sees every answer before the client does and may return another.
 */
export function createWire() {
  const accounts = new Map<string, Account>()
  const rooms = new Map<string, Room>()
  const claims = new Map<string, string>()
  const wire = {
    accounts,
    rooms,
    /** Changes an answer: a server that lies. */
    lie: undefined as ((caller: string, path: string, answer: unknown) => unknown) | undefined,
    /** Called after a call took effect and before it is answered; throw to lose the answer. */
    afterEffect: undefined as ((caller: string, path: string) => void) | undefined,

    register(userId: string, keys: AccountKeys) {
      const { oneTime, lastResort } = keys.keyPackages
      const packages = [...oneTime.map((keyPackage) => ({ deviceId: keys.deviceId, keyPackage, isLastResort: false }))]
      if (lastResort) packages.push({ deviceId: keys.deviceId, keyPackage: lastResort, isLastResort: true })
      const known = accounts.get(userId)
      accounts.set(userId, {
        keys,
        book: known?.book ?? { version: 0, historyKeyId: 0, sealed: null },
        packages: [...(known?.packages ?? []), ...packages],
      })
    },

    /** The row of a contact list. */
    contact(userId: string, contactUserId: string): Contact {
      const chatRoomId = directRoomId(userId, contactUserId)
      const account = accounts.get(contactUserId)
      const manifest = account && manifestShape.parse(JSON.parse(account.keys.manifest.content))
      return {
        id: randomUUID(),
        userId,
        contactUserId,
        displayName: null,
        isBlocked: false,
        isPasswordProtected: false,
        addedAt: new Date().toISOString(),
        state: 'accepted',
        contactUser: {
          displayName: 'The other side',
          username: 'other',
          profileImageUrl: null,
          isDeleted: false,
          isOnline: false,
          lastSeen: null,
          onionAddress: null,
          identityKey: manifest?.identityKey ?? null,
          manifestVersion: manifest?.version ?? 0,
        },
        lastMessage: null,
        unreadCount: 0,
        hasUnreadNotifications: false,
        chatRoomId,
        lastSeq: roomOf(chatRoomId).log.length,
        readSeq: 0,
        theirDeliveredSeq: 0,
        theirReadSeq: 0,
      }
    },

    /** The api of one device of an account. */
    api(userId: string, deviceId: () => string): Api {
      const api = async (endpoint: Endpoint, given: unknown) => {
        const input = endpoint.input.parse(given)
        const answer = structuredClone(serve(endpoint, input as never, userId, deviceId()))
        wire.afterEffect?.(userId, endpoint.path)
        return endpoint.output.parse(wire.lie?.(userId, endpoint.path, answer) ?? answer)
      }
      return api as Api
    },
  }

  function roomOf(chatRoomId: string): Room {
    const room = rooms.get(chatRoomId)
    if (room) return room
    const fresh: Room = { log: [], generation: 0, groupId: null, epoch: 0, groupInfo: null, welcome: null, archiveKeys: [] }
    rooms.set(chatRoomId, fresh)
    return fresh
  }

  function serve(endpoint: Endpoint, input: never, userId: string, deviceId: string): unknown {
    const verb = verbs.get(endpoint)
    if (!verb) throw new Error(`The wire does not serve ${endpoint.path}`)
    return verb(input, userId, deviceId)
  }

  const own = (userId: string): Account => {
    const account = accounts.get(userId)
    if (!account) throw new ApiError(404, 'not_found', 'Not found')
    return account
  }

  const verbs = new Map<Endpoint, (input: never, userId: string, deviceId: string) => unknown>([
    [devicesApi.keys, (_, userId) => ({ keyring: own(userId).keys.keyring, manifest: own(userId).keys.manifest, historySeals: [] })],
    [devicesApi.manifest, (input: { userId: string }) => manifestAnswer(input.userId)],
    [devicesApi.book, (_, userId) => own(userId).book],
    [devicesApi.saveBook, (book: SealedBook, userId) => saveBook(own(userId), book)],
    [
      roomsApi.group,
      ({ chatRoomId }: { chatRoomId: string }) => ({
        chatRoomId,
        lastSeq: roomOf(chatRoomId).log.length,
        ...groupOf(roomOf(chatRoomId)),
      }),
    ],
    [roomsApi.log, (input: { chatRoomId: string; after: number; limit: number }) => page(input)],
    [roomsApi.commit, (draft: CommitDraft, userId) => commit(draft, userId)],
    [
      roomsApi.claimKeyPackages,
      (input: { chatRoomId: string; generation: number }, userId, deviceId) => claim(input, userId, deviceId),
    ],
    [roomsApi.archiveKeys, (input: { chatRoomId: string; groupId: string; epochs: string }, userId) => archived(input, userId)],
    [roomsApi.addArchiveKeys, (input: { chatRoomId: string; keys: ArchiveKey[] }) => keepKeys(input.chatRoomId, input.keys)],
    [roomsApi.replaceGroupInfo, (input: { chatRoomId: string; groupInfo: string }) => replaceGroupInfo(input)],
    [messagesApi.send, (draft: Draft, userId) => send(draft, userId)],
    [messagesApi.list, (input: { chatRoomId: string; before?: number; limit: number }) => list(input)],
  ])

  function manifestAnswer(userId: string) {
    const account = accounts.get(userId)
    if (!account) return { userId, identityKey: null, manifest: null, version: 0 }
    const { identityKey, version } = manifestShape.parse(JSON.parse(account.keys.manifest.content))
    return { userId, identityKey, manifest: account.keys.manifest, version }
  }

  function saveBook(account: Account, book: SealedBook) {
    if (book.version !== account.book.version + 1) throw new ApiError(409, 'stale_version', 'Another device changed this first')
    account.book = book
    return { version: book.version }
  }

  const groupOf = ({ generation, groupId, epoch, groupInfo, welcome }: Room) => ({
    generation,
    groupId,
    epoch,
    groupInfo,
    welcome,
  })

  function page({ chatRoomId, after, limit }: { chatRoomId: string; after: number; limit: number }) {
    const { log } = roomOf(chatRoomId)
    return { entries: log.slice(after, after + limit), lastSeq: log.length }
  }

  function commit(draft: CommitDraft, senderId: string) {
    const room = roomOf(draft.chatRoomId)
    const isCreation = draft.generation === room.generation + 1 && draft.epoch === 0
    const isNext = draft.generation === room.generation && draft.groupId === room.groupId && draft.epoch === room.epoch
    if (!isCreation && !isNext) {
      const log = page({ chatRoomId: draft.chatRoomId, after: draft.afterSeq, limit: 200 })
      throw new ApiError(409, 'stale_epoch', 'The room has moved on', { details: { log } })
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
    if (isCreation) room.welcome = null
    if (draft.welcome) room.welcome = { seq, epoch: epoch + 1, welcome: draft.welcome }
    keepKeys(chatRoomId, draft.archiveKeys)
    return { seq }
  }

  function keepKeys(chatRoomId: string, keys: ArchiveKey[]): object {
    const kept = roomOf(chatRoomId)
    for (const key of keys) {
      kept.archiveKeys = kept.archiveKeys.filter(
        (one) => one.userId !== key.userId || one.groupId !== key.groupId || one.epoch !== key.epoch,
      )
      kept.archiveKeys.push(key)
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

  function claim({ chatRoomId, generation }: { chatRoomId: string; generation: number }, userId: string, deviceId: string) {
    const packages = membersOfRoom(chatRoomId).flatMap((member) => {
      const account = accounts.get(member)
      const devices = new Set(account?.packages.map((one) => one.deviceId))
      devices.delete(deviceId)
      return [...devices].map((id) => {
        const name = [chatRoomId, generation, userId, id].join()
        const free = account?.packages.find(
          (one) => one.deviceId === id && !one.isLastResort && ![...claims.values()].includes(one.keyPackage),
        )
        const keyPackage =
          claims.get(name) ?? free?.keyPackage ?? account?.packages.find((one) => one.deviceId === id)?.keyPackage ?? ''
        claims.set(name, keyPackage)
        return { userId: member, deviceId: id, keyPackage }
      })
    })
    return { packages }
  }

  function send(draft: Draft, senderId: string): Message {
    const room = roomOf(draft.chatRoomId)
    const id = draft.id ?? randomUUID()
    const known = room.log.find((entry) => entry.kind === 'message' && entry.id === id && entry.senderId === senderId)
    if (known?.kind === 'message') return known
    const envelope = parseEnvelope(draft.content)
    if (envelope && (envelope.groupId !== room.groupId || envelope.epoch !== room.epoch))
      throw new ApiError(409, 'stale_epoch', 'The room has moved on')
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
      isEncrypted: envelope !== undefined,
      deliveryStatus: 'sent',
      replyToId: null,
      createdAt: new Date().toISOString(),
    }
    room.log.push({ kind: 'message', ...message })
    return message
  }

  function list({
    chatRoomId,
    before = Number.POSITIVE_INFINITY,
    limit,
  }: {
    chatRoomId: string
    before?: number
    limit: number
  }) {
    const messages = roomOf(chatRoomId).log.filter((entry) => entry.kind === 'message' && entry.seq < before)
    return messages.slice(-limit)
  }

  return wire
}

export type Wire = ReturnType<typeof createWire>

/** Base64 with one bit of the middle byte turned. */
export function bitFlipped(text: string): string {
  const bytes = fromBase64(text)
  const middle = Math.floor(bytes.length / 2)
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  return toBase64(bytes)
}
