import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { devicesApi } from '../../../contract/account/devices.ts'
import { type ArchiveKey, type LogPage, type RoomGroup, roomsApi } from '../../../contract/chat/rooms.ts'
import { passwordOf, type TestPerson, wordsOf } from '../../testing/people.ts'
import { changesKeys, patchedClient, people } from '../../testing/room.ts'
import { saltOf } from '../../testing/state.ts'
import { bitFlipped, type Wire } from '../../testing/wire.ts'
import { createCore } from '../../worker/core.ts'
import { members } from '../../worker/group/mls.ts'
import type { StoredMessage } from '../../worker/vault/storedMessage.ts'
import { refreshPeers } from '../trust/peers.ts'

// A server that swaps or rolls back its answers. Tests of messages, Welcomes and older room states are in server.test.ts, of
// their order in transcript.test.ts, of the address book and the own device list in trust/rollback.test.ts.

/** Changes the server's responses to one person for one path. */
function lieTo<Answer>(wire: Wire, person: TestPerson, path: string, change: (answer: Answer) => unknown): void {
  wire.lie = (caller, asked, answer) => (caller === person.userId && asked === path ? change(answer as Answer) : answer)
}

test('The server swaps the salt: the right password does not sign in, and the server learns nothing that does', async () => {
  const { alice, wire } = await people()
  const { keyring, manifest } = (await alice.env.api(devicesApi.keys, {})) ?? {}
  const { username } = alice
  const core = createCore()
  const { authSecret } = await core.stretch({ username, password: passwordOf(username), salt: saltOf('eve') })
  expect(authSecret).not.toBe(wire.accounts.get(alice.userId)?.authSecret)
  if (!keyring || !manifest) throw new Error('no keys')
  await expect(core.reviewAccount({ keyring, manifest })).rejects.toMatchObject({ code: 'way' })
})

test("The server swaps the keyring for Eve's, or for an older one: the sign-in is refused", async () => {
  const { alice, eve, wire } = await people()
  const old = await alice.env.api(devicesApi.keys, {})
  await alice.core.newKit()
  await changesKeys(alice, { kit: 'new' })
  const now = await alice.env.api(devicesApi.keys, {})
  const hers = wire.accounts.get(eve.userId)?.keys
  const { username } = alice
  const core = createCore()
  await core.stretch({ username, password: passwordOf(username), salt: saltOf(username) })
  if (!old.keyring || !old.manifest || !now.keyring || !now.manifest || !hers) throw new Error('no keys')
  const signIn = (keyring: typeof hers.keyring, manifest: typeof hers.manifest) => core.reviewAccount({ keyring, manifest })
  await expect(signIn(hers.keyring, now.manifest)).rejects.toMatchObject({ code: 'way' })
  await expect(signIn(old.keyring, now.manifest)).rejects.toMatchObject({ code: 'keyring_rollback' })
  await expect(signIn(now.keyring, old.manifest)).rejects.toMatchObject({ code: 'keyring_rollback' })
  expect(await signIn(now.keyring, now.manifest)).toHaveLength(1)
  // An open browser knows the newest version and rejects the older one.
  await expect(alice.core.takeOwnManifest(old.manifest, {})).rejects.toMatchObject({ code: 'manifest_rollback' })
})

test("The server swaps Bob's device list for Eve's, or for an older one: nothing is sent, and the chat says why", async () => {
  const { alice, bob, eve, wire } = await people()
  const before = structuredClone(wire.accounts.get(bob.userId)?.keys)
  const tablet = await bob.newComputer()
  await alice.says(bob, 'hello')
  await changesKeys(bob, { removeDevices: [tablet.deviceId] })
  await refreshPeers(alice.env, alice.room(bob))
  const account = wire.accounts.get(bob.userId)
  const hers = wire.accounts.get(eve.userId)?.keys
  if (!account || !before || !hers) throw new Error('no keys')
  const path = devicesApi.manifest.path
  // The server claims a higher version for the list from before the removal.
  const rolledBack = { userId: bob.userId, identityKey: alice.contact(bob).contactUser.identityKey }
  lieTo(wire, alice, path, () => ({ ...rolledBack, manifest: before.manifest, version: 9 }))
  const named = (manifestVersion: number) => ({
    ownId: alice.userId,
    peers: alice.room(bob).peers.map((peer) => ({ ...peer, manifestVersion })),
  })
  await expect(refreshPeers(alice.env, named(9))).rejects.toMatchObject({ code: 'manifest_rollback' })
  lieTo(wire, alice, path, () => ({ ...rolledBack, manifest: hers.manifest, version: 9 }))
  await expect(refreshPeers(alice.env, named(10))).rejects.toMatchObject({ name: 'CryptoFailure' })
  wire.lie = undefined
  wire.accounts.set(bob.userId, { ...account, keys: hers })
  await expect(alice.says(bob, 'a secret')).rejects.toThrow('key has changed')
})

