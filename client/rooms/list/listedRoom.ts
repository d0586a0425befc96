import type { Contact } from '../../../contract/chat/contacts.ts'
import type { ListedPerson, ListedRoom } from '../../../contract/chat/roomlist.ts'
import type { PeerKeys } from '../trust/peers.ts'
import type { Person } from '../trust/people.ts'
import { markOf } from './room.ts'
import { newestAt, type RoomRow } from './roomList.ts'

export function rowOfContact(contact: Contact): ListedRoom {
  const { id: contactId, contactUserId: id, contactUser, displayName: alias, lastMessage } = contact
  const { chatRoomId, state, addedAt, isBlocked, hasAnswered, lastSeq, unreadCount, mutedUntil, readSeq, clearedSeq } = contact
  const { theirDeliveredSeq, theirReadSeq, isPasswordProtected, isLocked } = contact
  const { username, displayName, profileImageUrl, isDeleted, isOnline, lastSeen, identityKey, manifestVersion } = contactUser
  const person = {
    ...{ id, username, displayName, profileImageUrl, alias, isDeleted, isOnline, lastSeen, identityKey, manifestVersion },
    ...{ deliveredSeq: theirDeliveredSeq, readSeq: theirReadSeq },
  }
  return {
    ...{ chatRoomId, addedAt, people: [person], direct: { contactId, state, isBlocked, hasAnswered } },
    ...{ lastSeq, unreadCount, mutedUntil, readSeq, clearedSeq, isPasswordProtected, isLocked },
    lastMessage: isLocked ? null : lastMessage,
    lastMessageAt: isLocked ? (lastMessage?.createdAt ?? null) : null,
  }
}

export interface RoomOfRow {
  room: RoomRow
  people: Person[]
}

/** Reads a row of the server's list; no other code reads these rows. */
export function roomOfRow(ownId: string, row: ListedRoom): RoomOfRow {
  const { lastSeq, readSeq, people, direct } = row
  const room: RoomRow = {
    id: row.chatRoomId,
    ownId,
    memberIds: [ownId, ...people.map(({ id }) => id)].sort(),
    peers: people.map(peerOf),
    direct,
    isClosed: direct !== null && people.every(({ isDeleted }) => isDeleted),
    lastSeq,
    marks: Object.fromEntries([
      [ownId, { deliveredSeq: readSeq, readSeq }],
      ...people.map(({ id, deliveredSeq, readSeq }) => [id, { deliveredSeq, readSeq }] as const),
    ]),
    addedAt: row.addedAt,
    clearedSeq: row.clearedSeq,
    lastMessage: row.lastMessage,
    lastMessageAt: row.lastMessageAt,
    unreadCount: row.unreadCount,
    mutedUntil: row.mutedUntil,
    readAt: row.readAt,
    preview: null,
    asksRestart: false,
    forks: [],
    isPasswordProtected: row.isPasswordProtected,
    lock: row.isLocked ? 'shut' : row.isPasswordProtected ? 'open' : 'none',
    hasPages: row.isPasswordProtected,
    isTyping: false,
  }
  return { room, people: people.map(personOf) }
}

function peerOf({ id, username, identityKey, manifestVersion, isDeleted }: ListedPerson): PeerKeys {
  return { id, username: username.toLowerCase(), identityKey, manifestVersion, isDeleted }
}

function personOf(listed: ListedPerson): Person {
  const { id, identityKey, isDeleted, displayName, alias, isOnline, lastSeen } = listed
  const username = listed.username.toLowerCase()
  return {
    id,
    username,
    listedUsername: username,
    displayName,
    photo: listed.profileImageUrl,
    alias,
    isDeleted,
    isOnline,
    lastSeen,
    identityKey,
    mismatch: null,
    isByAddress: false,
    choices: null,
    isVerified: false,
    comparedAt: null,
    isByCode: false,
  }
}

export function rowOfRoom(room: RoomRow, people: Person[]): ListedRoom {
  const { id: chatRoomId, direct, addedAt, lastSeq, clearedSeq, unreadCount, mutedUntil, isPasswordProtected } = room
  // A kept chat with a password is locked, since nothing opens the chat without the server.
  const isLocked = isPasswordProtected || room.lock !== 'none'
  const lastMessage = isLocked ? null : room.lastMessage
  return {
    ...{ chatRoomId, addedAt, people: people.map((person) => listedIn(room, person)), direct },
    ...{ lastSeq, clearedSeq, unreadCount, mutedUntil, isPasswordProtected: isLocked, isLocked },
    lastMessageAt: (isLocked && newestAt(room)) || null,
    readSeq: markOf(room, room.ownId).readSeq,
    readAt: room.readAt,
    lastMessage: lastMessage && {
      id: lastMessage.id,
      seq: lastMessage.seq,
      senderId: lastMessage.senderId,
      createdAt: lastMessage.createdAt,
    },
  }
}

function listedIn(
  room: RoomRow,
  { id, listedUsername, displayName, photo, isDeleted, lastSeen, identityKey }: Person,
): ListedPerson {
  return {
    ...{ id, username: listedUsername, displayName, profileImageUrl: photo },
    ...{ alias: null, isDeleted, isOnline: false, lastSeen, identityKey },
    manifestVersion: room.peers.find((peer) => peer.id === id)?.manifestVersion ?? 0,
    ...markOf(room, id),
  }
}

export const roomOfContact = (contact: Contact): RoomOfRow => roomOfRow(contact.userId, rowOfContact(contact))
