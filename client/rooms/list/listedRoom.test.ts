import { randomBytes } from 'node:crypto'
import { signGroupInfo } from 'ts-mls/groupInfo.js'
import { expect, test } from 'vitest'
import { devicesApi } from '../../../contract/account/devices.ts'
import { type CommitDraft, roomsApi } from '../../../contract/chat/rooms.ts'
import { fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { changesKeys, counting, patchedClient, people } from '../../testing/room.ts'
import { bitFlipped } from '../../testing/wire.ts'
import { commitChange } from '../../worker/group/commits.ts'
import { epochOf, groupIdOf } from '../../worker/group/mls.ts'
import { decode, encode, suite } from '../../worker/group/suite.ts'
import { flip, peerIn } from '../../worker/group/testing.ts'
import { sealArchiveKey } from '../../worker/messages/archive.ts'
import { archiveKeyOf } from '../../worker/messages/sealedMessage.ts'
import { catchUp } from '../log/catchUp.ts'

/** Alice and Bob in a room that both have joined. Eve uses Bob's browser with a modified client. */
async function withEveAtBobs() {
  const at = await people()
  await at.alice.says(at.bob, 'one')
  await at.bob.says(at.alice, 'two')
  await at.alice.reads(at.bob)
  return { ...at, eve: await patchedClient(at.bob, at.alice) }
}

test.each([5, 32])(
  'Eve seals %i wrong bytes as the key of the archive: a new browser waits, and reads once it is put right',
  async (length) => {
    const { alice, bob, eve, wire, roomId } = await withEveAtBobs()
    const draft = await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] })
    const place = { groupId: draft.groupId, epoch: draft.epoch + 1 }
    const seal = (key: Uint8Array) => eve.inRoom(({ accounts }) => sealArchiveKey(peerIn(accounts), place, key))
    const rubbish = await seal(new Uint8Array(length))
    await bob.env.api(roomsApi.commit, { ...draft, archiveKeys: rubbish ? [rubbish] : [] })
    await bob.says(alice, 'three')
    const laptop = await alice.newBrowser()
    expect(await laptop.hears(bob)).toEqual(['one', 'two', 'sealed'])
    const { group } = await eve.inRoom(async (room) => room)
    const right = group && (await seal(await archiveKeyOf(group)))
    const room = wire.rooms.get(roomId)
    if (!right || !room) throw new Error('nothing sealed')
    room.archiveKeys = [...room.archiveKeys.filter(({ sealed }) => sealed !== rubbish?.sealed), right]
    laptop.env.clock = () => new Date(Date.now() + 6 * 60_000)
    expect(await laptop.hears(bob)).toEqual(['one', 'two', 'three'])
  },
)

test('Eve leaves out the keys of two epochs at once: Alice puts both right, and a new browser reads all', async () => {
  const { alice, bob, wire, roomId } = await withEveAtBobs()
  for (const text of ['three', 'four']) {
    const draft = await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] })
    await bob.env.api(roomsApi.commit, { ...draft, archiveKeys: draft.archiveKeys.filter(({ userId }) => userId === bob.userId) })
    await bob.says(alice, text)
  }
  let isFirst = true
  wire.afterEffect = (caller, path) => {
    if (!isFirst || caller !== alice.userId || path !== roomsApi.addArchiveKeys.path) return
    isFirst = false
    for (const room of wire.rooms.values())
      room.archiveKeys = room.archiveKeys.filter(({ epoch, userId }) => userId === bob.userId || epoch < 3)
    throw new Error('the connection broke')
  }
  await expect(alice.reads(bob)).rejects.toThrow('broke')
  await alice.reads(bob)
  const laptop = await alice.newBrowser()
  expect(await laptop.hears(bob)).toEqual(['one', 'two', 'three', 'four'])
})

test.each(['the committer', 'a stolen browser of her own'])(
  'Of the two keys of an epoch, the one by %s is rubbish: a new browser reads by the other, in either order',
  async (who) => {
    const { alice, bob, wire, roomId } = await withEveAtBobs()
    await bob.says(alice, 'three')
    await alice.reads(bob)
    const room = wire.rooms.get(roomId)
    const hers = room?.archiveKeys.filter(({ userId }) => userId === alice.userId) ?? []
    const { inRoom } = await patchedClient(bob, alice)
    const { accounts } = await inRoom(async (open) => open)
    const rubbish = await Promise.all(hers.map((key) => sealArchiveKey(peerIn(accounts), key, randomBytes(32))))
    if (!room || hers.length === 0) throw new Error('nothing sealed')
    const both = rubbish.flatMap((wrong, at) => [wrong, hers[at]].filter((key) => key !== undefined))
    room.archiveKeys = who === 'the committer' ? both : [...both].reverse()
    const laptop = await alice.newBrowser()
    expect(await laptop.hears(bob)).toEqual(['one', 'two', 'three'])
  },
)

