import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { devicesApi, type SealedBook } from '../../../contract/account/devices.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { type TestPerson, wordsOf } from '../../testing/people.ts'
import { changesKeys, counting, patchedClient, people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { catchUp } from '../log/catchUp.ts'
import { checkBook, saveBook, syncBook } from './book.ts'

let wire: Wire
let alice: TestPerson
let bob: TestPerson
/** The account's book before Alice compared Bob's safety number. */
let before: SealedBook

let minutes = 0

beforeEach(async () => {
  // Requests are paused for a minute after a failure, so each test has its own time.
  minutes += 10
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
  ;({ wire, alice, bob } = await people())
  await alice.says(bob, 'one')
  await bob.reads(alice)
  before = structuredClone(
    wire.accounts.get(alice.userId)?.book ?? { version: 0, historyKeyId: 0, sealed: null, deviceId: null, signature: null },
  )
})

afterEach(() => vi.useRealTimers())

/** Alice compares Bob's safety number and writes a message, which names the new version of her book. */
async function compares(person: TestPerson, text: string) {
  const { identityKey } = await person.core.safetyNumber({ userId: bob.userId })
  await person.core.setVerified({ userId: bob.userId, identityKey, isVerified: true })
  await syncBook(person.env)
  await person.says(bob, text)
}

/** From now on the server returns an old answer to this person's request. */
function answers(path: string, answer: unknown): void {
  wire.lie = (caller, asked, now) =>
    caller === alice.userId && asked === path
      ? structuredClone(isBook(path) ? { ...(answer as object), others: [] } : answer)
      : now
}

const isBook = (path: string) => path === devicesApi.book.path
const keysNow = async () => alice.env.api(devicesApi.keys, {})

const texts = async (person: TestPerson) => {
  const { messages } = await person.core.page({ chatRoomId: person.contact(bob).chatRoomId, limit: 50 })
  return messages.map(({ body }) => wordsOf(body))
}

test("A new browser of Alice's is handed an older address book: her own old messages tell, and they can be read", async () => {
  await compares(alice, 'two')
  const laptop = await alice.newComputer()
  answers(devicesApi.book.path, before)
  await syncBook(laptop.env)
  expect(await laptop.verified()).toEqual([])
  await expect(laptop.reads(bob)).rejects.toMatchObject({ code: 'book_rollback' })
  expect(await texts(laptop)).toEqual(['one', 'two'])
  await expect(checkBook(laptop.env)).rejects.toMatchObject({ code: 'book_rollback' })
  wire.lie = undefined
  await checkBook(laptop.env)
  expect(await laptop.verified()).toEqual([bob.userId])
})

test('The server hides the newest address book from a browser that is open: the next message of hers tells, also after a restart', async () => {
  const laptop = await alice.newComputer()
  await laptop.reads(bob)
  answers(devicesApi.book.path, wire.accounts.get(alice.userId)?.book)
  await compares(alice, 'two')
  await expect(catchUp(laptop.env, laptop.room(bob))).rejects.toMatchObject({ code: 'book_rollback' })
  const restarted = await laptop.newTab()
  await expect(checkBook(restarted.env)).rejects.toMatchObject({ code: 'book_rollback' })
  // The browser does not save its own entries over a book that it has not read.
  await restarted.core.pinAddress({ userId: crypto.randomUUID(), identityKey: bob.contact(alice).contactUser.identityKey ?? '' })
  expect(await restarted.core.sealBook()).toBeNull()
  wire.lie = undefined
  await checkBook(restarted.env)
  expect(await restarted.verified()).toEqual([bob.userId])
})

test('A newer address book that is really there is fetched once, without a word', async () => {
  const laptop = await alice.newComputer()
  await laptop.reads(bob)
  await compares(alice, 'two')
  const calls = counting(laptop)
  await catchUp(laptop.env, laptop.room(bob))
  await catchUp(laptop.env, laptop.room(bob))
  expect(calls.get(devicesApi.book.path)).toBe(1)
  expect(await laptop.verified()).toEqual([bob.userId])
})

test('What two parts of a page save at once is saved once, and asks for nothing', async () => {
  const { identityKey } = await alice.core.safetyNumber({ userId: bob.userId })
  await alice.core.setVerified({ userId: bob.userId, identityKey, isVerified: true })
  const calls = counting(alice)
  await Promise.all([saveBook(alice.env), saveBook(alice.env)])
  expect([...calls]).toEqual([[devicesApi.saveBook.path, 1]])
})

test('The answer crosses what another browser saves: it is asked for again, and nobody is alarmed', async () => {
  const laptop = await alice.newComputer()
  await laptop.reads(bob)
  await compares(alice, 'two')
  await laptop.reads(bob)
  let isLate = true
  wire.lie = (_, path, answer) => {
    if (path !== devicesApi.book.path || !isLate) return answer
    isLate = false
    return { ...before, others: [] }
  }
  await checkBook(laptop.env)
  expect(isLate).toBe(false)
})

test('A stolen browser names an address book that cannot be: it can be removed all the same, and then nobody minds', async () => {
  const laptop = await alice.newComputer()
  await laptop.says(bob, 'two')
  await alice.reads(bob)
  const thief = await patchedClient(alice, bob)
  const { id, content } = await thief.seals({ book: 1_000_000, manifests: { [alice.userId]: 1_000_000 } })
  await thief.posts(id, content)
  await expect(laptop.reads(bob)).rejects.toMatchObject({ code: expect.stringMatching(/rollback/) })
  await expect(checkBook(laptop.env)).rejects.toMatchObject({ code: 'book_rollback' })
  await changesKeys(laptop, { removeDevices: [alice.deviceId] })
  await checkBook(laptop.env)
  await laptop.says(bob, 'three')
  expect((await laptop.hears(bob)).at(-1)).toBe('three')
})

test('After a removal the address book of before is refused, although its number is not lower', async () => {
  const laptop = await alice.newComputer()
  await laptop.reads(bob)
  const old = structuredClone(wire.accounts.get(alice.userId)?.book)
  await changesKeys(laptop, { removeDevices: [alice.deviceId] })
  const next = await laptop.newComputer()
  answers(devicesApi.book.path, old)
  await expect(syncBook(next.env)).rejects.toMatchObject({ code: 'book_rollback' })
})

test('The address book comes under a new history key before this browser has heard of it: it learns the key and reads on', async () => {
  const laptop = await alice.newComputer()
  await laptop.reads(bob)
  const tablet = await alice.newComputer()
  await changesKeys(alice, { removeDevices: [tablet.deviceId] })
  await syncBook(laptop.env)
  await compares(laptop, 'two')
  expect((await alice.hears(bob)).at(-1)).toBe('two')
  expect(await alice.verified()).toEqual([bob.userId])
})

test('The server hides the newest device list from a browser that is open: the next message of hers tells', async () => {
  const laptop = await alice.newComputer()
  await laptop.reads(bob)
  answers(devicesApi.keys.path, await keysNow())
  const hidden = wire.lie
  wire.lie = undefined
  await alice.core.newKit()
  await changesKeys(alice, { kit: 'new' })
  await alice.says(bob, 'two')
  wire.lie = hidden
  await expect(catchUp(laptop.env, laptop.room(bob))).rejects.toMatchObject({ code: 'own_rollback' })
  expect(await texts(laptop)).toEqual(['one', 'two'])
})

test("A new browser is handed an older device list than Alice's messages name: the first page tells", async () => {
  const laptop = await alice.newComputer()
  const old = await keysNow()
  await alice.core.newKit()
  await changesKeys(alice, { kit: 'new' })
  await alice.says(bob, 'two')
  answers(devicesApi.keys.path, { ...old, historySeals: [] })
  await expect(laptop.reads(bob)).rejects.toMatchObject({ code: 'own_rollback' })
  expect(await texts(laptop)).toEqual(['one', 'two'])
})

test("Bob names a device list of Alice's that does not exist: she is not alarmed by what he says", async () => {
  await bob.says(alice, 'two')
  const patched = await patchedClient(bob, alice)
  const { id, content } = await patched.seals({ book: 99, manifests: { [alice.userId]: 99 } })
  await patched.posts(id, content)
  await alice.reads(bob)
  await checkBook(alice.env)
})

/** Eve saves a book that nobody can open, with a stolen session that has no keys. */
function spoils(): void {
  const account = wire.accounts.get(alice.userId)
  if (!account) throw new Error('Alice is not on the wire')
  account.book = {
    ...account.book,
    version: account.book.version + 1,
    sealed: toBase64(crypto.getRandomValues(new Uint8Array(300))),
  }
}

test('Eve overwrites the address book with rubbish: it is said once, and what her browsers know of it takes its place', async () => {
  await compares(alice, 'two')
  const laptop = await alice.newComputer()
  await syncBook(laptop.env)
  spoils()
  await expect(checkBook(laptop.env)).rejects.toMatchObject({ code: 'book_spoiled' })
  await checkBook(laptop.env)
  await checkBook(alice.env)
  const tablet = await alice.newComputer()
  await syncBook(tablet.env)
  expect(await tablet.verified()).toEqual([bob.userId])
})

test('A new browser meets an address book that is rubbish: it says so, and neither trusts anybody nor saves over it', async () => {
  const laptop = await alice.newComputer()
  await syncBook(laptop.env)
  spoils()
  const spoiled = wire.accounts.get(alice.userId)?.book
  const tablet = await alice.newComputer()
  await expect(checkBook(tablet.env)).rejects.toMatchObject({ code: 'book_unread' })
  expect(await tablet.core.sealBook()).toBeNull()
  expect(wire.accounts.get(alice.userId)?.book).toEqual(spoiled)
  await expect(checkBook(laptop.env)).rejects.toMatchObject({ code: 'book_spoiled' })
})

test('A stolen browser has named an address book that cannot be: after its removal a hidden one is noticed again', async () => {
  const laptop = await alice.newComputer()
  await laptop.says(bob, 'two')
  await alice.reads(bob)
  const thief = await patchedClient(alice, bob)
  const { id, content } = await thief.seals({ book: 1_000_000 })
  await thief.posts(id, content)
  await expect(laptop.reads(bob)).rejects.toMatchObject({ code: 'book_rollback' })
  await changesKeys(laptop, { removeDevices: [alice.deviceId] })
  const tablet = await laptop.newComputer()
  await tablet.reads(bob)
  answers(devicesApi.book.path, wire.accounts.get(alice.userId)?.book)
  const hidden = wire.lie
  wire.lie = undefined
  await compares(tablet, 'three')
  wire.lie = hidden
  await laptop.reads(bob)
  await expect(checkBook(laptop.env)).rejects.toMatchObject({ code: 'book_rollback' })
})
