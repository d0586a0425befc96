import { fromBase64 } from '../../contract/bytes.ts'
import type { Contact } from '../../contract/contacts.ts'
import { onionAddress } from '../../contract/onion.ts'
import type { ListedRoom } from '../../contract/roomlist.ts'
import { membersOfDirectRoom } from '../../contract/shapes.ts'
import type { Person } from '../trust/people.ts'
import type { RoomRow } from './list.ts'

/** The row of the list that an added or accepted contact becomes. */
export function rowOfContact(contact: Contact): ListedRoom {
  const { id: contactId, contactUserId: id, contactUser, displayName: alias, lastMessage } = contact
  const { chatRoomId, state, addedAt, lastSeq, unreadCount, readSeq, theirDeliveredSeq, theirReadSeq } = contact
  const { username, displayName, isDeleted, isOnline, lastSeen, identityKey, manifestVersion } = contactUser
  return {
    ...{ chatRoomId, contactId, state, addedAt, lastSeq, unreadCount, readSeq, theirDeliveredSeq, theirReadSeq },
    person: { id, username, displayName, alias, isDeleted, isOnline, lastSeen, identityKey, manifestVersion },
    lastMessage,
  }
}

/** Reads a row of the server's list as a direct room and its other person. No other code reads these rows. */
export function roomOfRow(row: ListedRoom): { room: RoomRow; person: Person } {
  const { state, lastSeq, readSeq, person: listed } = row
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
    isClosed: isDeleted,
    lastSeq,
    marks: {
      [ownId]: { deliveredSeq: readSeq, readSeq },
      [id]: { deliveredSeq: row.theirDeliveredSeq, readSeq: row.theirReadSeq },
    },
    contactId: row.contactId,
    addedAt: row.addedAt,
    lastMessage: row.lastMessage,
    unreadCount: row.unreadCount,
    hasUnreadNotifications: row.unreadCount > 0,
    preview: null,
    asksRestart: false,
    forks: [],
    isTyping: false,
  }
  const person: Person = {
    id,
    username,
    listedUsername: username,
    displayName,
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
  }
  return { room, person }
}

/** Reads an added or accepted contact in the same way. */
export const roomOfContact = (contact: Contact) => roomOfRow(rowOfContact(contact))
