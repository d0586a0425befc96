import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import type { User } from '../../../contract/account/account.ts'
import type { ListedPerson, ListedRoom, RoomPage } from '../../../contract/chat/roomlist.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { exportAccount } from '../../chat/export/export.ts'
import { checkVanished, vanishedStore } from '../../people/contacts/vanished.ts'
import { personIn } from '../../testing/direct.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { catchUp } from '../log/catchUp.ts'
import { keepShown, readKept, showKept } from '../offline/keptScreens.ts'
import { peopleStore, personById, resetPeople } from '../trust/people.ts'
import { rowOfContact } from './listedRoom.ts'
import { reloadRooms } from './loadRooms.ts'
import { directChat, faceOf, personOfDirect } from './members.ts'
import { resetRooms, roomById, roomsStore, sortRooms } from './roomList.ts'
import { onPresence, updatesOf } from './rowUpdates.ts'

beforeEach(() => {
  resetRooms()
  resetPeople()
})

const GROUP = `room_${randomUUID()}`

/** The row of a room of Alice, Bob and others whom she does not know. */
function groupOf(alice: TestPerson, bob: TestPerson, others: string[]): ListedRoom {
  const row = rowOfContact(alice.contact(bob))
  const known: ListedPerson = { ...personIn(row), displayName: 'Bob' }
  const stranger = (displayName: string): ListedPerson => ({
    ...{ ...known, id: randomUUID(), username: displayName.toLowerCase(), displayName, identityKey: null },
    ...{ manifestVersion: 0, isOnline: false },
  })
  return {
    ...{ ...row, chatRoomId: GROUP, direct: null, people: [known, ...others.map(stranger)] },
    ...{ lastSeq: 2, unreadCount: 2 },
    lastMessage: { id: randomUUID(), seq: 2, senderId: bob.userId, createdAt: '2027-01-01T00:00:00.000Z' },
  }
}

/** The server lists this room for Alice too. */
function lists(wire: Wire, alice: TestPerson, row: ListedRoom): void {
  wire.lie = (caller, path, answer) => {
    const page = answer as RoomPage
    return caller === alice.userId && path === roomsApi.list.path && page.before === null && page.rooms.length > 0
      ? { ...page, rooms: [...page.rooms, row] }
      : undefined
  }
}

async function listed(others: string[] = ['Carol']) {
  const at = await people()
  await at.alice.says(at.bob, 'hello Bob')
  lists(at.wire, at.alice, groupOf(at.alice, at.bob, others))
  await reloadRooms(at.alice.env)
  const room = roomById(GROUP)
  if (!room) throw new Error('The room is not listed')
  return { ...at, room, known: peopleStore.getState().people }
}

test('A room of three is one row with its two other members: it has no other person, and nothing that only a direct room has', async () => {
  const { alice, bob, roomId, room, known } = await listed()
  // Eve is a contact too.
  expect([sortRooms(roomsStore.getState().rooms.values())[0]?.id, roomsStore.getState().rooms.size]).toEqual([GROUP, 3])
  expect(room).toMatchObject({ ownId: alice.userId, direct: null, isClosed: false, unreadCount: 2 })
  expect(room.memberIds).toHaveLength(3)
  expect([personOfDirect(room, known), directChat(room, known)]).toEqual([undefined, undefined])
  expect(faceOf(room, known)).toEqual({ id: GROUP, name: 'Bob, Carol', photo: null })
  const chat = directChat(roomById(roomId), known)
  expect([chat?.person.id, chat?.room.direct.state]).toEqual([bob.userId, 'accepted'])
  expect(roomsStore.getState().unreadTotal).toBe(2)
})

test.each([
  [[], 'Bob'],
  [['Carol', 'Dave'], 'Bob, Carol, Dave'],
  [['Carol', 'Dave', 'Erin', 'Frank'], 'Bob, Carol, Dave, +2'],
])('With %j beside Bob a room is called %s', async (others, name) => {
  const { room, known } = await listed(others)
  expect(faceOf(room, known)?.name).toBe(name)
})

test('A room in which nobody else is has a name too, and a direct room of an unknown person has none', async () => {
  const { room, roomId } = await listed()
  expect(faceOf({ ...room, peers: [] }, new Map())?.name).toBe('Nobody else')
  expect(faceOf(roomById(roomId) ?? expect.fail(), new Map())).toBeUndefined()
})

