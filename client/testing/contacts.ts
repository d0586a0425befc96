import { randomUUID } from 'node:crypto'
import { type Blocked, type Contact, contactsApi } from '../../contract/chat/contacts.ts'
import { notificationsApi } from '../../contract/chat/notifications.ts'
import { roomsApi } from '../../contract/chat/rooms.ts'
import { directRoomId } from '../../contract/ground/shapes.ts'
import { ApiError } from '../net/api.ts'
import { headOf } from './accounts.ts'
import { lockSeenIn } from './chatlocks.ts'
import { roomList } from './roomlist.ts'
import { isWithheldFrom, type Listed, marksOf, roomIn, type ServerState, type Verb } from './state.ts'

const newListed = (state: Listed['state']): Listed => ({ id: randomUUID(), state, addedAt: new Date().toISOString() })

/** Returns an account's contact entry for another account; undefined if neither has sent a request. */
function listedIn({ contacts, areStrangers }: ServerState, userId: string, otherId: string): Listed | undefined {
  const key = `${userId} ${otherId}`
  const known = contacts.get(key)
  if (known || areStrangers) return known
  const listed = newListed('accepted')
  contacts.set(key, listed)
  return listed
}

/** Puts the other account on an account's list, and a request on the other's. */
export function addIn(state: ServerState, userId: string, otherId: string): void {
  const mine = listedIn(state, userId, otherId)
  state.contacts.set(`${userId} ${otherId}`, { ...(mine ?? newListed('accepted')), state: 'accepted' })
  if (!listedIn(state, otherId, userId)) state.contacts.set(`${otherId} ${userId}`, newListed('pending'))
}

/** Returns a row of the contact list. */
export function contactRow(state: ServerState, userId: string, otherId: string, deviceId?: string): Contact {
  const listed = listedIn(state, userId, otherId)
  if (!listed) throw notFound()
  const { accounts, deleted, contacts, areStrangers } = state
  const account = accounts.get(otherId)
  const manifest = account && headOf(account.keys.manifest)
  const chatRoomId = directRoomId(userId, otherId)
  const { log } = roomIn(state, chatRoomId)
  const { readSeq } = marksOf(state, chatRoomId, userId)
  const theirs = marksOf(state, chatRoomId, otherId)
  const messages = log.filter((entry) => entry.kind === 'message').filter((entry) => !isWithheldFrom(state, userId, entry))
  const newest = messages.at(-1)
  const unreadCount = messages.filter(({ seq, senderId }) => seq > readSeq && senderId !== userId).length
  return {
    id: listed.id,
    userId,
    contactUserId: otherId,
    displayName: null,
    isBlocked: listed.isBlocked === true,
    ...lockSeenIn(state, userId, chatRoomId, deviceId),
    addedAt: listed.addedAt,
    state: listed.state === 'accepted' ? 'accepted' : 'pending',
    contactUser: {
      displayName: 'The other side',
      username: account?.username ?? 'other',
      profileImageUrl: null,
      isDeleted: deleted.has(otherId),
      isOnline: false,
      lastSeen: null,
      onionAddress: null,
      identityKey: manifest?.identityKey ?? null,
      manifestVersion: manifest?.version ?? 0,
    },
    lastMessage: newest ?? null,
    unreadCount,
    hasUnreadNotifications: listed.state === 'accepted' && unreadCount > 0,
    mutedUntil: null,
    chatRoomId,
    hasAnswered:
      (contacts.get(`${otherId} ${userId}`)?.state ?? (areStrangers ? 'pending' : 'accepted')) === 'accepted' ||
      theirs.deliveredSeq > 0,
    lastSeq: log.length,
    readSeq,
    clearedSeq: listed.clearedSeq ?? 0,
    theirDeliveredSeq: theirs.deliveredSeq,
    theirReadSeq: theirs.readSeq,
  }
}

const notFound = () => new ApiError(404, 'not_found', 'Not found')