test('Eve makes the room and leaves out the key of its beginning: Alice puts it right', async () => {
  const { alice, bob, roomId } = await people()
  const { api } = bob.env
  bob.env.api = ((endpoint, input) => {
    if (endpoint.path !== roomsApi.commit.path) return api(endpoint, input)
    const draft = input as unknown as CommitDraft
    return api(endpoint, { ...draft, archiveKeys: [] } as never)
  }) as typeof api
  await bob.says(alice, 'hello')
  await alice.reads(bob)
  const laptop = await alice.newBrowser()
  expect(await laptop.hears(bob)).toEqual(['hello'])
  expect((await laptop.core.roomRecord(roomId))?.waiting).toEqual([])
})

test('Eve writes rubbish into a commit: Alice reads on, and answers', async () => {
  const { alice, bob, eve, roomId } = await withEveAtBobs()
  const made = await eve.inRoom(({ group }) => {
    if (!group) throw new Error('outside')
    return commitChange({ group, removeLeaves: [], addKeyPackages: [], authData: randomBytes(900) })
  })
  const { group } = await eve.inRoom(async (room) => room)
  if (!group) throw new Error('outside')
  await bob.env.api(roomsApi.commit, {
    ...{ chatRoomId: roomId, generation: 1, groupId: toBase64(groupIdOf(group)), epoch: epochOf(group), archiveKeys: [] },
    ...{ commit: toBase64(made.commit), groupInfo: toBase64(made.groupInfo), afterSeq: 0 },
    manifestVersions: { [alice.userId]: 1, [bob.userId]: 1 },
  })
  expect(await alice.hears(bob)).toEqual(['one', 'two'])
  await alice.says(bob, 'three')
  expect((await alice.hears(bob)).at(-1)).toBe('three')
})

test('Eve names device lists that do not exist: Alice asks the server once', async () => {
  const { alice, bob, eve } = await withEveAtBobs()
  const calls = counting(alice)
  for (const version of [1e6, 1e6, 5e6]) {
    const { id, content } = await eve.seals({ manifests: { [bob.userId]: version, [alice.userId]: version, nobody: 9e9 } })
    await eve.posts(id, content)
    await catchUp(alice.env, alice.room(bob))
  }
  expect(calls.get(devicesApi.manifest.path)).toBe(1)
  expect(calls.get(devicesApi.keys.path)).toBe(1)
})

test("Eve signs with Alice's stolen device inside her own envelope: it does not show as Alice's", async () => {
  const { alice, bob, eve } = await withEveAtBobs()
  const stolen = await patchedClient(alice, bob)
  const { id, content } = await eve.seals({ content: { type: 'text', text: 'I owe you' } }, stolen.live)
  await eve.posts(id, content)
  expect((await alice.hears(bob)).at(-1)).toMatch(/^unreadable: .*another device/)
})

test('Eve posts a statement under another id, or for another room: it shows as unreadable', async () => {
  const { alice, bob, eve } = await withEveAtBobs()
  const { content } = await eve.seals()
  await eve.posts(crypto.randomUUID(), content)
  const other = await eve.seals({ chatRoomId: `dm_${bob.userId}_${alice.userId}x` })
  await eve.posts(other.id, other.content)
  expect((await alice.hears(bob)).slice(-2)).toEqual([
    expect.stringMatching(/another place/),
    expect.stringMatching(/another place/),
  ])
})

test("Eve claims that Alice's own browser sent her envelope: unreadable, and Alice stays in the room", async () => {
  const { alice, bob, eve, roomId } = await withEveAtBobs()
  const stolen = await patchedClient(alice, bob)
  const { id, content } = await stolen.seals({}, eve.live)
  await eve.posts(id, content)
  await alice.reads(bob)
  expect((await alice.core.roomRecord(roomId))?.standing).toBe('joined')
})

