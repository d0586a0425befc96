import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { toBase64 } from '../../contract/bytes.ts'
import { keyPairOf } from '../primitives/seal.ts'
import { patchedClient, people } from '../testing/room.ts'
import { openArchiveKey, sealArchiveKey } from './archive.ts'
import { type Change, type Leaf, refusalOf } from './commits.ts'
import { groupIdHolds, roomGroupId } from './groupid.ts'
import { accountKeysOf, everyAccount, listedIn, type MemberAccount, versionsOf } from './peers.ts'

const key = (byte: number) => new Uint8Array(32).fill(byte)
const RANDOM = new Uint8Array(16).fill(7)
const [ALICE, BOB, CAROL, EVE] = [1, 2, 3, 4]

const account = (byte: number, version = 1): MemberAccount => ({
  userId: `user-${byte}`,
  identityKey: key(byte),
  version,
  signed: { content: '', signature: '' },
  manifest: {
    ...{ v: 1, version, identityKey: toBase64(key(byte)), removed: [], historyKeyId: 0, historyKey: '' },
    ...{ keepsHistory: true, keyringVersion: 1 },
    devices: [{ id: `device-${byte}`, sealedName: '', leafKey: toBase64(key(100 + byte)), sealingKey: '', addedAt: '' }],
  },
})
const three = { own: account(ALICE, 5), others: [account(BOB, 6), account(CAROL, 7)] }

test('The group id of two people is the one that the first version made', () => {
  const id = roomGroupId(RANDOM, 'dm_a_b', 1, [key(2), key(1)])
  expect(Buffer.from(id).toString('hex')).toBe(
    '07070707070707070707070707070707dca3fc2d9710c83e08ed3b806330173244d0709157011514fbd61f7fdb9d4b3d',
  )
})

test('The group id of three people is the same in any order, and falls when one is left out, added or exchanged', () => {
  const id = roomGroupId(RANDOM, 'room_x', 1, [key(ALICE), key(BOB), key(CAROL)])
  const holds = (...accounts: number[]) => groupIdHolds(id, 'room_x', 1, accounts.map(key))
  expect(holds(CAROL, ALICE, BOB)).toBe(true)
  expect(holds(ALICE, BOB)).toBe(false)
  expect(holds(ALICE, BOB, CAROL, EVE)).toBe(false)
  expect(holds(ALICE, BOB, EVE)).toBe(false)
})

test("In a room of three, devices of all three are listed, and nobody else's", () => {
  const isListed = listedIn(three)
  for (const { identityKey, userId } of everyAccount(three)) {
    const byte = Number(userId.slice(5))
    expect(isListed(identityKey, `device-${byte}`, key(100 + byte))).toBe(true)
  }
  expect(isListed(key(CAROL), 'device-2', key(102))).toBe(false)
  expect(isListed(key(EVE), 'device-4', key(104))).toBe(false)
  expect(accountKeysOf(three)).toEqual([key(ALICE), key(BOB), key(CAROL)])
  expect(versionsOf(three)).toEqual({ 'user-1': 5, 'user-2': 6, 'user-3': 7 })
})

test("In a room of three, a device of the third member may come in, and Eve's may not", () => {
  const leaf = (leafIndex: number, byte: number): Leaf => ({
    ...{ leafIndex, accountKey: key(byte), deviceId: `device-${byte}`, leafKey: key(100 + byte) },
  })
  const entry = (byte: number): Change => ({
    ...{ isExternal: true, externalInits: 1, adds: [], removes: [], others: [] },
    ...{ committer: leaf(-1, byte), path: leaf(-1, byte) },
  })
  const refusal = (byte: number) =>
    refusalOf(entry(byte), [leaf(0, ALICE), leaf(1, BOB)], accountKeysOf(three), { isListed: listedIn(three) })
  expect(refusal(CAROL)).toBeUndefined()
  expect(refusal(EVE)).toContain('does not belong')
})

test('The archive key of an epoch is sealed to each of three members, and opens with the own history key alone', async () => {
  const place = { groupId: toBase64(randomBytes(48)), epoch: 3 }
  const archiveKey = new Uint8Array(randomBytes(32))
  const { alice, bob } = await people()
  const { live } = await patchedClient(alice, bob)
  const members = await Promise.all(
    everyAccount(three).map(async (member) => {
      const seed = new Uint8Array(randomBytes(32))
      const manifest = { ...member.manifest, historyKeyId: 1, historyKey: toBase64((await keyPairOf(seed)).publicKey) }
      return { history: [{ id: 1, seed }], member: { ...member, manifest } }
    }),
  )
  for (const { member, history } of members) {
    const sealed = await sealArchiveKey(member, place, archiveKey)
    if (!sealed) throw new Error('nothing was sealed')
    expect(await openArchiveKey({ ...live, ...member, history }, sealed)).toEqual(archiveKey)
    const other = members.find((each) => each.member !== member)
    expect(await openArchiveKey({ ...live, ...member, history: other?.history ?? [] }, sealed)).toBeUndefined()
  }
})

test('A server that puts a third person into a direct room is refused', async () => {
  const { alice, bob, roomId } = await people()
  const chatRoomId = roomId
  await expect(alice.core.roomNeed({ chatRoomId, peerIds: [bob.userId, crypto.randomUUID()], now: 0 })).rejects.toMatchObject({
    code: 'place',
  })
  await expect(alice.core.roomNeed({ chatRoomId, peerIds: [], now: 0 })).rejects.toMatchObject({ code: 'place' })
})
