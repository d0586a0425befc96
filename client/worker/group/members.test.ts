import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { patchedClient, people } from '../../testing/room.ts'
import { manifestHash, withHash } from '../lists/hashes.ts'
import { newRecord } from '../log/enterRoom.ts'
import { openArchiveKey, sealArchiveKey } from '../messages/archive.ts'
import { keyPairOf } from '../primitives/seal.ts'
import { type Change, type Leaf, refusalOf } from './commitRules.ts'
import { forksIn, listsIn, openForks, statedHashes, untoldLists, withLists, withTold } from './forks.ts'
import { groupIdHolds, roomGroupId } from './groupid.ts'
import { accountKeysOf, everyAccount, listedIn, type MemberAccount, versionsOf } from './members.ts'

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

const lists = (list: string) => three.others.map(({ userId, version }) => ({ userId, version, hash: list }))
const other = toBase64(new Uint8Array(16).fill(9))
const seen = (member: MemberAccount, hashes: Record<string, string>): MemberAccount => ({ ...member, hashes })

test('A statement names the lists of three members in sixteen bytes each, and one of an older build names none', () => {
  const hashes = statedHashes(three)
  expect(fromBase64(hashes)).toHaveLength(48)
  expect(hashes.length).toBe(64)
  const named = listsIn({ manifests: versionsOf(three), hashes })
  expect(named).toEqual(
    everyAccount(three).map(({ userId, version, signed }) => ({ userId, version, hash: manifestHash(signed) })),
  )
  expect(forksIn(three, named)).toEqual([])
  expect(listsIn({ manifests: versionsOf(three) })).toEqual([])
  expect(listsIn({ manifests: {}, hashes })).toEqual([])
})

test('In a room of three, only another list of the same number is an alarm, whoever of them it is of', () => {
  const members = { ...three, others: [seen(account(BOB, 6), { 5: other, 6: manifestHash({ content: '' }) }), account(CAROL, 7)] }
  expect(forksIn(members, lists(other))).toMatchObject([{ userId: 'user-2' }, { userId: 'user-3' }])
  expect(forksIn(members, [{ userId: 'user-1', version: 5, hash: other }])).toMatchObject([{ userId: 'user-1', version: 5 }])
  const none = [
    { userId: 'user-2', version: 5, hash: other },
    { userId: 'user-2', version: 4, hash: other },
    { userId: 'user-3', version: 8, hash: other },
    { userId: 'user-4', version: 1, hash: other },
  ]
  expect(forksIn(members, none)).toEqual([])
})

test('Of a device list the hashes of the newest hundred versions are kept, and the first one of a version stays', () => {
  const all = Array.from({ length: 150 }, (_, at) => at + 1).reduce<Record<string, string>>(
    (known, version) => withHash(known, version, `hash ${version}`),
    {},
  )
  expect(Object.keys(all)).toHaveLength(100)
  expect([all[50], all[51], all[150]]).toEqual([undefined, 'hash 51', 'hash 150'])
  expect(withHash(all, 150, 'another')[150]).toBe('hash 150')
})

test('In a room of three, a fork is told once somebody names the list that this browser knows, and is not noted twice', () => {
  const before = newRecord({ generation: 1, groupId: null, epoch: 1, lastSeq: 3 })
  const shown = (hash: string) => lists(hash).map((list) => ({ ...list, isSigned: true }))
  const forked = withLists(before, three, shown(other))
  expect(openForks(forked)).toMatchObject([{ userId: 'user-2' }, { userId: 'user-3' }])
  expect(untoldLists(forked)).toEqual(lists(manifestHash({ content: '' })))
  // A name alone shows nobody the list that is at hand.
  expect(withTold(forked, three, lists(manifestHash({ content: '' })))).toBe(forked)
  const told = withTold(forked, three, shown(manifestHash({ content: '' })).slice(1))
  expect(untoldLists(told)).toMatchObject([{ userId: 'user-2' }])
  expect(withLists(told, three, shown(other))).toBe(told)
})

test('A true fork of the own list rings whoever named it first, and however much Bob names besides', () => {
  const before = newRecord({ generation: 1, groupId: null, epoch: 1, lastSeq: 3 })
  const forged = { userId: 'user-1', version: 6, hash: other }
  const byBob = { ...forged, by: 'user-2' }
  const flood = Array.from({ length: 40 }, (_, at) => ({ ...byBob, version: 7 + at }))
  const later = { ...three, own: account(ALICE, 6) }
  const forksAfter = (...named: object[][]) =>
    openForks(
      withLists(
        named.reduce((record, lists) => withLists(record, three, lists as (typeof byBob)[]), before),
        later,
        [],
      ),
    )
  const own = { ...forged, by: 'user-1' }
  const alarm = [{ version: 6, hash: other, isProven: true }]
  expect(forksAfter([byBob])).toEqual([])
  for (const named of [
    [[byBob], [own]],
    [[own], [byBob]],
    [[own], flood],
    [[byBob], [own], flood],
  ])
    expect(forksAfter(...named)).toMatchObject(alarm)
  // The author of a proof takes nothing away from what an own browser has said.
  expect(forksAfter([own], [{ ...byBob, isSigned: true }], [own])).toMatchObject(alarm)
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
