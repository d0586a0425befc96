import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { devicesApi } from '../../../contract/account/devices.ts'
import { type ArchiveKey, type CommitEntry, roomsApi } from '../../../contract/chat/rooms.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { at, type TestPerson, wordsOf } from '../../testing/people.ts'
import { changesKeys, patchedClient, people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { commitChange } from '../../worker/group/commits.ts'
import { roomGroupId } from '../../worker/group/groupid.ts'
import { createRoomGroup, makeKeyPackage } from '../../worker/group/joining.ts'
import { accountKeysOf, everyAccount } from '../../worker/group/members.ts'
import { epochOf, groupIdOf } from '../../worker/group/mls.ts'
import { namesOfAccounts } from '../../worker/group/namedLists.ts'
import { type Live, leafDevice } from '../../worker/keys/live.ts'
import { sealArchiveKey } from '../../worker/messages/archive.ts'
import { archiveKeyOf, sealMessage } from '../../worker/messages/sealedMessage.ts'
import { randomBytes } from '../../worker/primitives/seal.ts'
import { catchUp } from './catchUp.ts'

// Alice removes her stolen phone. Eve has its contents and controls the server. She tries to make Bob read her words as Alice's.

let wire: Wire
let laptop: TestPerson
let phone: TestPerson
let bob: TestPerson
let chatRoomId: string
let thief: Awaited<ReturnType<typeof patchedClient>>
/** A second device of Eve's, because a group needs two devices. */
let bait: Live

beforeEach(async () => {
  const all = await people()
  ;({ wire, bob, roomId: chatRoomId } = all)
  laptop = all.alice
  phone = await laptop.newComputer()
  await laptop.says(bob, 'hello')
  await bob.says(laptop, 'hello Alice')
  await phone.says(bob, 'from my phone')
  thief = await openedOf(phone)
  bait = (await patchedClient(all.eve, bob)).live
})

/** Opens the vault of a person's browser with a modified client. */
const openedOf = (person: TestPerson) => at(person.computer, () => patchedClient(person, bob))

const roomOnWire = () => {
  const room = wire.rooms.get(chatRoomId)
  if (!room) throw new Error('There is no room')
  return room
}

const WORDS = 'Wire the money today'
const REFUSED = 'unreadable: It was signed by a browser that had been removed before'
const ELSEWHERE = 'unreadable: It was sealed for another state of this chat'

/** Creates Eve's own group in the room's next generation, and seals its archive key to Bob. This needs only public values. */
const invents = () =>
  thief.inRoom(async ({ accounts }) => {
    const generation = roomOnWire().generation + 1
    const made = await createRoomGroup({
      device: leafDevice(thief.live),
      groupId: roomGroupId(randomBytes(16), chatRoomId, generation, accountKeysOf(accounts)),
      keyPackages: [(await makeKeyPackage(leafDevice(bait), false, new Date())).keyPackage],
      authData: new Uint8Array(),
      accounts: [...accountKeysOf(accounts), bait.identityKey],
      now: new Date(),
    })
    const place = { groupId: toBase64(groupIdOf(made.group)), epoch: epochOf(made.group) }
    const archiveKey = await archiveKeyOf(made.group)
    const seals = await Promise.all(everyAccount(accounts).map((account) => sealArchiveKey(account, place, archiveKey)))
    const id = randomUUID()
    const sealed = await sealMessage(made.group, leafDevice(thief.live), {
      id,
      chatRoomId,
      sentAt: new Date().toISOString(),
      content: { type: 'text', text: WORDS },
      replyToId: null,
      manifests: {},
      seen: { seq: roomOnWire().log.length + 1, hash: '' },
    })
    return { ...made, ...place, generation, keys: seals.filter((key) => key !== undefined), id, content: sealed.content }
  })

type Invented = Awaited<ReturnType<typeof invents>>

/** The server adds Eve's group to the log as a restart by Alice. */
function tellsRestart({ generation, groupId, epoch, commit, groupInfo }: Invented): void {
  const room = roomOnWire()
  const entry: CommitEntry = {
    kind: 'commit',
    seq: room.log.length + 1,
    ...{ chatRoomId, senderId: laptop.userId, generation, groupId, epoch: 0 },
    commit: toBase64(commit),
    createdAt: new Date().toISOString(),
  }
  room.log.push(entry)
  Object.assign(room, { generation, groupId, epoch, groupInfo: toBase64(groupInfo) })
}

/** The server adds Eve's message to the log and stores the archive key for Bob. */
function tells(invented: Invented, keys: ArchiveKey[] = invented.keys): void {
  const room = roomOnWire()
  room.archiveKeys.push(...keys)
  room.log.push({
    kind: 'message',
    id: invented.id,
    seq: room.log.length + 1,
    ...{ chatRoomId, senderId: laptop.userId, content: invented.content, messageType: 'text' },
    ...{ filePath: null, fileName: null, fileSize: null, isEncrypted: true, deliveryStatus: 'sent', replyToId: null },
    createdAt: new Date().toISOString(),
  })
}

/** Alice removes the phone and writes, so that the room's commit names the list without it. */
async function removesPhone() {
  await changesKeys(laptop, { removeDevices: [phone.deviceId] })
  await laptop.says(bob, 'I lost my phone')
}

const read = async (person: TestPerson) => (await person.reads(laptop)).map(({ body }) => wordsOf(body))

test('Eve makes up a restart of the chat with the stolen phone: Bob is not shown her words as if Alice had written them', async () => {
  await removesPhone()
  await bob.reads(laptop)
  const invented = await invents()
  tellsRestart(invented)
  tells(invented)
  expect((await read(bob)).at(-1)).toBe(REFUSED)
})

test('Nor does a browser that has not joined, nor a new one of his that reads the older page', async () => {
  await removesPhone()
  const tablet = await bob.newComputer()
  await tablet.reads(laptop)
  const invented = await invents()
  tellsRestart(invented)
  tells(invented)
  expect((await read(tablet)).at(-1)).toBe(REFUSED)
  const fresh = await bob.newComputer()
  expect((await read(fresh)).at(-1)).toBe(REFUSED)
  expect((await read(fresh)).slice(0, 4)).toEqual(['hello', 'hello Alice', 'from my phone', 'I lost my phone'])
})

test('Nor where the key of her words comes late', async () => {
  await removesPhone()
  await bob.reads(laptop)
  const invented = await invents()
  tellsRestart(invented)
  tells(invented, [])
  expect((await read(bob)).at(-1)).toBe('sealed')
  roomOnWire().archiveKeys.push(...invented.keys)
  await bob.core.keepArchiveKeys(invented.keys.filter(({ userId }) => userId === bob.userId))
  await bob.core.reopenWaiting({ chatRoomId, peerIds: [laptop.userId] })
  expect((await read(bob)).at(-1)).toBe(REFUSED)
})

test('The stolen phone never wrote in this chat: the commit behind its removal speaks of it all the same', async () => {
  const tablet = await laptop.newComputer()
  await tablet.reads(bob)
  thief = await openedOf(tablet)
  await changesKeys(laptop, { removeDevices: [tablet.deviceId] })
  await laptop.says(bob, 'I lost my tablet')
  await bob.reads(laptop)
  const invented = await invents()
  tellsRestart(invented)
  tells(invented)
  expect((await read(bob)).at(-1)).toBe(REFUSED)
})

test('Words of a group that the log never began are read by nobody, although their archive key fits', async () => {
  await bob.reads(laptop)
  const invented = await invents()
  tells(invented)
  expect((await read(bob)).at(-1)).toBe(ELSEWHERE)
  const tablet = await bob.newComputer()
  await tablet.reads(laptop)
  tells(await invents())
  expect((await read(tablet)).at(-1)).toBe(ELSEWHERE)
})

test('What Alice wrote on her phone before she removed it stays readable, and Bob is told that the phone is gone', async () => {
  await phone.says(bob, 'my last words from here')
  await changesKeys(laptop, { removeDevices: [phone.deviceId] })
  const messages = await bob.reads(laptop)
  expect(messages.map(({ body }) => wordsOf(body)).slice(-2)).toEqual(['from my phone', 'my last words from here'])
  expect(messages.map(({ isRemovedSince = false }) => isRemovedSince)).toEqual([false, false, true, true])
  const tablet = await bob.newComputer()
  const older = await tablet.reads(laptop)
  expect(older.map(({ isRemovedSince = false, isOlder = false }) => [isRemovedSince, isOlder])).toEqual(
    [false, false, true, true].map((isRemoved) => [isRemoved, true]),
  )
})

test('A commit names a device list that Bob has not heard of: he fetches that version before he judges what stands behind it', async () => {
  const before = bob.room(laptop)
  await bob.reads(laptop)
  await removesPhone()
  const invented = await invents()
  tellsRestart(invented)
  tells(invented)
  const asked: unknown[] = []
  const { api } = bob.env
  bob.env.api = ((endpoint, input) => {
    if (endpoint.path === devicesApi.manifest.path) asked.push(input)
    return api(endpoint, input)
  }) as typeof api
  // This contact list is older.
  await catchUp(bob.env, before)
  expect(asked).toEqual([{ userId: laptop.userId, version: 3 }])
  const { messages } = await bob.core.page({ chatRoomId, limit: 9 })
  expect(messages.map(({ body }) => wordsOf(body)).at(-1)).toBe(REFUSED)
})

test('A list that the server does not have holds nothing up, and is asked for once', async () => {
  await bob.reads(laptop)
  const asked: unknown[] = []
  const { api } = laptop.env
  laptop.env.api = ((endpoint, input) => {
    if (endpoint.path === devicesApi.manifest.path) asked.push(input)
    return api(endpoint, input)
  }) as typeof api
  const patched = await patchedClient(bob, laptop)
  const draft = await patched.inRoom(async ({ group, record, accounts }) => {
    if (!group || !record) throw new Error('Bob is not in the room')
    const authData = namesOfAccounts({ ...accounts, own: { ...accounts.own, version: 900 } })
    const made = await commitChange({ group, removeLeaves: [], addKeyPackages: [], authData })
    return {
      ...{ chatRoomId, generation: record.generation, groupId: record.groupId ?? '', epoch: epochOf(group) },
      ...{ commit: toBase64(made.commit), groupInfo: toBase64(made.groupInfo), archiveKeys: [], afterSeq: 0 },
      manifestVersions: { [bob.userId]: 9, [laptop.userId]: 9 },
    }
  })
  await bob.env.api(roomsApi.commit, draft)
  await laptop.reads(bob)
  await bob.says(laptop, 'hello again')
  await laptop.reads(bob)
  expect(asked).toEqual([{ userId: bob.userId, version: 900 }])
  await laptop.says(bob, 'I am still here')
  expect((await bob.hears(laptop)).at(-1)).toBe('I am still here')
})
