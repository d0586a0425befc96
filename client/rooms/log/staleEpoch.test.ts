import { beforeEach, expect, test } from 'vitest'
import { parseEnvelope } from '../../../contract/chat/envelope.ts'
import { type LogEntry, roomsApi } from '../../../contract/chat/rooms.ts'
import { type TestPerson, wordsOf } from '../../testing/people.ts'
import { changesKeys, counting, people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { personIdOfDirect, type Room } from '../list/room.ts'
import { catchUp } from './catchUp.ts'
import { commitEverywhere } from './commitEverywhere.ts'
import { readyRoom } from './readyRoom.ts'
import { enterEverywhere } from './staleEpoch.ts'

let wire: Wire
let alice: TestPerson
/** Alice's second browser. */
let laptop: TestPerson
let bob: TestPerson
let eve: TestPerson
let roomId: string
/** The room as Bob knew it before Alice removed her laptop. */
let unheard: Room

beforeEach(async () => {
  ;({ wire, alice, bob, eve, roomId } = await people())
  await alice.says(bob, 'one')
  laptop = await alice.newComputer()
  await laptop.says(bob, 'two')
  await bob.says(alice, 'three')
  await alice.says(bob, 'four')
  for (const [one, other] of [
    [bob, alice],
    [laptop, bob],
  ] as const)
    await one.reads(other)
  unheard = bob.room(alice)
})

const entries = (): LogEntry[] => structuredClone(wire.rooms.get(roomId)?.log ?? [])
const commits = () => entries().filter(({ kind }) => kind === 'commit').length
const removeLaptop = () => changesKeys(alice, { removeDevices: [laptop.deviceId] })

/** Writes and sends without having received anything since `room` was read. */
async function sends(person: TestPerson, room: Room, text: string) {
  await person.keeps({ userId: personIdOfDirect(room) ?? '' }, text)
  await person.sends(room)
}

test('Bob has not heard that Alice removed her laptop: what he sends now opens on none of what the laptop has', async () => {
  const epoch = (await laptop.core.roomRecord(roomId))?.epoch ?? 0
  await removeLaptop()
  await sends(bob, unheard, 'a secret')
  const after = entries().flatMap((entry) => (entry.kind === 'message' ? [parseEnvelope(entry.content)?.epoch ?? 0] : []))
  expect(after.at(-1)).toBeGreaterThan(epoch)
  expect(await alice.hears(bob)).toEqual(['one', 'two', 'three', 'four', 'a secret'])

  // Somebody copies the server's log and all archive keys to the laptop.
  const place = { chatRoomId: roomId, peerIds: [bob.userId] }
  await laptop.core.receiveLog({ ...place, entries: entries(), now: Date.now(), asked: { [laptop.userId]: 9 } })
  await laptop.core.keepArchiveKeys(wire.rooms.get(roomId)?.archiveKeys ?? [])
  await laptop.core.reopenWaiting(place)
  const { messages } = await laptop.core.page({ chatRoomId: roomId, limit: 50 })
  expect(messages.slice(0, -1).map(({ body }) => wordsOf(body))).toEqual(['one', 'two', 'three', 'four'])
  expect(messages.at(-1)?.body.kind).toBe('sealed')
})

test('A message that waits sealed when the laptop is removed is sealed again behind the commit', async () => {
  const { id } = await bob.keeps(alice, 'sealed before')
  const sealed = await bob.core.sealOutboxRow({ chatRoomId: roomId, peerIds: [alice.userId], id })
  await removeLaptop()
  await bob.sends(unheard)
  const last = entries().at(-1)
  expect(last?.kind === 'message' && last.content).not.toBe(sealed?.envelope)
  expect((await alice.hears(bob)).at(-1)).toBe('sealed before')
})

test('The removed browser was never in the room: the next message makes one empty commit, and those behind it none', async () => {
  const tablet = await alice.newComputer()
  await alice.reads(bob)
  await changesKeys(alice, { removeDevices: [tablet.deviceId] })
  const before = commits()
  await sends(bob, unheard, 'five')
  await sends(bob, unheard, 'six')
  expect(commits()).toBe(before + 1)
  expect((await alice.hears(bob)).slice(-2)).toEqual(['five', 'six'])
})

test('A commit for old device lists is refused: it is made anew for the new ones, and never posted again', async () => {
  const old = await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] })
  await removeLaptop()
  const before = commits()
  expect(await readyRoom(bob.env, unheard, { mustCommit: true })).toEqual({ ready: true })
  expect(commits()).toBe(before + 1)
  expect(entries().some((entry) => entry.kind === 'commit' && entry.commit === old.commit)).toBe(false)
  await bob.says(alice, 'five')
  expect((await alice.hears(bob)).at(-1)).toBe('five')
  expect((await alice.core.roomRecord(roomId))?.standing).toBe('joined')
})

