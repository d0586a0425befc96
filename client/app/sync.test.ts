import { afterEach, expect, test, vi } from 'vitest'
import type { User } from '../../contract/account/account.ts'
import { devicesApi } from '../../contract/account/devices.ts'
import { messagesApi } from '../../contract/chat/messages.ts'
import { roomsApi } from '../../contract/chat/rooms.ts'
import { accountStore } from '../me/account/accountState.ts'
import { resetDevices } from '../me/devices/deviceList.ts'
import { ApiError } from '../net/api.ts'
import { reloadRooms } from '../rooms/list/loadRooms.ts'
import { resetRooms, roomById, roomsStore } from '../rooms/list/roomList.ts'
import { readyRoom } from '../rooms/log/readyRoom.ts'
import { peopleStore, personById, resetPeople } from '../rooms/trust/people.ts'
import { nextListOf } from '../testing/lists.ts'
import type { TestPerson } from '../testing/people.ts'
import { changesKeys, people } from '../testing/room.ts'
import { onKeysChanged, syncAll, syncEvery } from './sync.ts'

afterEach(() => {
  vi.useRealTimers()
  resetRooms()
  resetDevices()
  accountStore.setState(accountStore.getInitialState(), true)
})

/** The rooms whose log this person's page asks for while it does something. */
async function roomsAsked({ env }: TestPerson, work: () => Promise<unknown>): Promise<Set<string>> {
  const asked = new Set<string>()
  const { api } = env
  env.api = (async (endpoint: unknown, input: { chatRoomId?: string }) => {
    if (endpoint === roomsApi.log && input.chatRoomId) asked.add(input.chatRoomId)
    return await api(endpoint as never, input as never)
  }) as typeof api
  await work()
  env.api = api
  return asked
}

/** The others of a test have no page of their own. */
async function withoutPage(work: () => Promise<unknown>): Promise<void> {
  const [rooms, people] = [roomsStore.getState(), peopleStore.getState()]
  resetRooms()
  resetPeople()
  await work()
  roomsStore.setState(rooms)
  peopleStore.setState(people)
}

test('a page that hears whose rows changed brings up to date the rooms with these people, and no others', async () => {
  const { alice, bob, eve } = await people()
  accountStore.setState({ user: { id: alice.userId } as User })
  await alice.says(bob, 'hello Bob')
  await alice.says(eve, 'hello Eve')
  await syncAll(alice.env)
  await withoutPage(async () => {
    for (const person of [bob, eve]) await person.says(alice, 'hello Alice')
  })
  const [withBob, withEve] = [alice.contact(bob).chatRoomId, alice.contact(eve).chatRoomId]
  expect(await roomsAsked(alice, () => syncAll(alice.env, [bob.userId, alice.userId]))).toEqual(new Set([withBob]))
  expect(await roomsAsked(alice, () => syncAll(alice.env))).toEqual(new Set([withEve]))
  expect(await roomsAsked(alice, () => syncAll(alice.env))).toEqual(new Set())
})

test('A room whose log was not answered is asked for again, although its row has not changed since', async () => {
  const { alice, bob, roomId } = await people()
  await alice.says(bob, 'hello Bob')
  await syncAll(alice.env)
  await withoutPage(() => bob.says(alice, 'hello Alice'))
  const { api } = alice.env
  alice.env.api = (async (endpoint: unknown, input: unknown) => {
    if (endpoint === roomsApi.log) throw new ApiError(0, 'offline', 'You are offline')
    return await api(endpoint as never, input as never)
  }) as typeof api
  await expect(syncAll(alice.env)).rejects.toThrow('offline')
  alice.env.api = api
  expect(await roomsAsked(alice, () => syncAll(alice.env))).toEqual(new Set([roomId]))
  expect(roomById(roomId)?.preview?.text).toBe('hello Alice')
})

test('A program’s text in which nothing can be seen is named on the list, as it is in the chat', async () => {
  const { alice, bob, roomId } = await people()
  await bob.env.api(messagesApi.send, { chatRoomId: roomId, content: '\u200b', messageType: 'text' })
  await syncAll(alice.env)
  expect(roomById(roomId)?.preview).toMatchObject({ kind: 'plain', text: 'Empty message' })
})

