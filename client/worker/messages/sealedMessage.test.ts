import { beforeAll, expect, test } from 'vitest'
import type { Statement } from '../../../contract/chat/content.ts'
import { type Envelope, parseEnvelope } from '../../../contract/chat/envelope.ts'
import { encodeFields, fromBase64, textBytes, toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { epochOf, groupIdOf, sealToGroup } from '../group/mls.ts'
import { type Browser, flip, newBrowser, room, type Seat } from '../group/testing.ts'
import { hkdf, pad, randomBytes, sealWith, sha256, sign } from '../primitives/seal.ts'
import { archiveKeyOf, openByArchive, openByGroup, sealMessage } from './sealedMessage.ts'

let alice: Seat
let bob: Seat
let archiveKey: Uint8Array

beforeAll(async () => {
  const at = await room()
  alice = at.alice
  bob = at.bob
  archiveKey = await archiveKeyOf(bob.group)
})

const statement = (text = 'hello'): Statement => ({
  id: crypto.randomUUID(),
  chatRoomId: 'dm_a_b',
  sentAt: new Date().toISOString(),
  content: { type: 'text', text },
  replyToId: null,
  manifests: { a: 1 },
  seen: { seq: 1, hash: '' },
})

async function sealed(written: Statement = statement()): Promise<Envelope> {
  const made = await sealMessage(alice.group, alice.browser, written)
  alice.group = made.group
  const envelope = parseEnvelope(made.content)
  if (!envelope) throw new Error('no envelope')
  return envelope
}

async function underKey(key: Uint8Array, padded: Uint8Array): Promise<Uint8Array> {
  const commitment = sha256('conclave/commitment/v1', key)
  const bodyKey = await hkdf(key, 'conclave/body-key/v1')
  const place = [groupIdOf(alice.group), String(epochOf(alice.group))] as const
  return new Uint8Array([...commitment, ...(await sealWith(bodyKey, 'conclave/body/v1', padded, ...place, commitment))])
}

/** Seals an envelope with any body, as a modified client could. */
async function sealedBody(body: Uint8Array, padded = pad(body), key = randomBytes(32)): Promise<Envelope> {
  const { group } = alice
  const [groupId, epoch] = [groupIdOf(group), epochOf(group)]
  const whole = await underKey(key, padded)
  const bodyHash = sha256('conclave/body-hash/v1', whole)
  const made = await sealToGroup({ group, plaintext: key, authData: bodyHash })
  alice.group = made.group
  const archive = await sealWith(archiveKey, 'conclave/archive-message/v1', key, groupId, String(epoch), bodyHash)
  const [mls, body64] = [toBase64(made.message), toBase64(whole)]
  return { v: 1, groupId: toBase64(groupId), epoch, mls, archive: toBase64(archive), body: body64 }
}

const signedBody = (bytes: Uint8Array, { credential, leafKey, leafSeed }: Browser = alice.browser) => {
  const place = [groupIdOf(alice.group), String(epochOf(alice.group))] as const
  return encodeFields(bytes, credential, leafKey, sign(leafSeed, 'conclave/message/v1', ...place, bytes))
}

test('Group and archive open the same statement, by the device that signed it', async () => {
  const written = statement('both ways')
  const envelope = await sealed(written)
  const byArchive = await openByArchive(archiveKey, envelope)
  const byGroup = await openByGroup(bob.group, envelope)
  bob.group = byGroup.group
  for (const opened of [byArchive, byGroup.opened]) {
    expect(opened.statement).toEqual(written)
    expect(opened.deviceId).toBe(alice.browser.id)
    expect(opened.accountKey).toEqual(alice.browser.identity.publicKey)
  }
})

test('The longest text fits into a message that the server takes', async () => {
  const text = '\u0000'.repeat(Math.floor((LIMITS.textBytes - 2) / 6))
  expect(textBytes(text)).toBeLessThanOrEqual(LIMITS.textBytes)
  const hash = toBase64(randomBytes(32))
  const longest: Statement = {
    ...statement(text),
    chatRoomId: `dm_${crypto.randomUUID()}_${crypto.randomUUID()}`,
    replyToId: crypto.randomUUID(),
    manifests: { [crypto.randomUUID()]: 2 ** 31, [crypto.randomUUID()]: 2 ** 31 },
    book: 2 ** 31,
    seen: { seq: 2 ** 31, hash, before: hash },
  }
  const made = await sealMessage(alice.group, alice.browser, longest)
  alice.group = made.group
  expect(utf8(made.content).length).toBeLessThan(LIMITS.contentBytes)
})

test('An envelope whose parts are of two messages, or say another place, opens neither way', async () => {
  const [one, other] = [await sealed(), await sealed()]
  const mixed: Envelope[] = [
    { ...one, body: other.body },
    { ...one, epoch: one.epoch + 1 },
    { ...one, groupId: toBase64(flip(fromBase64(one.groupId), 9)) },
    { ...one, body: '' },
    { ...one, body: toBase64(flip(fromBase64(one.body), 3)) },
  ]
  for (const envelope of [...mixed, { ...one, mls: other.mls }])
    await expect(openByGroup(bob.group, envelope)).rejects.toMatchObject({ name: 'CryptoFailure' })
  for (const envelope of [...mixed, { ...one, archive: other.archive }])
    await expect(openByArchive(archiveKey, envelope)).rejects.toMatchObject({ name: 'CryptoFailure' })
})

test('Who seals two texts under one key, to have the server show one to each reader, has sent one of them', async () => {
  const key = randomBytes(32)
  const said = (text: string) => signedBody(utf8(JSON.stringify(statement(text))))
  const sent = await sealedBody(said('yes'), undefined, key)
  const other = { ...sent, body: toBase64(await underKey(key, pad(said('no')))) }
  await expect(openByGroup(bob.group, other)).rejects.toMatchObject({ code: 'body_swapped' })
  await expect(openByArchive(archiveKey, other)).rejects.toMatchObject({ code: 'archive_key' })
  const { group, opened } = await openByGroup(bob.group, sent)
  bob.group = group
  expect(opened.text).toContain('yes')
})

test('A wrong archive key is told from a broken message: the message waits for the right one', async () => {
  const envelope = await sealed()
  await expect(openByArchive(randomBytes(32), envelope)).rejects.toMatchObject({ code: 'archive_key' })
})

test.each([
  ['no fields', () => utf8('rubbish')],
  ['nothing', () => new Uint8Array()],
  ['no JSON', () => signedBody(utf8('{'))],
  ['no UTF-8', () => signedBody(new Uint8Array([255, 254]))],
  ['no statement', () => signedBody(utf8('{"id":1}'))],
  ['content without a kind', () => signedBody(utf8(JSON.stringify({ ...statement(), content: { text: 'hello' } })))],
  ['a text beyond the limit', () => signedBody(utf8(JSON.stringify(statement('x'.repeat(LIMITS.textBytes)))))],
  ['a short credential', () => encodeFields(utf8('{}'), new Uint8Array(5), alice.browser.leafKey, new Uint8Array(64))],
  ['a false signature', () => encodeFields(utf8('{}'), alice.browser.credential, alice.browser.leafKey, new Uint8Array(64))],
  ['a key that is no key', () => encodeFields(utf8('{}'), alice.browser.credential, new Uint8Array(3), new Uint8Array(64))],
])('A body with %s is a failure to show, not a crash', async (_, body) => {
  const envelope = await sealedBody(body())
  await expect(openByGroup(bob.group, envelope)).rejects.toMatchObject({ name: 'CryptoFailure' })
  await expect(openByArchive(archiveKey, envelope)).rejects.toMatchObject({ name: 'CryptoFailure' })
})

test('A kind that is not known is opened whole, and so is a text that says more than this build knows', async () => {
  const poll = { ...statement(), content: { type: 'poll', options: ['tea', 'coffee'] } }
  const more = { ...statement(), lifetime: 60, seen: { seq: 1, hash: '', other: [1] } }
  for (const written of [poll, more]) {
    const text = JSON.stringify(written)
    const { statement: read, isWhole, ...opened } = await openByArchive(archiveKey, await sealedBody(signedBody(utf8(text))))
    expect(read).toMatchObject({ id: written.id, seen: { seq: 1, hash: '' } })
    expect(read.content).toEqual(written === more ? more.content : undefined)
    expect([isWhole, opened.text]).toEqual([false, text])
  }
  expect(await openByArchive(archiveKey, await sealed())).toMatchObject({ isWhole: true })
})

test('A padding that lies about its length is a failure to show', async () => {
  const padded = pad(utf8('x'))
  padded.set([255, 255, 255, 255])
  await expect(openByArchive(archiveKey, await sealedBody(utf8('x'), padded))).rejects.toMatchObject({ code: 'padding' })
})

test('A certificate counts for its own key only, also after it was checked once', async () => {
  const bytes = utf8(JSON.stringify(statement()))
  expect((await openByArchive(archiveKey, await sealedBody(signedBody(bytes)))).deviceId).toBe(alice.browser.id)
  const eve = await newBrowser()
  const borrowed = { ...eve, credential: alice.browser.credential }
  const envelope = await sealedBody(signedBody(bytes, borrowed))
  for (let attempt = 0; attempt < 2; attempt++)
    await expect(openByArchive(archiveKey, envelope)).rejects.toMatchObject({ code: 'credential' })
})
