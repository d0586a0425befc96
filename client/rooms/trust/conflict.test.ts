import { beforeEach, expect, test } from 'vitest'
import { toBase64, utf8 } from '../../../contract/ground/bytes.ts'
import { at, type TestPerson } from '../../testing/people.ts'
import { patchedClient, people } from '../../testing/room.ts'
import { accountIn } from '../../testing/state.ts'
import type { Wire } from '../../testing/wire.ts'
import { signBook } from '../../worker/keys/signature.ts'
import { openBook, readBook } from '../../worker/lists/book.ts'
import { mergedPin } from '../../worker/lists/pins.ts'
import { hkdf, sealWith } from '../../worker/primitives/seal.ts'
import { checkBook, syncBook } from './book.ts'
import { acceptChange, knownOf } from './verified.ts'

let wire: Wire
let alice: TestPerson
let bob: TestPerson
let eve: TestPerson

beforeEach(async () => {
  ;({ wire, alice, bob, eve } = await people())
})

const accountOf = ({ userId }: TestPerson) => accountIn(wire, userId)

const keyOf = (other: TestPerson) => alice.contact(other).contactUser.identityKey ?? ''
const asListed = () => ({ id: bob.userId, identityKey: keyOf(bob), listedUsername: bob.username, isDeleted: false })

/** A lying server shows Alice's laptop another key of Bob than her first browser. Each browser pins the key that it sees. */
async function splitView() {
  const laptop = await alice.newComputer()
  await Promise.all([alice, laptop].map(({ env }) => syncBook(env)))
  const real = keyOf(bob)
  await alice.says(bob, 'to Bob')
  await laptop.core.takePeerManifest({
    ...{ userId: bob.userId, identityKey: keyOf(eve), username: eve.username, manifest: accountOf(eve).keys.manifest },
  })
  return { laptop, real, false: keyOf(eve) }
}

test('The server shows two keys of Bob to two browsers of Alice: both stop sending to him, are told, and do not save for ever', async () => {
  const { laptop, real, false: forged } = await splitView()
  for (let round = 0; round < 3; round++) for (const { env } of [laptop, alice]) await syncBook(env)
  for (const browser of [alice, laptop]) {
    const [known] = await knownOf(browser.env, [asListed()])
    expect(known).toMatchObject({ mismatch: 'key_conflict', isVerified: false })
    expect(known?.choices?.map(({ identityKey }) => identityKey).sort()).toEqual([real, forged].sort())
    await expect(browser.says(bob, 'a secret')).rejects.toThrow('You know two keys of this person')
    expect(await browser.core.sealBook()).toBeNull()
  }
  const { version } = accountOf(alice).book
  for (const { env } of [laptop, alice, laptop, alice]) await syncBook(env)
  expect(accountOf(alice).book.version).toBe(version)
})

test('Alice decides once, for the key that Bob read to her: both browsers take it, and write to him again', async () => {
  const { laptop, real } = await splitView()
  for (const { env } of [laptop, alice, laptop]) await syncBook(env)
  await acceptChange(laptop.env, asListed(), { identityKey: real, username: bob.username })
  for (const { env } of [laptop, alice]) await syncBook(env)
  for (const browser of [alice, laptop]) {
    expect(await knownOf(browser.env, [asListed()])).toMatchObject([{ mismatch: null, choices: null }])
    await browser.says(bob, 'to you')
  }
  expect((await bob.hears(alice)).filter((text) => text === 'to you')).toHaveLength(2)
})

test('A stolen browser counts to the end: what it wrote is not taken, it is said, and Alice can still decide', async () => {
  await alice.says(bob, 'hello')
  await syncBook(alice.env)
  const stolen = await alice.newComputer()
  await syncBook(stolen.env)
  await at(stolen.computer, async () => {
    const { live } = await patchedClient(stolen, bob)
    const { book } = await readBook(live)
    const account = accountOf(alice)
    const history = live.history.at(-1)
    const pin = book.pins[bob.userId]
    if (!history || !pin) throw new Error('There is no book')
    const pins = { ...book.pins, [bob.userId]: { ...pin, identityKey: keyOf(eve), isVerified: true, n: 2_000_000_000 } }
    const spoiled = { ...book, pins }
    const version = account.book.version + 1
    const key = await hkdf(history.seed, 'conclave/book-key/v1')
    const plain = utf8(JSON.stringify(spoiled))
    const sealed = toBase64(await sealWith(key, 'conclave/book/v1', plain, live.identityKey, String(version)))
    account.book = signBook(live, { version, historyKeyId: history.id, sealed })
  })
  await expect(checkBook(alice.env)).rejects.toMatchObject({ code: 'book_ahead' })
  await alice.says(bob, 'still you')
  await checkBook(alice.env)
  const { live } = await patchedClient(alice, bob)
  const { sealed, ...stored } = accountOf(alice).book
  const { book: saved } = await openBook(live, { ...stored, sealed: sealed ?? '' })
  expect(saved.pins[bob.userId]).toMatchObject({ identityKey: keyOf(bob), isVerified: false })
  const { identityKey } = await alice.core.safetyNumber({ userId: bob.userId })
  await alice.core.setVerified({ userId: bob.userId, identityKey, isVerified: true })
  expect(await alice.verified()).toEqual([bob.userId])
})

test('Of an account that nobody here knows such a count makes the first key seen, and no mark', async () => {
  const theirs = { identityKey: keyOf(eve), isVerified: true, n: 2_000_000_000 }
  expect(mergedPin(undefined, theirs)).toEqual({ pin: { identityKey: keyOf(eve), isVerified: false, n: 0 }, isAhead: true })
})
