import { randomUUID } from 'node:crypto'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { base64Chars } from '../../../contract/ground/shapes.ts'
import { addKit } from '../../me/account/keys.ts'
import { changePassword } from '../../me/account/signedOrder.ts'
import { recoverAccount, signInByKit } from '../../me/signin/recover.ts'
import { openBrowser } from '../../testing/browser.ts'
import { at, passwordOf, signPageIn, type TestPerson } from '../../testing/people.ts'
import { changesKeys, patchedClient, people } from '../../testing/room.ts'
import { accountIn } from '../../testing/state.ts'
import { writesBook } from '../../testing/stolenBook.ts'
import type { Wire } from '../../testing/wire.ts'
import { createCore } from '../../worker/core.ts'
import { type Book, openBookText, readBook } from '../../worker/lists/book.ts'
import { checkBook, saveBook, syncBook } from './book.ts'

let wire: Wire
let alice: TestPerson
let bob: TestPerson
let eve: TestPerson

beforeEach(async () => {
  ;({ wire, alice, bob, eve } = await people())
  await alice.says(bob, 'hello')
  await syncBook(alice.env)
})

const accountOfAlice = () => accountIn(wire, alice.userId)

/** Alice's stolen browser, with a patched page that writes any book. */
async function stolenBrowser() {
  const stolen = await alice.newComputer()
  await syncBook(stolen.env)
  const { live } = await at(stolen.computer, () => patchedClient(stolen, bob))
  const { book } = await readBook(live)
  return { stolen, writes: (text: string) => writesBook(wire, stolen, bob, () => text), live, book }
}

/** The book with this text in a field that nobody knows, so that it has exactly so many bytes. */
function filled(book: object, bytes: number): string {
  const empty = JSON.stringify({ ...book, later: { junk: '' } })
  return JSON.stringify({ ...book, later: { junk: 'a'.repeat(bytes - empty.length) } })
}

const NONCE_AND_TAG = 28
const IN_FULL = LIMITS.bookSavedBytes - NONCE_AND_TAG

const key = () => toBase64(crypto.getRandomValues(new Uint8Array(32)))
const instant = '2026-11-24T00:00:00.000Z'
const longPin = (): Book['pins'][string] => ({
  ...{
    identityKey: key(),
    isVerified: true,
    differs: true,
    comparedAt: instant,
    isByCode: true,
    n: 900,
    username: 'a'.repeat(30),
  },
  ...{ other: { identityKey: key(), username: 'b'.repeat(30) }, isContact: true, isByAddress: true, awaitsDecision: true },
})

/** Pins of people whom nobody knows, to the end of the book. */
function withStrangers(book: Book): string {
  const each = JSON.stringify({ [randomUUID()]: longPin() }).length - 1
  const count = Math.floor((IN_FULL - JSON.stringify(book).length) / each) - 1
  const strangers = Object.fromEntries(Array.from({ length: count }, () => [randomUUID(), longPin()]))
  return JSON.stringify({ ...book, pins: { ...book.pins, ...strangers } })
}

const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
const withField = (book: object, field: string) => `${JSON.stringify(book).slice(0, -1)},"later":${field}}`