/** The endpoints of contacts, according to the contract. */
export function contactVerbs(state: ServerState): Verb[] {
  const { accounts, contacts } = state

  function list(userId: string, deviceId?: string): Contact[] {
    const others = [...accounts.keys()].filter(
      (id) => id !== userId && (listedIn(state, userId, id)?.state ?? 'declined') !== 'declined',
    )
    return others.map((id) => contactRow(state, userId, id, deviceId))
  }

  function add(userId: string, username: string | undefined): Contact {
    const [otherId] = [...accounts].find(([, account]) => account.username === username) ?? []
    if (!otherId) throw new ApiError(404, 'user_not_found', 'User not found')
    if (listedIn(state, userId, otherId)?.state === 'accepted')
      throw new ApiError(409, 'already_contact', 'Contact already exists')
    addIn(state, userId, otherId)
    return contactRow(state, userId, otherId)
  }

  function answer(userId: string, contactId: string, moved: Listed['state']): string {
    for (const [key, listed] of contacts) {
      const [ownId, otherId] = key.split(' ')
      if (ownId !== userId || listed.id !== contactId || !otherId) continue
      listed.state = moved
      return otherId
    }
    throw notFound()
  }

  /** The caller's entry of this id, and the room with that person. */
  function ownEntry(userId: string, contactId: string) {
    for (const [key, listed] of contacts) {
      const [ownId, otherId = ''] = key.split(' ')
      if (ownId === userId && listed.id === contactId)
        return { listed, otherId, room: roomIn(state, directRoomId(userId, otherId)) }
    }
    throw notFound()
  }

  function block(userId: string, contactId: string, isBlocked: boolean): object {
    const { listed, room } = ownEntry(userId, contactId)
    if (isBlocked === (listed.isBlocked === true)) return {}
    listed.isBlocked = isBlocked
    if (isBlocked && listed.state === 'pending') listed.state = 'declined'
    const withheld = listed.withheld ?? []
    if (isBlocked) withheld.push([room.log.length + 1, Number.POSITIVE_INFINITY])
    else withheld.splice(-1, 1, [withheld.at(-1)?.[0] ?? 1, room.log.length])
    listed.withheld = withheld
    return {}
  }

  const blockedBy = (userId: string): Blocked[] =>
    [...contacts].flatMap(([key, { id: contactId, isBlocked, state: standing }]) => {
      const [ownId, otherId = ''] = key.split(' ')
      if (ownId !== userId || !isBlocked) return []
      return [{ contactId, userId: otherId, username: accounts.get(otherId)?.username ?? '', isListed: standing === 'accepted' }]
    })

  function clear(userId: string, contactId: string, upTo = Number.POSITIVE_INFINITY): object {
    const { listed, room } = ownEntry(userId, contactId)
    listed.clearedSeq = Math.max(listed.clearedSeq ?? 0, Math.min(upTo, room.log.length))
    return { clearedSeq: listed.clearedSeq }
  }

  const unread = (userId: string): number =>
    list(userId).reduce((sum, { state, unreadCount }) => sum + (state === 'accepted' ? unreadCount : 0), 0)

  return [
    [contactsApi.list, (_, userId, deviceId) => list(userId, deviceId)],
    [roomsApi.list, roomList(list)],
    [contactsApi.add, ({ username }: { username?: string }, userId) => add(userId, username)],
    [
      contactsApi.accept,
      ({ contactId }: { contactId: string }, userId) => contactRow(state, userId, answer(userId, contactId, 'accepted')),
    ],
    [
      contactsApi.decline,
      ({ contactId }: { contactId: string }, userId) => {
        answer(userId, contactId, 'declined')
        return {}
      },
    ],
    [
      contactsApi.restore,
      ({ contactId }: { contactId: string }, userId) => contactRow(state, userId, answer(userId, contactId, 'pending')),
    ],
    [contactsApi.block, ({ contactId }: { contactId: string }, userId) => block(userId, contactId, true)],
    [contactsApi.blocked, (_, userId) => blockedBy(userId)],
    [contactsApi.unblock, ({ contactId }: { contactId: string }, userId) => block(userId, contactId, false)],
    [
      contactsApi.clearChat,
      ({ contactId, upTo }: { contactId: string; upTo?: number }, userId) => clear(userId, contactId, upTo),
    ],
    [notificationsApi.unreadCount, (_, userId) => ({ count: unread(userId) })],
  ]
}
