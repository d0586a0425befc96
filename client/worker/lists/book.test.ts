import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { people } from '../../testing/room.ts'
import { bookSaved, mergeBook, sealBook } from '../account/mergeBook.ts'
import { openLive } from '../account/openAccount.ts'
import { replaceBook } from '../account/spoiledBook.ts'
import type { Live } from '../keys/live.ts'
import { signBook } from '../keys/signature.ts'
import { setSteady } from '../messages/steady.ts'
import { hkdf, sealWith } from '../primitives/seal.ts'
import { openBook, pinOf, readBook } from './book.ts'
import { noteGeneration } from './generations.ts'
import { peerStanding } from './peerStanding.ts'
import { takePeerManifest } from './peers.ts'
import { setVerified } from './safety.ts'

let alice: Live
let tab: Live
let contact: { userId: string; username: string; identityKey: string; manifest: { content: string; signature: string } }

beforeAll(async () => {
  const at = await people()
  alice = await openLive(at.alice.userId, at.alice.unlock)
  tab = await openLive(at.alice.userId, at.alice.unlock)
  const { identityKey } = at.alice.contact(at.bob).contactUser
  const manifest = at.wire.accounts.get(at.bob.userId)?.keys.manifest
  if (!identityKey || !manifest) throw new Error('Bob has no keys')
  contact = { userId: at.bob.userId, username: at.bob.username, identityKey, manifest }
})

/** Seals the account's book as another device of the account would. */
async function sealedBook(version: number, book: unknown) {
  const [history] = alice.history
  if (!history) throw new Error('no history key')
  const key = await hkdf(history.seed, 'conclave/book-key/v1')
  const plain = utf8(JSON.stringify(book))
  const sealed = await sealWith(key, 'conclave/book/v1', plain, alice.identityKey, String(version))
  return signBook(alice, { version, historyKeyId: history.id, sealed: toBase64(sealed) })
}

const empty = { version: 0, historyKeyId: 0, sealed: null, deviceId: null, signature: null }

test('Nobody is pinned before the book of the account was read', async () => {
  expect(await takePeerManifest(alice, contact)).toBe('book_unread')
  await mergeBook(alice, empty)
  expect(await takePeerManifest(alice, contact)).toBe('pinned')
  expect((await peerStanding(alice, contact)).version).toBe(1)
})

test('Two tabs that pin and remember at once lose nothing', async () => {
  const rooms = Array.from({ length: 12 }, () => `dm_${randomUUID()}_${randomUUID()}`)
  await Promise.all([
    ...rooms.map((room, at) => noteGeneration(at % 2 ? alice : tab, room, at + 1)),
    takePeerManifest(tab, contact),
    sealBook(alice),
  ])
  for (const [at, room] of rooms.entries()) expect((await readBook(alice)).book.generations[room]).toBe(at + 1)
  expect(await pinOf(tab, contact.userId)).toBeDefined()
})

test('A generation only goes up', async () => {
  await noteGeneration(alice, 'room', 3)
  await noteGeneration(tab, 'room', 2)
  expect((await readBook(alice)).book.generations['room']).toBe(3)
})

test('What two browsers know is merged: the higher generation, the own pin with the other key beside it, the other aliases', async () => {
  const theirKey = toBase64(randomBytes(32))
  const { book, version } = await readBook(alice)
  const theirs = {
    pins: { [contact.userId]: { identityKey: theirKey, isVerified: false }, other: { identityKey: theirKey, isVerified: false } },
    aliases: { [contact.userId]: 'Bobby' },
    generations: { room: 2, elsewhere: 5 },
  }
  await mergeBook(alice, await sealedBook(version + 1, theirs))
  const merged = (await readBook(alice)).book
  expect(merged.pins[contact.userId]).toEqual({ ...book.pins[contact.userId], other: { identityKey: theirKey } })
  expect(merged.pins['other']?.identityKey).toBe(theirKey)
  expect(merged.aliases).toEqual(theirs.aliases)
  expect(merged.generations).toMatchObject({ room: 3, elsewhere: 5 })
})

test('A book that was merged and saved is not saved again and again', async () => {
  const first = await sealBook(alice)
  if (!first) throw new Error('nothing to save')
  await bookSaved(alice, first)
  expect(await sealBook(alice)).toBeNull()
  await mergeBook(tab, first)
  expect(await sealBook(tab)).toBeNull()
})