test('A stolen browser fills the address book to its end: its owner writes on, removes it, changes the password, recovers', async () => {
  const { stolen, writes, book } = await stolenBrowser()
  await writes(filled(book, IN_FULL))
  await expect(checkBook(alice.env)).rejects.toMatchObject({ code: 'book_ahead' })
  await checkBook(alice.env)
  expect(accountOfAlice().book.sealed?.length).toBeLessThan(base64Chars(LIMITS.unknownBytes))
  // Not with a field that nobody knows, but with people.
  await writes(withStrangers(book))
  await expect(checkBook(alice.env)).rejects.toMatchObject({ code: 'book_ahead' })
  // Whoever was left out is asked for before anything goes to them.
  await expect(alice.says(eve, 'somebody new')).rejects.toThrow('not confirmed')
  const { identityKey } = alice.contact(eve).contactUser
  await alice.core.trustKey({ userId: eve.userId, identityKey: identityKey ?? '', username: eve.username })
  await alice.sends(alice.room(eve))
  await saveBook(alice.env)

  const { words } = await alice.core.newKit()
  await signPageIn(alice)
  await addKit(alice.env, { kind: 'password', password: passwordOf(alice.username) })
  await changesKeys(alice, { removeDevices: [stolen.deviceId], areStolen: true })
  await signPageIn(alice)
  const next = { newPassword: 'the next password', confirmNewPassword: 'the next password' }
  await changePassword(alice.env, { currentPassword: passwordOf(alice.username), ...next })
  await alice.says(bob, 'still here')
  expect((await bob.hears(alice)).at(-1)).toBe('still here')
  const lost = { ...alice.env, crypto: createCore(() => 'https://conclave.example') }
  onTestFinished(openBrowser())
  await signInByKit(lost, { username: alice.username, words: words.join(' ') })
  await recoverAccount(lost, { password: 'another one', confirmPassword: 'another one', removesOthers: true })
  await syncBook(lost)
  for (const person of [bob, eve])
    expect((await lost.crypto.safetyNumber(person)).identityKey).toBe(alice.contact(person).contactUser.identityKey)
})

test('A stolen browser writes fields that are large, many, or nested without end: the books of the others keep 16 KiB of them, the same ones', async () => {
  const { writes, live, book } = await stolenBrowser()
  const small = { motto: 'kept', rules: { room: { n: 1 } } }
  const many = Object.fromEntries(Array.from({ length: 40_000 }, (_, at) => [`field ${at}`, at]))
  const pins = Object.fromEntries(Object.entries(book.pins).map(([id, pin]) => [id, { ...pin, later: 'a'.repeat(20_000) }]))
  const texts = [
    withField(book, deep(100_000)),
    withField({ ...book, ...small }, deep(5000)),
    withField({ ...book, ...small }, `${'['.repeat(50_000)}${']'.repeat(50_000)}`),
    JSON.stringify({ ...book, ...small, pins }),
  ]
  const taken = async (text: string) => {
    await writes(text)
    await expect(checkBook(alice.env)).rejects.toMatchObject({ code: 'book_ahead' })
    await checkBook(alice.env)
    const { sealed, ...stored } = accountOfAlice().book
    return openBookText(live, { ...stored, sealed: sealed ?? '' })
  }
  for (const text of texts) expect((await taken(text)).length).toBeLessThan(2000)
  expect(JSON.parse(await taken(withField({ ...book, ...small }, deep(40))))).toMatchObject(small)
  expect((await taken(JSON.stringify({ ...book, ...many }))).length).toBeLessThan(LIMITS.unknownBytes + 2000)
  // The others agree on what stays.
  const { version } = accountOfAlice().book
  const tablet = await alice.newComputer()
  await checkBook(tablet.env)
  await checkBook(alice.env)
  expect(accountOfAlice().book.version).toBe(version)
})

test('Two browsers whose books a thief has filled with different people do not write against each other for ever', async () => {
  const { writes, book } = await stolenBrowser()
  const tablet = await alice.newComputer()
  await syncBook(tablet.env)
  await writes(withStrangers(book))
  await expect(checkBook(alice.env)).rejects.toMatchObject({ code: 'book_ahead' })
  await writes(withStrangers(book))
  await expect(checkBook(tablet.env)).rejects.toMatchObject({ code: 'book_ahead' })
  const checks = async () => {
    for (const { env } of [alice, tablet]) await checkBook(env).catch(({ code }) => expect(code).toBe('book_ahead'))
    return accountOfAlice().book.version
  }
  const { version } = accountOfAlice().book
  await checks()
  expect(await checks()).toBeLessThanOrEqual(version + 1)
  expect(await checks()).toBeLessThanOrEqual(version + 1)
})
