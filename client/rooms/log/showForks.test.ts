import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { devicesApi } from '../../../contract/account/devices.ts'
import { fromBase64 } from '../../../contract/ground/bytes.ts'
import { syncAll } from '../../app/sync.ts'
import { syncRoom } from '../../chat/messages/receive.ts'
import { nextListOf } from '../../testing/lists.ts'
import type { TestPerson } from '../../testing/people.ts'
import { patchedClient, people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { openLive } from '../../worker/account/openAccount.ts'
import { inspectCommit } from '../../worker/group/commits.ts'
import { forksIn, openForks, unansweredForks, withLists } from '../../worker/group/forks.ts'
import type { MemberAccount } from '../../worker/group/members.ts'
import { listsOf, namesIn } from '../../worker/group/namedLists.ts'
import { manifestHash } from '../../worker/lists/hashes.ts'
import { peerOf } from '../../worker/lists/peers.ts'
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

/** What a browser has been told without a proof. */
const claimsOf = async ({ core }: TestPerson) =>
  unansweredForks(await core.roomRecord(chatRoomId)).filter(({ isProven }) => isProven === false)

/** Alice has written with the list that she knows, and Bob's browser has read it: it has 16 bytes, and no list. */
async function named() {
  await splitView()
  await alice.says(bob, 'from my browser')
  await bob.reads(alice)
}

/** Each side shows the other the signed list that it knows. */
async function exchange() {
  for (const [me, other] of [[bob, alice] as const, [alice, bob] as const]) {
    await readyRoom(me.env, me.room(other))
    await other.reads(me)
  }
}

async function told() {
  await named()
  await exchange()
}

test("Bob is shown another list of Alice's browsers than she is: both show what they know, and nothing goes out to her", async () => {
  await named()
  expect([await forksOf(bob), await claimsOf(bob)]).toMatchObject([[], [{ userId: alice.userId, by: alice.userId, version: 2 }]])
  await exchange()
  for (const browser of [alice, bob])
    expect(await forksOf(browser)).toMatchObject([{ userId: alice.userId, version: 2, isProven: true, isTold: true }])
  await expect(bob.says(alice, 'a secret')).rejects.toThrow('Two device lists have the same number')
  expect((await alice.hears(bob)).at(-1)).toBe('from my browser')
})

test('Eve rings no alarm of a stolen identity key: whatever bytes she names for lists of Alice and of her own, everything goes on', async () => {
  const { seals, posts } = await patchedClient(bob, alice)
  const before = commitsIn()
  const names = async (byte: number) => {
    const hashes = Buffer.alloc(32, byte).toString('base64')
    const { id, content } = await seals({ manifests: { [alice.userId]: 1, [bob.userId]: 1 }, hashes })
    await posts(id, content)
    await alice.reads(bob)
  }
  for (let byte = 1; byte <= 3; byte++) await names(byte)
  expect(await forksOf(alice)).toEqual([])
  // One for each list, however often she names another.
  expect((await claimsOf(alice)).map(({ userId }) => userId).sort()).toEqual([alice.userId, bob.userId].sort())
  await answerForks(alice.env, alice.room(bob), await claimsOf(alice))
  await names(4)
  expect([await forksOf(alice), await claimsOf(alice)]).toEqual([[], []])
  await alice.says(bob, 'I write on')
  // Alice’s browser has shown once what it knows.
  await readyRoom(alice.env, alice.room(bob))
  expect(commitsIn()).toBe(before + 1)
})

test('However many lists Eve names, none pushes a proven one out', async () => {
  await told()
  const record = await alice.core.roomRecord(chatRoomId)
  const accounts = { own: await accountIn(alice), others: [] }
  const claims = Array.from({ length: 60 }, (_, at) => ({
    ...{ userId: alice.userId, version: (at % 2) + 1, by: `eve ${at}` },
    hash: Buffer.alloc(16, at + 1).toString('base64'),
  }))
  if (!record) throw new Error('The chat has no record')
  const flooded = withLists(record, accounts, claims)
  expect(flooded.forks).toHaveLength(20)
  expect(openForks(flooded)).toEqual(openForks(record))
})

test('Of her own list the word of another browser of Alice’s is enough: whoever answers for her keys has named another one', async () => {
  const own = { userId: alice.userId, version: 1, hash: Buffer.alloc(16, 7).toString('base64') }
  const accounts = { own: await accountIn(alice), others: [] }
  expect(forksIn(accounts, [{ ...own, by: alice.userId }])).toMatchObject([{ isProven: true }])
  expect(forksIn(accounts, [{ ...own, by: bob.userId }])).toMatchObject([{ isProven: false }])
  expect(forksIn(accounts, [own])).toMatchObject([{ isProven: false }])
})

async function accountIn({ userId, unlock }: TestPerson): Promise<MemberAccount> {
  const peer = await peerOf(await openLive(userId, unlock), userId)
  if (!peer) throw new Error('The account has no list')
  return { userId, ...peer }
}

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
  await named()
  const before = commitsIn()
  await readyRoom(bob.env, bob.room(alice))
  expect(commitsIn()).toBe(before + 1)
  await alice.reads(bob)
  expect(await forksOf(alice)).toMatchObject([{ userId: alice.userId, version: 2, isProven: true }])
  await expect(alice.says(bob, 'a secret')).rejects.toThrow('Two device lists have the same number')
  // Alice’s commit shows Bob the list that she knows. Then each side has told the other one: no commit follows.
  await bob.reads(alice)
  expect(await forksOf(bob)).toMatchObject([{ userId: alice.userId, version: 2, isProven: true }])
  const after = commitsIn()
  for (const [me, other] of [[bob, alice] as const, [alice, bob] as const]) {
    await readyRoom(me.env, me.room(other))
    await other.reads(me)
  }
  expect(commitsIn()).toBe(after)
})

