import { expect, test } from 'vitest'
import { devicesApi } from '../../../contract/account/devices.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { type CommitEntry, type LogEntry, type LogPage, type RoomGroup, roomsApi } from '../../../contract/chat/rooms.ts'
import { ApiError } from '../../net/api.ts'
import type { TestPerson } from '../../testing/people.ts'
import { counting, patchedClient, people } from '../../testing/room.ts'
import { bitFlipped, type Wire } from '../../testing/wire.ts'
import { catchUp } from '../log/catchUp.ts'
import { readyRoom } from '../log/readyRoom.ts'
import { refreshOwnDevices } from '../trust/ownDevices.ts'
import { refreshPeers } from '../trust/peers.ts'
import { roomOfContact } from './listedRoom.ts'

/** Changes the server's responses to one person for one path. */
function lieTo<Answer>(wire: Wire, person: TestPerson, path: string, change: (answer: Answer) => unknown): void {
  wire.lie = (caller, asked, answer) => (caller === person.userId && asked === path ? change(answer as Answer) : answer)
}

const copyAtEnd = (wire: Wire, roomId: string, entry: LogEntry | undefined) => {
  const log = wire.rooms.get(roomId)?.log
  if (!log || !entry) throw new Error('Nothing to repeat')
  log.push({ ...entry, seq: log.length + 1 })
}

test("The server puts Eve's message into Bob's room: it is refused, and Bob's words stay as they are", async () => {
  const { alice, bob, eve, wire, roomId } = await people()
  await alice.says(bob, 'hello Bob')
  await bob.says(alice, 'hello Alice')
  await eve.says(alice, 'hello')
  await alice.reads(bob)
  await alice.reads(eve)
  const forger = await patchedClient(eve, alice)
  const { id, content } = await forger.seals({ chatRoomId: roomId, content: { type: 'text', text: 'I am Bob' } })
  await forger.posts(id, content)
  const entry = wire.rooms.get(alice.contact(eve).chatRoomId)?.log.at(-1)
  if (entry) entry.chatRoomId = roomId
  await expect(alice.reads(eve)).rejects.toThrow('another chat')
  expect(await alice.hears(bob)).toEqual(['hello Bob', 'hello Alice'])
})

test("The server's contact list names Eve for Bob's room: nothing is read or sent there in her name", async () => {
  const { alice, bob, eve } = await people()
  await alice.says(bob, 'hello')
  const mixed = roomOfContact({ ...alice.contact(bob), contactUserId: eve.userId }).room
  await expect(catchUp(alice.env, mixed)).rejects.toMatchObject({ code: 'place' })
})

test('The server repeats a message: the second time it is a line that says so, on every device', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'pay ten')
  await bob.says(alice, 'yes')
  await alice.reads(bob)
  copyAtEnd(wire, roomId, wire.rooms.get(roomId)?.log.at(-1))
  copyAtEnd(
    wire,
    roomId,
    wire.rooms.get(roomId)?.log.find((entry) => entry.kind === 'message'),
  )
  const repeated = expect.stringMatching(/^unreadable: .*already/)
  expect(await alice.hears(bob)).toEqual(['pay ten', 'yes', repeated, repeated])
  expect((await alice.core.roomRecord(roomId))?.standing).toBe('joined')
  const laptop = await alice.newBrowser()
  expect(await laptop.hears(bob)).toEqual(['pay ten', 'yes', repeated, repeated])
})

test('The server spoils the Welcome: Bob reads all the same, and answers', async () => {
  const { alice, bob, wire } = await people()
  await alice.says(bob, 'hello')
  lieTo<RoomGroup>(wire, bob, roomsApi.group.path, (group) => ({
    ...group,
    welcome: group.welcome && { ...group.welcome, welcome: bitFlipped(group.welcome.welcome) },
  }))
  expect(await bob.hears(alice)).toEqual(['hello'])
  await bob.says(alice, 'good evening')
  expect(await alice.hears(bob)).toEqual(['hello', 'good evening'])
})

test("A Welcome to Eve's room in place of Bob's is not taken, and he still reads", async () => {
  const { alice, bob, eve, wire, roomId } = await people()
  await alice.says(bob, 'hello')
  await eve.says(bob, 'come in')
  const hers = wire.rooms.get(bob.contact(eve).chatRoomId)
  lieTo<RoomGroup>(wire, bob, roomsApi.group.path, (group) =>
    group.chatRoomId === roomId ? { ...group, welcome: hers?.welcome && { ...hers.welcome, seq: 1 } } : group,
  )
  expect(await bob.hears(alice)).toEqual(['hello'])
  expect((await bob.core.roomRecord(roomId))?.standing).toBe('outside')
})