test('Eve spoils the MLS part of her message: what the archive proves is shown, and Alice stays in the room', async () => {
  const { alice, bob, eve, roomId } = await withEveAtBobs()
  const { id, content } = await eve.seals({ content: { type: 'text', text: 'three' } })
  const envelope = JSON.parse(content) as { mls: string }
  await eve.posts(id, JSON.stringify({ ...envelope, mls: bitFlipped(envelope.mls) }))
  expect((await alice.hears(bob)).at(-1)).toBe('three')
  expect((await alice.core.roomRecord(roomId))?.standing).toBe('joined')
})

/** Returns the GroupInfo with another external public key, signed by the same device. */
async function withOtherDoor(groupInfo: string, leafSeed: Uint8Array): Promise<string> {
  const decoded = decode(fromBase64(groupInfo), 'mls_group_info').groupInfo
  const extensions = decoded.extensions.map((one) =>
    one.extensionType === 'external_pub' ? { ...one, extensionData: flip(one.extensionData, 99) } : one,
  )
  const signed = await signGroupInfo({ ...decoded, extensions }, leafSeed, (await suite()).signature)
  return toBase64(encode({ wireformat: 'mls_group_info', groupInfo: signed }))
}

test.each(['an older one', 'one with another key to come in by'])(
  'Eve leaves %s in place of the GroupInfo: Alice replaces it, and newcomers come in',
  async (kind) => {
    const { alice, bob, eve, wire, roomId } = await withEveAtBobs()
    const older = wire.rooms.get(roomId)?.groupInfo ?? ''
    const draft = await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] })
    const wrong = kind === 'an older one' ? older : await withOtherDoor(draft.groupInfo, eve.live.device.leafSeed)
    await bob.env.api(roomsApi.commit, { ...draft, groupInfo: wrong })
    await alice.reads(bob)
    expect(wire.rooms.get(roomId)?.groupInfo).not.toBe(wrong)
    const laptop = await alice.newBrowser()
    await laptop.says(bob, 'from the laptop')
    expect(await bob.hears(alice)).toContain('from the laptop')
    expect(wire.rooms.get(roomId)?.generation).toBe(1)
  },
)

test('The key of an epoch that Alice derived herself is not replaced by what Eve sealed', async () => {
  const { alice, bob, roomId } = await withEveAtBobs()
  const { live, inRoom } = await patchedClient(bob, alice)
  await bob.env.api(roomsApi.commit, await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] }))
  await catchUp(bob.env, bob.room(alice))
  await alice.reads(bob)
  const { group, accounts } = await inRoom(async (room) => room)
  if (!group) throw new Error('outside')
  const place = { groupId: toBase64(groupIdOf(group)), epoch: epochOf(group) }
  const wrong = await sealArchiveKey(peerIn(accounts), place, randomBytes(32))
  if (!wrong) throw new Error('nothing sealed')
  await alice.core.keepArchiveKeys([wrong])
  const hers = await patchedClient(alice, bob)
  const held = await hers.live.vault.get('sealed', `epoch:${place.groupId}:${place.epoch}`)
  expect(held?.bytes).toEqual(await archiveKeyOf(group))
  expect(live.userId).toBe(bob.userId)
})

test('Bob seals to the history key of before a removal: Alice adds a seal to the new one', async () => {
  const { alice, bob, wire, roomId } = await withEveAtBobs()
  const laptop = await alice.newComputer()
  const old = await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] })
  await changesKeys(alice, { removeDevices: [laptop.deviceId] })
  // The server does not check the commit.
  const account = wire.accounts.get(alice.userId)
  await bob.env.api(roomsApi.commit, { ...old, manifestVersions: { ...old.manifestVersions, [alice.userId]: 99 } })
  const sealedUnder = () =>
    wire.rooms
      .get(roomId)
      ?.archiveKeys.filter(({ userId, epoch }) => userId === alice.userId && epoch === old.epoch + 1)
      .map(({ historyKeyId }) => historyKeyId)
  expect(sealedUnder()).toEqual([1])
  await alice.reads(bob)
  expect(sealedUnder()).toEqual([1, 2])
  expect(account?.book.historyKeyId).toBe(2)
})

test('An account that keeps no history adds no seals of its own', async () => {
  const { alice, bob, wire, roomId } = await withEveAtBobs()
  await changesKeys(alice, { keepsHistory: false })
  await bob.reads(alice)
  await bob.env.api(roomsApi.commit, await bob.core.commitRoom({ chatRoomId: roomId, peerIds: [alice.userId] }))
  await bob.says(alice, 'three')
  expect((await alice.hears(bob)).at(-1)).toBe('three')
  expect(wire.rooms.get(roomId)?.archiveKeys.filter(({ userId }) => userId === alice.userId)).toEqual([])
})