test('A list that Alice’s key has not signed proves nothing, although it comes with the commit that names it', async () => {
  await named()
  const draft = await bob.core.commitRoom({ chatRoomId, peerIds: [alice.userId] })
  const [proof] = namesIn(inspectCommit(fromBase64(draft.commit)).authData).flatMap(({ signed }) => (signed ? [signed] : []))
  if (!proof) throw new Error('The commit carries no proof')
  const accounts = { own: await accountIn(alice), others: [] }
  const name = { userId: alice.userId, version: 2, hash: manifestHash(proof) }
  expect(listsOf(accounts, [{ ...name, signed: proof }], bob.userId)).toEqual([{ ...name, by: bob.userId, isSigned: true }])
  const forged = { ...proof, content: proof.content.replace('"version":2', '"version":3') }
  for (const [signed, hash] of [
    [{ ...proof, signature: Buffer.alloc(64, 1).toString('base64') }, name.hash],
    [proof, Buffer.alloc(16, 1).toString('base64')],
    [forged, manifestHash(forged)],
  ] as const)
    expect(listsOf(accounts, [{ ...name, hash, signed }], bob.userId)).toEqual([{ ...name, hash, by: bob.userId }])
})

test('The page tells the other side by itself as soon as it has read the message, without a word of its person', async () => {
  await named()
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
  await exchange()
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
  for (const [me, other] of [[bob, alice] as const, [alice, bob] as const])
    await answerForks(me.env, me.room(other), await forksOf(me))
  const { seals, posts } = await patchedClient(alice, bob)
  await alice.says(bob, 'again')
  await bob.reads(alice)
  expect(await forksOf(bob)).toEqual([])
  const third = Buffer.alloc(32, 7).toString('base64')
  const { id, content } = await seals({ manifests: { [alice.userId]: 2, [bob.userId]: 9 }, hashes: third })
  await posts(id, content)
  await bob.reads(alice)
  expect([await forksOf(bob), await claimsOf(bob)]).toMatchObject([[], [{ userId: alice.userId, version: 2 }]])
})

test('A message names a list that Bob does not have yet: it is compared as soon as he is shown one', async () => {
  await splitView()
  await alice.says(bob, 'from my browser')
  const contact = bob.contact(alice)
  // Bob's row of Alice is of before, so the message comes before her list.
  const room = { ...bob.room(alice), peers: [{ ...bob.room(alice).peers[0], manifestVersion: 1 }] } as never
  expect(contact.contactUser.manifestVersion).toBe(2)
  await catchUp(bob.env, room)
  expect(await claimsOf(bob)).toMatchObject([{ userId: alice.userId, version: 2 }])
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
  for (const browser of [alice, bob]) expect([await forksOf(browser), await claimsOf(browser)]).toEqual([[], []])
  await bob.says(alice, 'I read you')
})
