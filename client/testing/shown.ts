import type { RoomRow } from '../rooms/list/roomList.ts'
import type { Person } from '../rooms/trust/people.ts'

// A chat of Alice with Bob, for tests of components.

export const [ALICE_ID, BOB_ID, ROOM_ID] = [
  '11111111-1111-4111-8111-111111111111',
  '22222222-2222-4222-8222-222222222222',
  'room',
] as const

/** 32 bytes. */
const KEY = `${'A'.repeat(43)}=`

export const shownBob = {
  ...{ id: BOB_ID, username: 'bob', listedUsername: 'bob', displayName: 'Bob Baker', photo: null, alias: null, isDeleted: false },
  ...{ isOnline: true, lastSeen: null, identityKey: KEY, isByAddress: false, choices: null },
  ...{ mismatch: null, isVerified: true, comparedAt: null, isByCode: false },
} satisfies Person

export const shownRoom = {
  ...{ id: ROOM_ID, ownId: ALICE_ID, memberIds: [ALICE_ID, BOB_ID], isClosed: false, lastSeq: 1, clearedSeq: 0, marks: {} },
  peers: [{ id: BOB_ID, username: 'bob', identityKey: KEY, manifestVersion: 1, isDeleted: false }],
  direct: { contactId: '1', state: 'accepted' as const, isBlocked: false, hasAnswered: true },
  ...{ addedAt: '2026-11-20T10:00:00Z', lastMessage: null, lastMessageAt: null, unreadCount: 0, mutedUntil: null, preview: null },
  ...{ asksRestart: false, forks: [], isPasswordProtected: false, lock: 'none' as const, hasPages: false, isTyping: false },
} satisfies RoomRow
