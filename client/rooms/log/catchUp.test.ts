import { expect, test } from 'vitest'
import { parseEnvelope, writeEnvelope } from '../../../contract/chat/envelope.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import type { TestPerson } from '../../testing/people.ts'
import { profileCopy } from '../../testing/profile.ts'
import { people } from '../../testing/room.ts'
import { bitFlipped } from '../../testing/wire.ts'
import { keepRooms } from '../list/loadRooms.ts'
import { refreshPreview } from '../list/preview.ts'
import { roomById } from '../list/roomList.ts'
import { catchUp } from './catchUp.ts'
import { readyRoom } from './readyRoom.ts'

test('Bob reads what Alice wrote, and she reads his answer', async () => {
  const { alice, bob } = await people()
  await alice.says(bob, 'hello')
  expect(await bob.hears(alice)).toEqual(['hello'])
  await bob.says(alice, 'good evening')
  expect(await alice.hears(bob)).toEqual(['hello', 'good evening'])
})

test('Both write first at once: one room, both messages, in one order', async () => {
  const { alice, bob, wire, roomId } = await people()
  await Promise.all([alice.says(bob, 'from Alice'), bob.says(alice, 'from Bob')])
  const received = await alice.hears(bob)
  expect([...received].sort()).toEqual(['from Alice', 'from Bob'])
  expect(await bob.hears(alice)).toEqual(received)
  expect(wire.rooms.get(roomId)?.generation).toBe(1)
})

test('Bob comes back after sixty messages and a change of keys, and reads every one', async () => {
  const { alice, bob } = await people()
  await bob.says(alice, 'I am leaving')
  await alice.reads(bob)
  const sentTexts = Array.from({ length: 60 }, (_, at) => `message ${at}`)
  for (const text of sentTexts) await alice.says(bob, text)
  expect(await bob.hears(alice)).toEqual(['I am leaving', ...sentTexts])
  await bob.says(alice, 'I am back')
  expect((await alice.hears(bob)).at(-1)).toBe('I am back')
})