test("The server hands out Eve's key package for Bob's browser, or a used one: he reads and answers, and she is not let in", async () => {
  const { alice, bob, eve, wire } = await people()
  await eve.says(bob, 'hi')
  await bob.reads(eve)
  const used = wire.accounts.get(bob.userId)?.packages[0]
  const hers = wire.accounts.get(eve.userId)?.packages[1]
  lieTo<{ packages: { keyPackage: string }[] }>(wire, alice, roomsApi.claimKeyPackages.path, ({ packages }) => ({
    packages: packages.flatMap((one) => [
      { ...one, keyPackage: hers?.keyPackage },
      { ...one, keyPackage: used?.keyPackage },
    ]),
  }))
  await alice.says(bob, 'hello')
  expect(await bob.hears(alice)).toEqual(['hello'])
  await bob.says(alice, 'good evening')
  expect(await alice.hears(bob)).toEqual(['hello', 'good evening'])
  const { inRoom } = await patchedClient(alice, bob)
  const devices = await inRoom(async ({ group }) => (group ? members(group).map(({ deviceId }) => deviceId) : []))
  expect(devices.sort()).toEqual([alice.deviceId, bob.deviceId].sort())
})

test("The server shows a new browser the GroupInfo of Eve's room, or a spoilt one: it does not come in there, and says so", async () => {
  const { alice, bob, eve, wire, roomId } = await people()
  await alice.says(bob, 'hello')
  await alice.says(eve, 'hello Eve')
  const evesRoom = wire.rooms.get(alice.contact(eve).chatRoomId)
  const laptop = await alice.newComputer()
  await laptop.reads(bob)
  const group = await laptop.env.api(roomsApi.group, { chatRoomId: roomId })
  const enters = (served: RoomGroup) => laptop.core.joinRoom({ chatRoomId: roomId, peerIds: [bob.userId], group: served })
  await expect(enters({ ...group, groupInfo: evesRoom?.groupInfo ?? null })).rejects.toMatchObject({ code: 'group_id' })
  await expect(enters({ ...group, groupInfo: bitFlipped(group.groupInfo ?? '') })).rejects.toMatchObject({
    name: 'CryptoFailure',
  })
  await laptop.says(bob, 'from the laptop')
  expect((await bob.hears(alice)).at(-1)).toBe('from the laptop')
})

test('The server spoils a commit, or puts an older one in its place: what follows is read, and both go on', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.says(alice, 'two')
  await alice.reads(bob)
  const place = { chatRoomId: roomId, peerIds: [alice.userId] }
  const older = wire.rooms.get(roomId)?.log.find(({ kind }) => kind === 'commit')
  let next = 'three'
  for (const spoil of [bitFlipped, () => (older?.kind === 'commit' ? older.commit : '')]) {
    const from = wire.rooms.get(roomId)?.log.length ?? 0
    await bob.env.api(roomsApi.commit, await bob.core.commitRoom(place))
    await bob.says(alice, next)
    lieTo<LogPage>(wire, alice, roomsApi.log.path, ({ entries, lastSeq }) => ({
      lastSeq,
      entries: entries.map((entry) =>
        entry.kind === 'commit' && entry.seq > from ? { ...entry, commit: spoil(entry.commit) } : entry,
      ),
    }))
    expect((await alice.hears(bob)).at(-1)).toBe(next)
    expect((await alice.core.roomRecord(roomId))?.standing).toBe('outside')
    wire.lie = undefined
    await alice.says(bob, `after ${next}`)
    expect((await bob.hears(alice)).at(-1)).toBe(`after ${next}`)
    next = 'four'
  }
})