test("The answer to Bob's commit was lost, then the laptop is removed: his own commit is not strange to him", async () => {
  const before = commits()
  const { api } = bob.env
  bob.env.api = (async (endpoint, input) => {
    if (endpoint.path !== roomsApi.commit.path) return api(endpoint, input)
    bob.env.api = api
    await api(endpoint, input)
    await removeLaptop()
    return api(endpoint, input)
  }) as typeof api
  expect(await readyRoom(bob.env, unheard, { mustCommit: true })).toEqual({ ready: true })
  // Bob did not enter the room again: there are only the commit that he posted twice and the one that removes the laptop.
  expect(commits()).toBe(before + 2)
  expect(entries().at(-1)).toMatchObject({ kind: 'commit', senderId: bob.userId })
  await bob.says(alice, 'five')
  expect((await alice.hears(bob)).at(-1)).toBe('five')
})

test('Rumours of lists that do not exist do not keep Bob from hearing what the server names', async () => {
  const named = { ...unheard, peers: unheard.peers.map((peer) => ({ ...peer, manifestVersion: 77 })) }
  await catchUp(bob.env, named)
  await removeLaptop()
  await sends(bob, unheard, 'five')
  expect((await alice.hears(bob)).at(-1)).toBe('five')
})

test('A server that names lists which it does not have: after some tries the person is told', async () => {
  const account = wire.accounts.get(alice.userId)
  const listed = account?.keys
  await removeLaptop()
  if (!listed) throw new Error('no account')
  wire.lie = (caller, path, answer) =>
    caller === bob.userId && path === '/api/users/:userId/manifest'
      ? { ...(answer as object), manifest: listed.manifest, version: 2 }
      : answer
  const calls = counting(bob)
  expect(await readyRoom(bob.env, unheard, { mustCommit: true })).toEqual({
    ready: false,
    reason: 'This chat is busy. Try again.',
  })
  expect(calls.get(roomsApi.commit.path)).toBe(8)
})

test('After a removal this browser commits in its rooms at once; one that fails does not keep the others waiting', async () => {
  await alice.says(eve, 'hello Eve')
  await laptop.says(eve, 'from the laptop')
  await alice.reads(eve)
  await removeLaptop()
  const evesRoom = wire.rooms.get(alice.contact(eve).chatRoomId)
  const bobsRoom = wire.rooms.get(roomId)
  expect([evesRoom?.needsCommit, bobsRoom?.needsCommit]).toEqual([true, true])
  const { api } = alice.env
  alice.env.api = (async (endpoint, input) => {
    if (endpoint.path === roomsApi.commit.path && (input as { chatRoomId: string }).chatRoomId === roomId)
      throw new Error('the connection broke')
    return api(endpoint, input)
  }) as typeof api
  await expect(commitEverywhere(alice.env)).rejects.toThrow('broke')
  expect([evesRoom?.needsCommit, bobsRoom?.needsCommit]).toEqual([false, true])
  alice.env.api = api
  const before = commits()
  await commitEverywhere(alice.env)
  await commitEverywhere(alice.env)
  expect(bobsRoom?.needsCommit).toBe(false)
  expect(commits()).toBe(before + 1)
  await sends(bob, unheard, 'five')
  expect((await alice.hears(bob)).at(-1)).toBe('five')
})

test('Alice keeps no history: a new browser of hers begins empty, enters at once, and reads what follows', async () => {
  await changesKeys(alice, { keepsHistory: false })
  await alice.says(bob, 'not kept')
  const phone = await alice.newComputer()
  expect(await phone.hears(bob)).toEqual([])
  expect((await phone.core.page({ chatRoomId: roomId, limit: 10 })).from).toBe(1)
  await enterEverywhere(phone.env, [phone.room(bob)])
  await bob.says(alice, 'for all three')
  expect(await phone.hears(bob)).toEqual(['for all three'])
  expect(await alice.hears(bob)).toEqual(['one', 'two', 'three', 'four', 'not kept', 'for all three'])
  const before = commits()
  await enterEverywhere(phone.env, [phone.room(bob)])
  expect(commits()).toBe(before)
})

test('Alice keeps her history: a new browser reads by the archive, and enters no room before it sends', async () => {
  const phone = await alice.newComputer()
  expect(await phone.hears(bob)).toEqual(['one', 'two', 'three', 'four'])
  const before = commits()
  await enterEverywhere(phone.env, [phone.room(bob)])
  expect(commits()).toBe(before)
})