test('A Welcome that comes again does not take the room back to its beginning', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  const group = await bob.env.api(roomsApi.group, { chatRoomId: roomId })
  await bob.says(alice, 'two')
  await bob.reads(alice)
  const before = await bob.core.roomRecord(roomId)
  await bob.core.enterRoom({ chatRoomId: roomId, peerIds: [alice.userId], group, now: Date.now() })
  await bob.core.enterRoom({
    chatRoomId: roomId,
    peerIds: [alice.userId],
    group: { ...group, welcome: wire.rooms.get(roomId)?.welcome ?? null, lastSeq: 99 },
    now: Date.now(),
  })
  expect(await bob.core.roomRecord(roomId)).toEqual(before)
})

test('The server writes another group beside a commit: the commit counts for what it is', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  await alice.reads(bob)
  await bob.env.api(roomsApi.commit, await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] }))
  await bob.says(alice, 'three')
  lieTo<LogPage>(wire, alice, roomsApi.log.path, ({ lastSeq, entries }) => ({
    lastSeq,
    entries: entries.map((entry) => (entry.kind === 'commit' ? { ...entry, groupId: 'AAAA' } : entry)),
  }))
  expect(await alice.hears(bob)).toEqual(['one', 'two', 'three'])
})

test('The server withholds a commit: what was written after it is not believed, and the browser comes in anew before it sends', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  await alice.reads(bob)
  const { cursor } = (await alice.core.roomRecord(roomId)) ?? { cursor: 0 }
  await bob.env.api(roomsApi.commit, await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] }))
  await bob.says(alice, 'three')
  lieTo<LogPage>(wire, alice, roomsApi.log.path, ({ entries }) => {
    const shown = entries.filter(({ kind }) => kind === 'message').map((entry, at) => ({ ...entry, seq: cursor + 1 + at }))
    return { entries: shown, lastSeq: cursor + shown.length }
  })
  const elsewhere = 'unreadable: It was sealed for another state of this chat'
  expect(await alice.hears(bob)).toEqual(['one', 'two', elsewhere])
  expect((await alice.core.roomRecord(roomId))?.standing).toBe('outside')
})

test('The server dates commits to long ago: each message still goes out with one commit at most', async () => {
  const { alice, bob, wire, roomId } = await people()
  const commits = () => wire.rooms.get(roomId)?.log.filter(({ kind }) => kind === 'commit').length ?? 0
  lieTo<LogPage>(wire, alice, roomsApi.log.path, ({ entries, lastSeq }) => ({
    lastSeq,
    entries: entries.map((entry) => ({ ...entry, createdAt: new Date(0).toISOString() })),
  }))
  await alice.says(bob, 'one')
  await alice.says(bob, 'two')
  expect(commits()).toBe(2)
})

