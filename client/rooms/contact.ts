import { fromBase64 } from '../../contract/bytes.ts'
import type { Contact } from '../../contract/contacts.ts'
import { onionAddress } from '../../contract/onion.ts'
import type { Person } from '../trust/people.ts'
import type { RoomRow } from './list.ts'

/** Reads a row of the contact list as a direct room and its other person. No other code reads contacts. */
export function roomOfContact(contact: Contact): { room: RoomRow; person: Person } {
  const { userId: ownId, contactUserId: id, contactUser, state, lastSeq, readSeq } = contact
  const { identityKey, manifestVersion, isDeleted } = contactUser
  const username = contactUser.username.toLowerCase()
  const room: RoomRow = {
    id: contact.chatRoomId,
    type: 'direct',
    ownId,
    memberIds: [ownId, id].sort(),
    peers: [{ id, username, identityKey, manifestVersion, isDeleted }],
    state,
    isClosed: isDeleted,
    lastSeq,
    marks: {
      [ownId]: { deliveredSeq: readSeq, readSeq },
      [id]: { deliveredSeq: contact.theirDeliveredSeq, readSeq: contact.theirReadSeq },
    },
    contactId: contact.id,
    addedAt: contact.addedAt,
    lastMessage: contact.lastMessage,
    unreadCount: contact.unreadCount,
    hasUnreadNotifications: contact.hasUnreadNotifications,
    preview: null,
    asksRestart: false,
    forks: [],
    isTyping: false,
  }
  const { displayName, isOnline, lastSeen } = contactUser
  const person: Person = {
    id,
    username,
    listedUsername: username,
    displayName,
    alias: contact.displayName,
    isDeleted,
    isOnline,
    lastSeen,
    identityKey,
    onionAddress: identityKey && onionAddress(fromBase64(identityKey)),
    mismatch: null,
    isByAddress: false,
    choices: null,
    isVerified: false,
  }
  return { room, person }
}