test('what is asked for while a page is being brought up to date is not lost: neither one person nor everybody', async () => {
  const { alice, bob, eve } = await people()
  accountStore.setState({ user: { id: alice.userId } as User })
  const talk = () =>
    withoutPage(async () => {
      for (const person of [bob, eve]) await person.says(alice, 'hello Alice')
    })
  const all = new Set([bob, eve].map((person) => alice.contact(person).chatRoomId))
  // The list is known from then on: only what is asked for is read.
  await talk()
  await syncAll(alice.env)
  await talk()
  // The first one runs, and the others wait together.
  expect(
    await roomsAsked(alice, () =>
      Promise.all([syncAll(alice.env, []), syncAll(alice.env, [bob.userId]), syncAll(alice.env, [eve.userId])]),
    ),
  ).toEqual(all)
  await talk()
  expect(
    await roomsAsked(alice, () =>
      Promise.all([syncAll(alice.env, [bob.userId]), syncAll(alice.env), syncAll(alice.env, [bob.userId])]),
    ),
  ).toEqual(all)
})

test('Another browser of Alice ends the history: this one goes into its rooms at once, and reads what follows', async () => {
  const { alice, bob, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  const laptop = await alice.newComputer()
  expect(await laptop.hears(bob)).toEqual(['one', 'two'])
  expect((await laptop.core.roomRecord(roomId))?.standing).toBe('outside')
  accountStore.setState({ phase: 'signed_in' })
  await reloadRooms(laptop.env)
  await changesKeys(alice, { keepsHistory: false })
  await onKeysChanged(laptop.env, alice.userId)
  expect((await laptop.core.roomRecord(roomId))?.standing).toBe('joined')
  await bob.says(alice, 'three')
  expect((await laptop.hears(bob)).at(-1)).toBe('three')
})

test.each(['key_bytes_reached', 'request_unanswered'] as const)(
  'One chat takes no new keys from Alice (%s): what she wrote in another goes out, she enters that one, and the refused one later',
  async (code) => {
    const { wire, alice, bob, eve } = await people()
    for (const other of [bob, eve]) {
      await alice.says(other, 'one')
      await other.says(alice, 'two')
    }
    await changesKeys(alice, { keepsHistory: false })
    const phone = await alice.newComputer()
    accountStore.setState({ user: { id: alice.userId } as User })
    const standings = () =>
      Promise.all([bob, eve].map(async (one) => (await phone.core.roomRecord(phone.contact(one).chatRoomId))?.standing))
    const { api } = phone.env
    phone.env.api = (async (endpoint: { path: string }, input: { chatRoomId?: string }) => {
      if (endpoint.path === roomsApi.commit.path && input.chatRoomId === phone.contact(bob).chatRoomId)
        throw new ApiError(429, code, 'Later')
      return await api(endpoint as never, input as never)
    }) as typeof api
    await phone.keeps(eve, 'waits for nobody')
    await syncAll(phone.env)
    expect(await standings()).toEqual(['outside', 'joined'])
    const entries = wire.rooms.get(phone.contact(eve).chatRoomId)?.log ?? []
    expect(entries.at(-1)?.kind).toBe('message')
    phone.env.api = api
    await syncAll(phone.env)
    expect(await standings()).toEqual(['joined', 'joined'])
  },
)

test('Another failure at the entry of one chat is told, after what waits in the others has gone out', async () => {
  const { alice, bob, eve } = await people()
  for (const other of [bob, eve]) {
    await alice.says(other, 'one')
    await other.says(alice, 'two')
  }
  await changesKeys(alice, { keepsHistory: false })
  const phone = await alice.newComputer()
  accountStore.setState({ user: { id: alice.userId } as User })
  const { api } = phone.env
  phone.env.api = (async (endpoint: { path: string }, input: { chatRoomId?: string }) => {
    if (endpoint.path === roomsApi.commit.path && input.chatRoomId === phone.contact(bob).chatRoomId)
      throw new ApiError(429, 'too_many_requests', 'Too many attempts')
    return await api(endpoint as never, input as never)
  }) as typeof api
  await phone.keeps(eve, 'waits for nobody')
  await expect(syncAll(phone.env)).rejects.toMatchObject({ code: 'too_many_requests' })
  expect(await phone.core.outbox(phone.contact(eve).chatRoomId)).toEqual([])
})

test('A device list that Bob has not signed, an older one and none are told as that, never as another key; the right one ends it', async () => {
  // Requests are paused for a minute after an older answer.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 60_000 })
  const { wire, alice, bob, eve } = await people()
  await alice.says(bob, 'hello')
  const first = wire.accounts.get(bob.userId)?.keys.manifest
  await bob.newComputer()
  await alice.says(bob, 'to both of your browsers')
  await syncAll(alice.env)
  await bob.newComputer()
  const right = wire.accounts.get(bob.userId)?.keys.manifest
  if (!first || !right) throw new Error('Bob has no device list')
  const { content } = right
  const { signature } = await nextListOf(wire, eve, 'RXZl')
  for (const [manifest, fault] of [
    [{ content, signature }, 'list_unsigned'],
    [first, 'list_older'],
    [null, 'list_absent'],
    [await nextListOf(wire, eve, 'RXZl'), 'list_unsigned'],
  ] as const) {
    wire.lie = (_, path, answer) => (path === devicesApi.manifest.path ? { ...(answer as object), manifest } : answer)
    await syncEvery(alice.env)
    expect(personById(bob.userId)?.mismatch).toBe(fault)
    await expect(readyRoom(alice.env, alice.room(bob))).rejects.toMatchObject({ fault })
    await vi.advanceTimersByTimeAsync(2 * 60_000)
  }
  wire.lie = undefined
  await syncEvery(alice.env)
  expect(personById(bob.userId)?.mismatch).toBeNull()
  expect(await readyRoom(alice.env, alice.room(bob))).toEqual({ ready: true })
})

test('A server that shows Bob without a key, as if he had never had a browser, is told so, and never as another key', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 50 * 60_000 })
  const { wire, alice, bob } = await people()
  await alice.says(bob, 'hello')
  await syncAll(alice.env)
  await bob.newComputer()
  const { identityKey } = alice.contact(bob).contactUser
  const keyless = (answer: unknown) =>
    JSON.parse(JSON.stringify(answer, (name, value) => (name === 'identityKey' && value === identityKey ? null : value)))
  for (const isInRows of [false, true]) {
    wire.lie = (_, path, answer) => {
      if (path === devicesApi.manifest.path) return { ...(answer as object), identityKey: null, manifest: null }
      return isInRows && path === roomsApi.list.path ? keyless(answer) : answer
    }
    await (isInRows ? reloadRooms(alice.env) : syncEvery(alice.env))
    expect(personById(bob.userId)).toMatchObject({ mismatch: 'list_absent', identityKey: isInRows ? null : identityKey })
    await vi.advanceTimersByTimeAsync(2 * 60_000)
  }
  const { peers, ...room } = alice.room(bob)
  const shown = { ...room, peers: peers.map((peer) => ({ ...peer, identityKey: null })) }
  expect(await readyRoom(alice.env, shown)).toEqual({
    ready: false,
    reason: 'The server shows no key of this person. Nothing is sent until it does.',
  })
  wire.lie = undefined
  await reloadRooms(alice.env)
  await syncEvery(alice.env)
  expect(personById(bob.userId)?.mismatch).toBeNull()
  expect(await readyRoom(alice.env, alice.room(bob))).toEqual({ ready: true })
})

test('A chat whose record at the server does not fit together says so: nobody’s key has changed', async () => {
  const { wire, alice, bob, eve } = await people()
  await alice.says(bob, 'hello')
  await syncAll(alice.env)
  await withoutPage(() => bob.says(alice, 'hello Alice'))
  wire.lie = (_, path, answer) => {
    if (path !== roomsApi.log.path) return answer
    const page = answer as { entries: { chatRoomId: string }[] }
    return { ...page, entries: page.entries.map((entry) => ({ ...entry, chatRoomId: alice.contact(eve).chatRoomId })) }
  }
  await expect(syncEvery(alice.env)).rejects.toThrow('The server returned entries of another chat')
  expect(personById(bob.userId)?.mismatch).toBeNull()
})
