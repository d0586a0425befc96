import type { Contact } from '../../../contract/chat/contacts.ts'
import type { ListedRoom } from '../../../contract/chat/roomlist.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { membersOfDirectRoom } from '../../../contract/ground/shapes.ts'
import { onionAddress } from '../../../contract/people/onion.ts'
import type { Person } from '../trust/people.ts'
import { markOf } from './room.ts'
import { newestAt, type RoomRow } from './roomList.ts'

/** The row of the list that an added or accepted contact becomes. */
export function rowOfContact(contact: Contact): ListedRoom {
  const { id: contactId, contactUserId: id, contactUser, displayName: alias, lastMessage } = contact
  const { chatRoomId, state, addedAt, isBlocked, hasAnswered, lastSeq, unreadCount, mutedUntil, readSeq, clearedSeq } = contact
  const { theirDeliveredSeq, theirReadSeq, isPasswordProtected, isLocked } = contact
  const { username, displayName, profileImageUrl, isDeleted, isOnline, lastSeen, identityKey, manifestVersion } = contactUser
  return {
    ...{ chatRoomId, contactId, state, addedAt, isBlocked, hasAnswered, lastSeq, unreadCount, mutedUntil, readSeq, clearedSeq },
    ...{ theirDeliveredSeq, theirReadSeq, isPasswordProtected, isLocked },
    person: {
      ...{ id, username, displayName, profileImageUrl, alias, isDeleted, isOnline, lastSeen, identityKey, manifestVersion },
    },
    lastMessage: isLocked ? null : lastMessage,
    lastMessageAt: isLocked ? (lastMessage?.createdAt ?? null) : null,
  }
}

/** Reads a row of the server's list as a direct room and its other person. No other code reads these rows. */
export function roomOfRow(row: ListedRoom): { room: RoomRow; person: Person } {
  const { state, hasAnswered, lastSeq, readSeq, person: listed } = row
  const { id, identityKey, manifestVersion, isDeleted, displayName, alias, isOnline, lastSeen } = listed
  const username = listed.username.toLowerCase()
  const ownId = membersOfDirectRoom(row.chatRoomId).find((member) => member !== id) ?? ''
  const room: RoomRow = {
    id: row.chatRoomId,
    type: 'direct',
    ownId,
    memberIds: [ownId, id].sort(),
    peers: [{ id, username, identityKey, manifestVersion, isDeleted }],
    state,
    hasAnswered,
    isClosed: isDeleted,
    lastSeq,
    marks: {
      [ownId]: { deliveredSeq: readSeq, readSeq },
      [id]: { deliveredSeq: row.theirDeliveredSeq, readSeq: row.theirReadSeq },
    },
    contactId: row.contactId,
    addedAt: row.addedAt,
    isBlocked: row.isBlocked,
    clearedSeq: row.clearedSeq,
    lastMessage: row.lastMessage,
    lastMessageAt: row.lastMessageAt,
    unreadCount: row.unreadCount,
    mutedUntil: row.mutedUntil,
    preview: null,
    asksRestart: false,
    forks: [],
    isPasswordProtected: row.isPasswordProtected,
    lock: row.isLocked ? 'shut' : row.isPasswordProtected ? 'open' : 'none',
    hasPages: row.isPasswordProtected,
    isTyping: false,
  }
  const person: Person = {
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
    onionAddress: identityKey && onionAddress(fromBase64(identityKey)),
    mismatch: null,
    isByAddress: false,
    choices: null,
    isVerified: false,
    comparedAt: null,
    isByCode: false,
  }
  return { room, person }
}

/** The row of the list that a direct room and its other person came from, as they are now. Nobody is online in it. */
export function rowOfRoom(
  room: RoomRow,
  { id, listedUsername, displayName, photo, isDeleted, lastSeen, identityKey }: Person,
): ListedRoom {
  const { id: chatRoomId, contactId, state, addedAt, isBlocked, hasAnswered, lastSeq, clearedSeq } = room
  const { unreadCount, mutedUntil, peers, isPasswordProtected } = room
  // A chat with a password is kept as it is while locked: without the server nothing opens it.
  const isLocked = isPasswordProtected || room.lock !== 'none'
  const lastMessage = isLocked ? null : room.lastMessage
  const theirs = markOf(room, id)
  return {
    ...{ chatRoomId, contactId, state, addedAt, isBlocked, hasAnswered, lastSeq, clearedSeq, unreadCount, mutedUntil },
    ...{ isPasswordProtected: isLocked, isLocked },
    lastMessageAt: (isLocked && newestAt(room)) || null,
    readSeq: markOf(room, room.ownId).readSeq,
    theirDeliveredSeq: theirs.deliveredSeq,
    theirReadSeq: theirs.readSeq,
    // A message from a frame has more fields than the row needs.
    lastMessage: lastMessage && {
      id: lastMessage.id,
      seq: lastMessage.seq,
      senderId: lastMessage.senderId,
      createdAt: lastMessage.createdAt,
    },
    person: {
      ...{ id, username: listedUsername, displayName, profileImageUrl: photo },
      ...{ alias: null, isDeleted, isOnline: false, lastSeen, identityKey },
      manifestVersion: peers[0]?.manifestVersion ?? 0,
    },
  }
}

/** Reads an added or accepted contact in the same way. */
export const roomOfContact = (contact: Contact) => roomOfRow(rowOfContact(contact))