test('Commits that collide: the loser takes what it missed and its message goes out once', async () => {
  const { alice, bob, roomId, wire } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  await alice.reads(bob)
  const place = (me: TestPerson, other: TestPerson) => ({ chatRoomId: roomId, peerIds: [other.userId], me })
  const drafts = await Promise.all(
    [place(alice, bob), place(bob, alice)].map(async ({ me, ...at }) => ({ me, draft: await me.core.commitRoom(at) })),
  )
  const posted = await Promise.allSettled(drafts.map(({ me, draft }) => me.env.api(roomsApi.commit, draft)))
  expect(posted.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  await alice.says(bob, 'three')
  await bob.says(alice, 'four')
  expect(await alice.hears(bob)).toEqual(['one', 'two', 'three', 'four'])
  expect(await bob.hears(alice)).toEqual(['one', 'two', 'three', 'four'])
  expect(wire.rooms.get(roomId)?.log.filter((entry) => entry.kind === 'message')).toHaveLength(4)
})

test('The answer to a message is lost: the retry sends the same bytes, and it stands there once', async () => {
  const { alice, bob, roomId, wire } = await people()
  await alice.says(bob, 'first')
  await alice.keeps(bob, 'second')
  wire.afterEffect = (_, path) => {
    if (path === messagesApi.send.path) throw new Error('the connection broke')
  }
  await expect(alice.sends(alice.room(bob))).rejects.toThrow('broke')
  wire.afterEffect = undefined
  const before = (await alice.core.outbox(roomId))[0]?.envelope
  expect(before).toBeTruthy()
  await alice.sends(alice.room(bob))
  expect(await bob.hears(alice)).toEqual(['first', 'second'])
  expect(await alice.hears(bob)).toEqual(['first', 'second'])
  expect(await alice.core.outbox(roomId)).toEqual([])
})

test('The answer to a commit is lost: the log shows that it was taken, and the room goes on', async () => {
  const { alice, bob, wire } = await people()
  let isLost = false
  wire.afterEffect = (caller, path) => {
    if (isLost || path !== roomsApi.commit.path || caller !== alice.userId) return
    isLost = true
    throw new Error('the connection broke')
  }
  await expect(alice.says(bob, 'hello')).rejects.toThrow('broke')
  await readyRoom(alice.env, alice.room(bob))
  await alice.sends(alice.room(bob))
  expect(await bob.hears(alice)).toEqual(['hello'])
})

test("A contact without a device: Alice's message waits with the reason, then goes out", async () => {
  const { alice, wire } = await people()
  const dora = { userId: crypto.randomUUID() }
  await expect(alice.says(dora, 'welcome')).rejects.toThrow('has no device yet')
  expect(wire.rooms.get(alice.contact(dora).chatRoomId)?.log).toEqual([])
  expect(await alice.core.outbox(alice.contact(dora).chatRoomId)).toHaveLength(1)
})

test('A second browser of Alice reads the whole chat at once, and writes in it', async () => {
  const { alice, bob } = await people()
  await alice.says(bob, 'from the first browser')
  await bob.says(alice, 'an answer')
  await alice.reads(bob)
  const laptop = await alice.newBrowser()
  expect(await laptop.hears(bob)).toEqual(['from the first browser', 'an answer'])
  await laptop.says(bob, 'from the second browser')
  expect(await bob.hears(alice)).toEqual(['from the first browser', 'an answer', 'from the second browser'])
  await bob.says(laptop, 'I see both')
  expect((await laptop.hears(bob)).at(-1)).toBe('I see both')
})

test('A program that wrote without encryption is shown as such, in the room and in its row', async () => {
  const { alice, bob, roomId } = await people()
  await alice.env.api(messagesApi.send, { chatRoomId: roomId, content: 'plain words', messageType: 'text' })
  expect((await bob.reads(alice)).map(({ body }) => body)).toEqual([{ kind: 'plain', text: 'plain words' }])
  const [room] = await keepRooms(bob.env, [bob.contact(alice)])
  if (!room) throw new Error('The contact has no room')
  await refreshPreview(bob.env, room)
  expect(roomById(roomId)?.preview).toMatchObject({ kind: 'plain', text: 'plain words' })
})

test('A message whose text the server swapped is unreadable with a reason, and the next one is fine', async () => {
  const { alice, bob, roomId, wire } = await people()
  await alice.says(bob, 'one')
  await bob.reads(alice)
  await alice.says(bob, 'two')
  const entry = wire.rooms.get(roomId)?.log.at(-1)
  const envelope = entry?.kind === 'message' ? parseEnvelope(entry.content) : undefined
  if (entry?.kind !== 'message' || !envelope) throw new Error('no envelope')
  entry.content = writeEnvelope({ ...envelope, body: bitFlipped(envelope.body) })
  await alice.says(bob, 'three')
  const received = await bob.hears(alice)
  expect(received[0]).toBe('one')
  expect(received[1]).toMatch(/^unreadable: /)
  expect(received[2]).toBe('three')
})

test('A message that the server puts under another id or name is not taken for what it says', async () => {
  const { alice, bob, roomId, wire } = await people()
  await alice.says(bob, 'mine')
  const entry = wire.rooms.get(roomId)?.log.at(-1)
  if (entry?.kind !== 'message') throw new Error('no message')
  entry.senderId = bob.userId
  const [read] = await bob.reads(alice)
  expect(read?.senderId).toBe(alice.userId)
  entry.id = crypto.randomUUID()
  const laptop = await bob.newBrowser()
  expect((await laptop.hears(alice))[0]).toMatch(/^unreadable: /)
})

test('The server plays an old group back: refused, nothing is sent', async () => {
  const { alice, bob, roomId, wire } = await people()
  await alice.says(bob, 'hello')
  await bob.reads(alice)
  const group = { ...wire.rooms.get(roomId) }
  await breakRoom(roomId, alice, bob)
  await alice.says(bob, 'after the restart')
  expect(wire.rooms.get(roomId)?.generation).toBe(2)
  const laptop = await alice.newBrowser()
  await laptop.reads(bob)
  wire.lie = (_, path, answer) =>
    path === roomsApi.group.path ? { ...(answer as object), generation: 1, groupId: group.groupId, epoch: group.epoch } : answer
  await expect(laptop.says(bob, 'to nobody')).rejects.toThrow()
})

test('A commit that nobody can process: the room restarts and says so, and nothing written is lost', async () => {
  const { alice, bob, roomId } = await people()
  await alice.says(bob, 'before')
  await bob.reads(alice)
  await breakRoom(roomId, alice, bob)
  await alice.says(bob, 'after')
  const received = await bob.hears(alice)
  expect(received).toContain('Encryption restarted')
  expect(received.filter((text) => text !== 'Encryption restarted')).toEqual(['before', 'after'])
  await bob.says(alice, 'still here')
  expect((await alice.hears(bob)).at(-1)).toBe('still here')
})

test("Bob's browser profile is restored from a backup: it reads on, and enters again before it sends", async () => {
  const { alice, bob } = await people()
  await bob.says(alice, 'before the backup')
  await alice.says(bob, 'noted')
  await bob.reads(alice)
  const restore = await profileCopy(bob.userId)
  await bob.says(alice, 'after the backup')
  await alice.says(bob, 'noted too')
  await bob.reads(alice)
  await restore()
  expect(await bob.hears(alice)).toEqual(['before the backup', 'noted', 'after the backup', 'noted too'])
  await bob.says(alice, 'from the restored profile')
  expect((await alice.hears(bob)).at(-1)).toBe('from the restored profile')
  await alice.says(bob, 'heard')
  expect((await bob.hears(alice)).at(-1)).toBe('heard')
})

test('The server hands out an older device list than before: refused by name', async () => {
  const { alice, bob, wire } = await people()
  const old = wire.accounts.get(bob.userId)?.keys.manifest
  await alice.says(bob, 'hello')
  const laptop = await bob.newBrowser()
  await laptop.says(alice, 'from my laptop')
  await alice.reads(laptop)
  const { identityKey } = alice.contact(bob).contactUser
  await expect(alice.core.takePeerManifest({ userId: bob.userId, identityKey, manifest: old ?? null })).rejects.toMatchObject({
    code: 'manifest_rollback',
  })
})

test('The server names another key for Bob: nothing is sent, and the person is told why', async () => {
  const { alice, bob, eve, wire, roomId } = await people()
  await alice.says(bob, 'hello')
  const before = wire.rooms.get(roomId)?.log.length
  const keys = wire.accounts.get(eve.userId)
  if (keys) wire.accounts.set(bob.userId, keys)
  await expect(alice.says(bob, 'a secret')).rejects.toThrow('key has changed')
  expect(wire.rooms.get(roomId)?.log.length).toBe(before)
})

test("Bob's commit leaves out Alice's archive key and spoils the GroupInfo: her device puts both right", async () => {
  const { alice, bob, roomId, wire } = await people()
  await alice.says(bob, 'one')
  await bob.reads(alice)
  const draft = await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] })
  await bob.env.api(roomsApi.commit, {
    ...draft,
    archiveKeys: draft.archiveKeys.filter(({ userId }) => userId !== alice.userId),
    groupInfo: wire.rooms.get(roomId)?.groupInfo ?? '',
  })
  await bob.says(alice, 'two')
  await alice.reads(bob)
  const laptop = await alice.newBrowser()
  expect(await laptop.hears(bob)).toEqual(['one', 'two'])
  await laptop.says(bob, 'three')
  expect(wire.rooms.get(roomId)?.generation).toBe(1)
})

test('Nothing that the server keeps holds a word of the chat', async () => {
  const { alice, bob, wire, roomId } = await people()
  const secret = `canary ${crypto.randomUUID()}`
  await alice.says(bob, secret)
  const everything = JSON.stringify([wire.rooms.get(roomId), [...wire.accounts.values()]])
  expect(everything).toContain(alice.deviceId)
  expect(everything).not.toContain(secret)
  expect(everything).not.toContain(btoa(secret).slice(4, 40))
})

/** Adds a commit and a GroupInfo to the server that fit no state of the room. */
async function breakRoom(roomId: string, alice: TestPerson, bob: TestPerson): Promise<void> {
  const draft = await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] })
  await bob.env.api(roomsApi.commit, { ...draft, commit: bitFlipped(draft.commit), groupInfo: bitFlipped(draft.groupInfo) })
  await catchUp(alice.env, alice.room(bob))
}
