import { expect, test } from 'vitest'
import type { Manifest } from '../../../contract/account/documents.ts'
import { commitDraftShape } from '../../../contract/chat/rooms.ts'
import { encodeFields, fromBase64, toBase64 } from '../../../contract/ground/bytes.ts'
import { newIdentity, signManifest } from '../keys/newidentity.ts'
import { manifestHash } from '../lists/hashes.ts'
import { randomBytes } from '../primitives/seal.ts'
import type { MemberAccount } from './members.ts'
import { namesIn, namesOfAccounts } from './namedLists.ts'

/** An account with the maximum number of browsers and of removed browsers. */
function account(userId: string, version: number): MemberAccount {
  const { seed, publicKey } = newIdentity()
  const hex = () => Buffer.from(randomBytes(16)).toString('hex')
  const bytes = (count: number) => toBase64(randomBytes(count))
  const device = () => ({ id: hex(), sealedName: bytes(300), leafKey: bytes(32), sealingKey: bytes(1216) })
  const manifest: Manifest = {
    ...{ v: 1, version, identityKey: toBase64(publicKey), historyKeyId: 1, historyKey: bytes(1216) },
    ...{ keepsHistory: true, keyringVersion: 1, removed: Array.from({ length: 1000 }, hex) },
    devices: Array.from({ length: 20 }, () => ({ ...device(), addedAt: '1970-01-01T00:00:00.000Z' })),
  }
  return { userId, identityKey: publicKey, version, manifest, signed: signManifest(seed, manifest) }
}

const [alice, bob] = [account('alice', 41), account('bob', 7)]

test("The lists of Bob's forty browsers do not keep Alice from removing her stolen one: a commit names them in a few bytes", () => {
  const names = namesOfAccounts({ own: alice, others: [bob] })
  expect(names.length).toBeLessThan(256)
  expect(namesIn(names)).toEqual([
    { userId: 'alice', version: 41, hash: manifestHash(alice.signed) },
    { userId: 'bob', version: 7, hash: manifestHash(bob.signed) },
  ])
  expect(fromBase64(manifestHash(bob.signed))).toHaveLength(16)
})

test('A creation with forty leaves fits into a commit', () => {
  const draft = {
    chatRoomId: 'room_00000000-0000-4000-8000-000000000000',
    ...{ generation: 1, groupId: toBase64(randomBytes(48)), epoch: 0, groupInfo: toBase64(randomBytes(64)) },
    ...{ archiveKeys: [], manifestVersions: {}, afterSeq: 0 },
  }
  expect(commitDraftShape.safeParse({ ...draft, commit: toBase64(new Uint8Array(108 * 1024)) }).success).toBe(true)
  expect(commitDraftShape.safeParse({ ...draft, commit: toBase64(new Uint8Array(257 * 1024)) }).success).toBe(false)
})

test('Commits of before carry the signed lists themselves, and are read', () => {
  const carried = encodeFields(
    ...[alice, bob].map(({ userId, signed }) => encodeFields(userId, signed.content, signed.signature)),
  )
  expect(namesIn(carried)).toMatchObject([
    { userId: 'alice', version: 41, signed: alice.signed },
    { userId: 'bob', version: 7, signed: bob.signed },
  ])
  expect(namesIn(new Uint8Array())).toEqual([])
})

test('Eve puts rubbish in the place of the lists: it is refused by name', () => {
  const label = 'conclave/manifests/v2'
  const hash = randomBytes(16)
  for (const damaged of [
    randomBytes(40),
    encodeFields('rubbish'),
    encodeFields(label, 'rubbish'),
    encodeFields(label, encodeFields('alice', '-1', hash)),
    encodeFields(label, encodeFields('alice', '99999999999', hash)),
    encodeFields(label, encodeFields('alice', '1', hash.subarray(1))),
    encodeFields(encodeFields('alice', '{"version":"x"}', 'sig')),
  ])
    expect(() => namesIn(damaged)).toThrow(expect.objectContaining({ name: 'CryptoFailure', code: 'commit' }))
})