test('Who is online is shown in each room with them, and a row that was asked for before does not take it back', async () => {
  const { alice, bob } = await listed()
  const before = updatesOf(GROUP)
  onPresence(alice.userId, { userId: bob.userId, isOnline: true, lastSeen: null })
  expect([personById(bob.userId)?.isOnline, updatesOf(GROUP)]).toEqual([true, before + 1])
})

test('A contact whom the server lists no more is missed, also where a room of several still has them', async () => {
  const { alice, bob, wire } = await listed()
  await checkVanished(alice.env)
  expect(vanishedStore.getState().vanished).toEqual([])
  wire.lie = (caller, path, answer) =>
    caller === alice.userId && path === roomsApi.list.path
      ? {
          ...(answer as RoomPage),
          rooms: (answer as RoomPage).rooms
            .flatMap((row) => (row.people.some(({ id }) => id === bob.userId) ? [] : [row]))
            .concat(groupOf(alice, bob, ['Carol'])),
        }
      : undefined
  await reloadRooms(alice.env)
  await checkVanished(alice.env)
  expect(vanishedStore.getState().vanished).toEqual([{ userId: bob.userId, username: bob.username }])
})

test('The server puts Bob into a room of several: nothing is read there, nothing is pinned, and he is trusted as before', async () => {
  const { alice, bob, room } = await listed()
  expect(await catchUp(alice.env, room)).toMatchObject({ cursor: 0 })
  expect(personById(bob.userId)?.mismatch).toBeNull()
  await alice.says(bob, 'still here')
})

test('An export has the direct rooms, and does not stop at another', async () => {
  const { alice } = await listed()
  const owner = { username: alice.username, displayName: 'Alice', onionAddress: null } as User
  const rooms = [...roomsStore.getState().rooms.values()]
  const made = await exportAccount(alice.env, owner, {
    rooms,
    hasFiles: false,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  })
  expect(made).toMatchObject({ chats: rooms.length - 1, messages: 1 })
})

test('A room of three is kept for a start without the server as it was shown', async () => {
  const { alice, room, known } = await listed()
  await keepShown(alice.env, { username: alice.username } as User)
  resetRooms()
  resetPeople()
  await showKept(alice.env, await readKept(alice.env), true)
  expect(roomById(GROUP)).toEqual(room)
  expect(faceOf(room, peopleStore.getState().people)).toEqual(faceOf(room, known))
})

test('A vault of the builds whose rows were pairs shows its list: contacts, marks, requests and blocks', async () => {
  const { alice, bob, roomId } = await people()
  const asker = randomUUID()
  const person = {
    ...{ id: bob.userId, username: bob.username, displayName: 'Bob', profileImageUrl: null, alias: null, isDeleted: false },
    ...{ isOnline: false, lastSeen: null, identityKey: null, manifestVersion: 3 },
  }
  const kept = {
    ...{ chatRoomId: roomId, contactId: randomUUID(), state: 'accepted', addedAt: '2026-01-01T00:00:00.000Z', isBlocked: true },
    ...{ person, lastSeq: 7, clearedSeq: 2, isPasswordProtected: false, isLocked: false, lastMessageAt: null, lastMessage: null },
    ...{ unreadCount: 1, mutedUntil: null, hasAnswered: false, readSeq: 5, theirDeliveredSeq: 6, theirReadSeq: 4 },
  }
  // As the oldest of them kept a request.
  const request = {
    ...{
      chatRoomId: `dm_${[alice.userId, asker].sort().join('_')}`,
      contactId: randomUUID(),
      state: 'pending',
      addedAt: '2026-01-01T00:00:00.000Z',
    },
    ...{ person: { ...person, id: asker, username: 'asker' }, lastSeq: 1 },
  }
  await alice.core.keepShown({ user: {}, rooms: [kept, request] })
  await showKept(alice.env, await readKept(alice.env), true)
  const { contactId } = kept
  expect(roomById(roomId)).toMatchObject({
    ...{ ownId: alice.userId, lastSeq: 7, clearedSeq: 2, unreadCount: 1 },
    direct: { contactId, state: 'accepted', isBlocked: true, hasAnswered: false },
    peers: [{ id: bob.userId, manifestVersion: 3 }],
    marks: { [alice.userId]: { readSeq: 5 }, [bob.userId]: { deliveredSeq: 6, readSeq: 4 } },
  })
  expect(roomById(request.chatRoomId)?.direct).toEqual({
    ...{ contactId: request.contactId, state: 'pending', isBlocked: false, hasAnswered: true },
  })
  expect(personById(bob.userId)?.displayName).toBe('Bob')
})