test('The server dates a commit to the far future: keys are renewed after a day all the same', async () => {
  const { alice, bob, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.reads(alice)
  const draft = await alice.core.commitRoom({ chatRoomId: roomId, peerIds: [bob.userId] })
  await alice.env.api(roomsApi.commit, draft)
  const { entries } = await bob.env.api(roomsApi.log, { chatRoomId: roomId, after: 0 })
  const dated = entries.map((entry) => ({ ...entry, createdAt: '2199-01-01T00:00:00.000Z' }))
  await bob.core.receiveLog({ chatRoomId: roomId, peerIds: [alice.userId], entries: dated, now: Date.now() })
  const inTwoDays = Date.now() + 48 * 60 * 60 * 1000
  const need = await bob.core.roomNeed({ chatRoomId: roomId, peerIds: [alice.userId], now: inTwoDays })
  expect(need.need).toBe('commit')
})

test('The server names a generation that cannot be: refused, and the room is not closed by it', async () => {
  const { alice, bob, wire } = await people()
  await alice.says(bob, 'one')
  lieTo<RoomGroup>(wire, bob, roomsApi.group.path, (group) => ({ ...group, generation: 2_147_483_646, welcome: null }))
  await expect(bob.reads(alice)).rejects.toMatchObject({ code: 'generation' })
  lieTo<RoomGroup>(wire, bob, roomsApi.group.path, (group) => ({ ...group, generation: 900, welcome: null }))
  await bob.reads(alice)
  wire.lie = undefined
  await bob.says(alice, 'two')
  expect(await alice.hears(bob)).toEqual(['one', 'two'])
})

test('The server offers an older state of the room to a browser that comes in again: refused by name', async () => {
  const { alice, bob, roomId } = await people()
  const place = { chatRoomId: roomId, peerIds: [bob.userId] }
  await alice.says(bob, 'one')
  const old = await alice.env.api(roomsApi.group, { chatRoomId: roomId })
  await alice.env.api(roomsApi.commit, await alice.core.commitRoom(place))
  await alice.says(bob, 'two')
  await bob.reads(alice)
  await expect(alice.core.joinRoom({ ...place, group: old })).rejects.toMatchObject({ code: 'group_info' })
  const next = await alice.core.createRoom({
    ...place,
    generation: 2,
    keyPackages: (await alice.env.api(roomsApi.claimKeyPackages, { chatRoomId: roomId, generation: 2 })).packages.map(
      ({ keyPackage }) => keyPackage,
    ),
  })
  await alice.env.api(roomsApi.commit, next)
  await alice.says(bob, 'three')
  await expect(alice.core.joinRoom({ ...place, group: old })).rejects.toMatchObject({ code: 'generation_rollback' })
  for (const generation of [1, 2])
    await expect(alice.core.createRoom({ ...place, generation, keyPackages: [] })).rejects.toMatchObject({
      code: 'generation_rollback',
    })
  expect(await bob.hears(alice)).toEqual(['one', 'two', 'Encryption restarted', 'three'])
})

test('The room restarts: the person who restarted it sees that too', async () => {
  const { alice, bob, roomId } = await people()
  await alice.says(bob, 'one')
  const { packages } = await alice.env.api(roomsApi.claimKeyPackages, { chatRoomId: roomId, generation: 2 })
  const keyPackages = packages.map(({ keyPackage }) => keyPackage)
  const place = { chatRoomId: roomId, peerIds: [bob.userId] }
  await alice.env.api(roomsApi.commit, await alice.core.createRoom({ ...place, generation: 2, keyPackages }))
  expect(await alice.hears(bob)).toEqual(['one', 'Encryption restarted'])
})

test.each([
  ['always shows the same entry', (page: LogPage) => page],
  ['always has a gap', ({ entries }: LogPage) => ({ entries: entries.slice(1), lastSeq: 99 })],
  [
    'always begins a new group that it does not show',
    ({ entries }: LogPage) => ({
      lastSeq: 99,
      entries: entries.map((entry) => (entry.kind === 'commit' ? { ...entry, seq: 1, generation: 9 } : { ...entry, seq: 1 })),
    }),
  ],
  ['never reaches its end', (): LogPage => ({ entries: [], lastSeq: 1_000_000 })],
])('The log of a server that %s does not keep the browser busy for ever', async (_, change) => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  const first = wire.rooms.get(roomId)
  lieTo<LogPage>(wire, bob, roomsApi.log.path, () => change({ entries: first?.log.slice(0, 2) ?? [], lastSeq: 1_000_000 }))
  lieTo<LogPage>(wire, bob, roomsApi.log.path, () => change({ entries: first?.log.slice(0, 2) ?? [], lastSeq: 1_000_000 }))
  const calls = counting(bob)
  await catchUp(bob.env, bob.room(alice)).catch((error: unknown) => expect(error).toMatchObject({ code: 'log' }))
  expect(calls.get(roomsApi.log.path)).toBeLessThan(8)
})

test('A server that takes no commit: after some tries the person is told that the chat is busy', async () => {
  const { alice, bob } = await people()
  const { api } = alice.env
  let commits = 0
  alice.env.api = ((endpoint, input) => {
    if (endpoint.path !== roomsApi.commit.path) return api(endpoint, input)
    commits += 1
    throw new ApiError(409, 'stale_epoch', 'The chat has moved on')
  }) as typeof api
  expect(await readyRoom(alice.env, alice.room(bob))).toEqual({ ready: false, reason: 'This chat is busy. Try again.' })
  expect(commits).toBe(8)
})