test('The server swaps the archive keys of two epochs: a new browser waits with those messages, and reads them when it is put right', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'one')
  await bob.reads(alice)
  await bob.env.api(roomsApi.commit, await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] }))
  await bob.says(alice, 'two')
  const laptop = await alice.newComputer()
  lieTo<{ keys: ArchiveKey[] }>(wire, laptop, roomsApi.archiveKeys.path, ({ keys }) => ({
    keys: keys.map((key, at) => ({ ...key, sealed: (keys[at + 1] ?? keys[0] ?? key).sealed })),
  }))
  const waiting = await laptop.reads(bob)
  expect(waiting.map(({ body }) => body.kind)).toEqual(['sealed', 'sealed'])
  wire.lie = undefined
  laptop.env.clock = () => new Date(Date.now() + 6 * 60_000)
  expect(await laptop.hears(bob)).toEqual(['one', 'two'])
})

test('The server swaps the contents of two messages: both say that they were written for another place', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'pay Eve')
  await alice.says(bob, 'do not')
  const [one, two] = wire.rooms.get(roomId)?.log.filter((entry) => entry.kind === 'message') ?? []
  if (!one || !two) throw new Error('nothing to swap')
  ;[one.content, two.content] = [two.content, one.content]
  const odd = expect.stringMatching(/^unreadable: .*another place/)
  expect(await bob.hears(alice)).toEqual([odd, odd])
})

test('The server shows a message of three hours ago as a new one: the time that its author signed stands beside it', async () => {
  const { alice, bob } = await people()
  await alice.says(bob, 'hello')
  await bob.reads(alice)
  const sentAt = new Date(Date.now() - 3 * 3_600_000).toISOString()
  const old = await patchedClient(alice, bob)
  const { id, content } = await old.seals({ sentAt, content: { type: 'text', text: 'yes, do it' } })
  await old.posts(id, content)
  const { id: newId, content: now } = await old.seals({ sentAt: new Date(Date.now() - 60_000).toISOString() })
  await old.posts(newId, now)
  const times = (messages: StoredMessage[]) => messages.map((message) => message.sentAt)
  expect(times(await bob.reads(alice))).toEqual([undefined, sentAt, undefined])
  expect(times(await (await bob.newComputer()).reads(alice))).toEqual([undefined, sentAt, undefined])
})

test('What Alice wrote offline goes out hours later: her own browser shows when she wrote it, as the others do', async () => {
  const { alice, bob } = await people()
  await alice.says(bob, 'hello')
  const sentAt = new Date(Date.now() - 3 * 3_600_000).toISOString()
  const content = { type: 'text' as const, text: 'from the train' }
  await alice.core.keepInOutbox({ id: randomUUID(), chatRoomId: alice.room(bob).id, content, replyToId: null, sentAt })
  await alice.sends(alice.room(bob))
  for (const messages of [await alice.reads(bob), await bob.reads(alice)]) expect(messages.at(-1)).toMatchObject({ sentAt })
})

test('The archive part of a message is rubbish: Bob is told while he still can read it, not when a later browser cannot', async () => {
  const { alice, bob, wire, roomId } = await people()
  await alice.says(bob, 'hello')
  await bob.reads(alice)
  await alice.says(bob, 'a promise')
  await alice.says(bob, 'and more')
  const entry = wire.rooms.get(roomId)?.log.at(-2)
  if (entry?.kind !== 'message') throw new Error('There is no message')
  const envelope = JSON.parse(entry.content)
  entry.content = JSON.stringify({ ...envelope, archive: bitFlipped(envelope.archive) })
  const messages = await bob.reads(alice)
  expect(messages.map(({ body }) => wordsOf(body))).toEqual(['hello', 'a promise', 'and more'])
  expect(messages.map(({ isArchiveWrong = false }) => isArchiveWrong)).toEqual([false, true, false])
})