test('An answer that comes late does not take the book back', async () => {
  const { version, book } = await readBook(alice)
  const late = await sealedBook(version + 1, book)
  await mergeBook(tab, await sealedBook(version + 2, { ...book, aliases: { someone: 'newer' } }))
  await bookSaved(alice, late)
  expect((await readBook(alice)).version).toBe(version + 2)
})

test('Steady traffic stays as this browser has chosen when a book comes or is saved, and is in no book', async () => {
  await setSteady(tab, true)
  const { version, book } = await readBook(alice)
  await mergeBook(alice, await sealedBook(version + 1, { ...book, aliases: { someone: 'newest' } }))
  await noteGeneration(alice, 'chosen', 1)
  const saved = await sealBook(alice)
  if (!saved?.sealed) throw new Error('nothing to save')
  expect(JSON.stringify(await openBook(alice, { ...saved, sealed: saved.sealed }))).not.toContain('teady')
  await bookSaved(alice, saved)
  expect(await readBook(alice)).toMatchObject({ version: version + 2, isSteady: true })
})

test('The server plays an older book back, or one without content: refused by name', async () => {
  const { version } = await readBook(alice)
  await expect(mergeBook(alice, empty)).rejects.toMatchObject({ code: 'book_rollback' })
  await expect(mergeBook(alice, { ...empty, version: version + 1 })).rejects.toMatchObject({ code: 'malformed' })
})

test('A book that is no book, moved to another version, or sealed by another account is not taken: the own one takes its place', async () => {
  const { version, book } = await readBook(alice)
  let next = version
  for (const odd of [{}, { ...book, pins: { x: 'y' } }, { ...book, generations: { room: -1 } }, 'text'])
    await expect(mergeBook(alice, await sealedBook(++next, odd))).rejects.toMatchObject({ code: 'book_spoiled' })
  const moved = await sealedBook(next + 1, book)
  await expect(mergeBook(alice, { ...moved, version: next + 2 })).rejects.toMatchObject({ code: 'book_spoiled' })
  const unknownKey = signBook(alice, { version: next + 3, historyKeyId: 9, sealed: moved.sealed })
  await expect(mergeBook(alice, unknownKey)).rejects.toMatchObject({ code: 'history_key' })
  const spoiled = { ...moved, version: next + 2 }
  expect(await replaceBook(alice, { spoiled, older: spoiled })).toBe(false)
  expect(await replaceBook(alice, { spoiled, older: null })).toBe(true)
  expect(await readBook(alice)).toMatchObject({ version: next + 2, isDirty: true, book })
  expect((await sealBook(alice))?.version).toBe(next + 3)
})

test('A stolen browser decides at the end of time: whoever decides after it leaves a book that can be read', async () => {
  const { version, book } = await readBook(alice)
  const { userId, identityKey } = contact
  const pins = { ...book.pins, [userId]: { identityKey, isVerified: false, decidedAt: '9999-12-31T23:59:59.999Z' } }
  await mergeBook(alice, await sealedBook(version + 1, { ...book, pins }))
  await setVerified(alice, { userId, identityKey, isVerified: true })
  const stored = await sealBook(alice)
  if (!stored) throw new Error('Nothing to save')
  expect((await openBook(alice, stored)).book.pins[userId]).toMatchObject({ identityKey, isVerified: true })
})

test('Two browsers name a device: the name that was changed more often holds on both, one from the end of time on neither', async () => {
  const { version, book } = await readBook(alice)
  const merged = async (at: number, deviceNames: Record<string, { name: string; n: number }>) => {
    await mergeBook(alice, await sealedBook(at, { ...book, deviceNames }))
    return (await readBook(alice)).book.deviceNames
  }
  const mine = { a: { name: 'Study', n: 2 }, b: { name: 'Phone', n: 1 } }
  expect(await merged(version + 1, mine)).toEqual(mine)
  const theirs = { a: { name: 'Older', n: 1 }, b: { name: 'Pocket', n: 2 }, c: { name: 'New', n: 1 } }
  const both = { a: { name: 'Study', n: 2 }, b: theirs.b, c: theirs.c }
  expect(await merged(version + 2, theirs)).toEqual(both)
  const stolen = { a: { name: 'Mine now', n: 2_000_000 }, d: { name: 'Mine too', n: 2000 } }
  await expect(merged(version + 3, stolen)).rejects.toMatchObject({ code: 'book_ahead' })
  expect((await readBook(alice)).book.deviceNames).toEqual(both)
  // A book of an older build has no names.
  await mergeBook(alice, await sealedBook(version + 4, { ...book, deviceNames: undefined }))
  expect((await readBook(alice)).book.deviceNames).toEqual(both)
})