test('Somebody else makes the room a moment before: the message goes out in theirs', async () => {
  const { alice, bob, wire, roomId } = await people()
  const { api } = alice.env
  let isFirst = true
  alice.env.api = (async (endpoint, input) => {
    if (endpoint.path !== roomsApi.claimKeyPackages.path || !isFirst) return api(endpoint, input)
    isFirst = false
    await bob.says(alice, 'I was faster')
    throw new ApiError(409, 'stale_epoch', 'The chat has moved on')
  }) as typeof api
  await alice.says(bob, 'hello')
  expect(await bob.hears(alice)).toEqual(['I was faster', 'hello'])
  expect(wire.rooms.get(roomId)?.generation).toBe(1)
})

test('Somebody else makes the room while Alice asks how it stands: it is not made once more, and no encryption restarts', async () => {
  const { alice, bob, wire, roomId } = await people()
  const { api } = alice.env
  let asked = 0
  alice.env.api = (async (endpoint, input) => {
    // The first request reads the room, the second creates its group.
    if (endpoint.path === roomsApi.group.path && ++asked === 2) await bob.says(alice, 'I was faster')
    return api(endpoint, input)
  }) as typeof api
  await alice.says(bob, 'hello')
  for (const [one, other] of [[alice, bob] as const, [bob, alice] as const])
    expect(await one.hears(other)).toEqual(['I was faster', 'hello'])
  expect(wire.rooms.get(roomId)?.generation).toBe(1)
})

test('Rubbish among the key packages does not keep Alice from writing to Bob', async () => {
  const { alice, bob, wire } = await people()
  lieTo<{ packages: { keyPackage: string }[] }>(wire, alice, roomsApi.claimKeyPackages.path, ({ packages }) => {
    const rubbish = packages.map((one) => ({ ...one, keyPackage: 'AAAA' }))
    return { packages: [...rubbish, ...packages, ...packages] }
  })
  await alice.says(bob, 'hello')
  expect(await bob.hears(alice)).toEqual(['hello'])
})

test("The server shows no device list of Alice's own: she keeps her keys", async () => {
  const { alice, wire } = await people()
  lieTo(wire, alice, devicesApi.keys.path, () => ({ keyring: null, manifest: null, historySeals: [] }))
  await expect(refreshOwnDevices(alice.env)).rejects.toMatchObject({ code: 'manifest' })
})

test("A new browser of Alice's trusts whom her first one did: a false key for Bob is found out at once", async () => {
  const { alice, bob, eve, wire } = await people()
  await alice.says(bob, 'hello')
  const laptop = await alice.newBrowser()
  const hers = wire.accounts.get(eve.userId)
  if (hers) wire.accounts.set(bob.userId, hers)
  expect(await refreshPeers(laptop.env, laptop.room(bob))).toEqual(new Map([[bob.userId, 'key_changed']]))
  expect(await readyRoom(laptop.env, laptop.room(bob))).toMatchObject({ ready: false })
})

test('A text that no client could have posted is not kept', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.env.api(messagesApi.send, { chatRoomId: roomId, content: 'plain', messageType: 'text' })
  const entry = wire.rooms.get(roomId)?.log.at(-1)
  if (entry?.kind === 'message') entry.content = 'x'.repeat(1_000_000)
  expect(await bob.hears(alice)).toEqual([expect.stringMatching(/^unreadable: /)])
})

test('An envelope that names a place no room has asks the server for nothing', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  const entry = wire.rooms.get(roomId)?.log.at(-1)
  if (entry?.kind === 'message') entry.content = entry.content.replace(/"epoch":\d+/, '"epoch":4503599627370496')
  const laptop = await bob.newBrowser()
  const calls = counting(laptop)
  expect(await laptop.hears(alice)).toEqual([expect.stringMatching(/^unreadable: /)])
  expect(calls.get(roomsApi.archiveKeys.path)).toBeUndefined()
})

test('A commit entry that does not fit is not taken as the one that waits for its answer', async () => {
  const { alice, bob, roomId } = await people()
  await alice.says(bob, 'one')
  const place = { chatRoomId: roomId, peerIds: [bob.userId] }
  const draft = await alice.core.commitRoom(place)
  const { cursor = 0 } = (await alice.core.roomRecord(roomId)) ?? {}
  const { groupId, epoch, commit } = draft
  const lie: CommitEntry = {
    ...{ kind: 'commit', seq: cursor + 1, chatRoomId: roomId, senderId: alice.userId, generation: 77, groupId, epoch, commit },
    createdAt: new Date().toISOString(),
  }
  expect((await alice.core.receiveLog({ ...place, entries: [lie], now: Date.now() })).mustEnter).toBe(true)
  expect((await alice.core.roomRecord(roomId))?.generation).toBe(1)
})
