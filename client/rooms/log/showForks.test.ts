import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { devicesApi } from '../../../contract/account/devices.ts'
import { syncAll } from '../../app/sync.ts'
import { syncRoom } from '../../chat/messages/receive.ts'
import { nextListOf } from '../../testing/lists.ts'
import type { TestPerson } from '../../testing/people.ts'
import { patchedClient, people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { openForks } from '../../worker/group/forks.ts'
import { putRooms, resetRooms, roomById } from '../list/roomList.ts'
import { catchUp } from './catchUp.ts'
import { readyRoom } from './readyRoom.ts'
import { answerForks } from './showForks.ts'

let wire: Wire
let alice: TestPerson
let bob: TestPerson
let chatRoomId: string

let minutes = 0

beforeEach(async () => {
  // Requests are paused for a minute after a failure, so each test has its own time.
  minutes += 10
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
  ;({ wire, alice, bob } = await people())
  chatRoomId = alice.contact(bob).chatRoomId
  await alice.says(bob, 'hello')
  await bob.says(alice, 'hello Alice')
  await alice.reads(bob)
})

afterEach(() => vi.useRealTimers())

const accountOf = ({ userId }: TestPerson) => {
  const account = wire.accounts.get(userId)
  if (!account) throw new Error('The account is not on the wire')
  return account
}

const commitsIn = () => wire.rooms.get(chatRoomId)?.log.filter(({ kind }) => kind === 'commit').length ?? 0

const nextList = (sealedName: string) => nextListOf(wire, alice, sealedName)

/** Eve has Alice's identity key and a server that lies: Bob is shown another list with the number of Alice's next one. */
async function splitView(): Promise<void> {
  const forged = await nextList('RXZl')
  accountOf(alice).keys.manifest = await nextList('QWxpY2U=')
  wire.lie = (caller, path, answer) =>
    caller === bob.userId && path === devicesApi.manifest.path ? { ...(answer as object), manifest: forged } : answer
}

const forksOf = async ({ core }: TestPerson) => openForks(await core.roomRecord(chatRoomId))

/** Alice has written with the list that she knows, and Bob's browser has read it. */
async function told() {
  await splitView()
  await alice.says(bob, 'from my browser')
  await bob.reads(alice)
}

test("Bob is shown another list of Alice's browsers than she is: her next message tells him, and nothing goes out to her", async () => {
  await told()
  expect(await forksOf(bob)).toMatchObject([{ userId: alice.userId, version: 2, isTold: false }])
  await expect(bob.says(alice, 'a secret')).rejects.toThrow('Two device lists have the same number')
  expect((await alice.hears(bob)).at(-1)).toBe('from my browser')
})

/** A room in which nobody has written yet. */
async function freshRoom(): Promise<void> {
  ;({ wire, alice, bob } = await people())
  chatRoomId = alice.contact(bob).chatRoomId
}
const standingOf = async ({ core }: TestPerson) => (await core.roomRecord(chatRoomId))?.standing

test('Alice made the chat with another list of hers than Bob is shown: he is told as he comes in, before he has read a word', async () => {
  await freshRoom()
  await splitView()
  await alice.says(bob, 'from my browser')
  // The server keeps the message back.
  wire.rooms.get(chatRoomId)?.log.splice(1)
  await bob.reads(alice)
  expect(await standingOf(bob)).toBe('joined')
  expect(await forksOf(bob)).toMatchObject([{ userId: alice.userId, version: 2 }])
  const place = { chatRoomId, peerIds: [alice.userId], now: Date.now() }
  expect(await bob.core.roomNeed(place)).toMatchObject({ isForked: true })
})

test('The server cannot make such an alarm up: with a commit that Alice has not signed, Bob reads from outside and is told nothing', async () => {
  for (const isForged of [true, false]) {
    await freshRoom()
    await alice.says(bob, 'hello')
    const [entry] = wire.rooms.get(chatRoomId)?.log ?? []
    if (entry?.kind !== 'commit') throw new Error('A chat begins with a commit')
    const bytes = Buffer.from(entry.commit, 'base64')
    // Behind the id stand the version, one digit long, and the hash of the list; each field has its length before it.
    const at = bytes.indexOf(alice.userId) + alice.userId.length + 4 + 1 + 4
    if (isForged) bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
    Object.assign(entry, { commit: bytes.toString('base64') })
    expect(await bob.hears(alice)).toEqual(['hello'])
    expect(await standingOf(bob)).toBe(isForged ? 'outside' : 'joined')
    expect(await forksOf(bob)).toEqual([])
  }
})

test('Both are told: a commit of Bob, who sends nothing, shows Alice that somebody else may hold her keys', async () => {
  await told()
  const before = commitsIn()
  await readyRoom(bob.env, bob.room(alice))
  expect(commitsIn()).toBe(before + 1)
  await alice.reads(bob)
  expect(await forksOf(alice)).toMatchObject([{ userId: alice.userId, version: 2 }])
  await expect(alice.says(bob, 'a secret')).rejects.toThrow('Two device lists have the same number')
  // Each side has told the other one: no commit follows.
  await bob.reads(alice)
  const after = commitsIn()
  for (const [me, other] of [[bob, alice] as const, [alice, bob] as const]) {
    await readyRoom(me.env, me.room(other))
    await other.reads(me)
  }
  expect(commitsIn()).toBe(after)
})

test('The page tells the other side by itself as soon as it has read the message, without a word of its person', async () => {
  await told()
  putRooms([bob.room(alice)])
  await syncRoom(bob.env, bob.room(alice))
  expect(roomById(chatRoomId)?.forks).toMatchObject([{ userId: alice.userId }])
  await alice.reads(bob)
  expect(await forksOf(alice)).toHaveLength(1)
  resetRooms()
})

test('After a reload the list of chats says so before anybody opens the chat', async () => {
  await told()
  resetRooms()
  await syncAll(bob.env)
  expect(roomById(chatRoomId)?.forks).toMatchObject([{ userId: alice.userId }])
  resetRooms()
})

test('The stop holds after a reload and in another tab, also for a message that was sealed before; the answer counts in both', async () => {
  await splitView()
  const { id } = await bob.keeps(alice, 'sealed before')
  await bob.core.sealOutboxRow({ chatRoomId, peerIds: [alice.userId], id })
  await alice.says(bob, 'from my browser')
  await bob.reads(alice)
  const tab = await bob.newTab()
  for (const page of [bob, tab]) {
    await expect(page.sends(page.room(alice))).rejects.toThrow('Nothing is sent until you decide')
    expect(await page.core.outbox(chatRoomId)).toMatchObject([{ content: { text: 'sealed before' }, failure: null }])
  }
  await answerForks(tab.env, tab.room(alice), await forksOf(tab))
  expect(await forksOf(bob)).toEqual([])
  await bob.sends(bob.room(alice))
  await bob.says(alice, 'and on')
  expect((await alice.hears(bob)).slice(-2)).toEqual(['sealed before', 'and on'])
})

test('Who has answered is not asked again about the same two lists, and is about another one', async () => {
  await told()
  await answerForks(bob.env, bob.room(alice), await forksOf(bob))
  const { seals, posts } = await patchedClient(alice, bob)
  await alice.says(bob, 'again')
  await bob.reads(alice)
  expect(await forksOf(bob)).toEqual([])
  const third = Buffer.alloc(32, 7).toString('base64')
  const { id, content } = await seals({ manifests: { [alice.userId]: 2, [bob.userId]: 9 }, hashes: third })
  await posts(id, content)
  await bob.reads(alice)
  expect(await forksOf(bob)).toMatchObject([{ userId: alice.userId, version: 2 }])
})

test('A message names a list that Bob does not have yet: it is compared as soon as he is shown one', async () => {
  await splitView()
  await alice.says(bob, 'from my browser')
  const contact = bob.contact(alice)
  // Bob's row of Alice is of before, so the message comes before her list.
  const room = { ...bob.room(alice), peers: [{ ...bob.room(alice).peers[0], manifestVersion: 1 }] } as never
  expect(contact.contactUser.manifestVersion).toBe(2)
  await catchUp(bob.env, room)
  expect(await forksOf(bob)).toMatchObject([{ userId: alice.userId, version: 2 }])
})

test("An older number of Alice's list, a newer one, or a message of an older build alarms nobody", async () => {
  accountOf(alice).keys.manifest = await nextList('QWxpY2U=')
  await alice.says(bob, 'with the newer list')
  await bob.reads(alice)
  const { seals, posts } = await patchedClient(alice, bob)
  const other = Buffer.alloc(32, 7).toString('base64')
  for (const change of [
    { manifests: { [alice.userId]: 2, [bob.userId]: 99 } },
    { manifests: { [alice.userId]: 2 }, hashes: other },
    { manifests: { somebody: 1, [bob.userId]: 3 }, hashes: other },
  ]) {
    const { id, content } = await seals(change)
    await posts(id, content)
  }
  await bob.reads(alice)
  for (const browser of [alice, bob]) expect(await forksOf(browser)).toEqual([])
  await bob.says(alice, 'I read you')
})
