import { createHash } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import { encodeFields, fromBase64 } from '../../../contract/ground/bytes.ts'
import { saveBook, syncBook } from '../../rooms/trust/book.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'

let alice: TestPerson
let bob: TestPerson
let eve: TestPerson
let wire: Wire

beforeEach(async () => {
  ;({ alice, bob, eve, wire } = await people())
  await alice.says(bob, 'hello')
  await bob.reads(alice)
})

const keyOf = (person: TestPerson) => alice.contact(person).contactUser.identityKey ?? ''

/** Replaces the keys of Bob's account by Eve's. */
function bobBeginsAnew(): void {
  const anew = wire.accounts.get(eve.userId)
  if (anew) wire.accounts.set(bob.userId, anew)
}

test('Alice and Bob see the same 60 digits, and each of their codes says so to the other', async () => {
  const hers = await alice.core.safetyNumber({ userId: bob.userId })
  const his = await bob.core.safetyNumber({ userId: alice.userId })
  expect(hers.digits).toMatch(/^\d{60}$/)
  expect(his.digits).toBe(hers.digits)
  expect(his.code).toBe(hers.code)
  expect(hers.identityKey).toBe(keyOf(bob))
  expect(await alice.core.compareSafetyCode({ userId: bob.userId, code: his.code })).toBe('same')
})

test('The digits are those of the rules, computed here by another library', async () => {
  const { digits, code } = await alice.core.safetyNumber({ userId: bob.userId })
  const aliceKey = bob.contact(alice).contactUser.identityKey ?? ''
  const sides = [
    [alice.userId, fromBase64(aliceKey)],
    [bob.userId, fromBase64(keyOf(bob))],
  ] as const
  const [first, second] = [...sides].sort(([a], [b]) => (a < b ? -1 : 1))
  if (!first || !second) throw new Error('two sides')
  const hash = createHash('sha512')
    .update(encodeFields('conclave/safety-number/v1', ...first, ...second))
    .digest()
  const groups = Array.from({ length: 12 }, (_, at) => (hash.readUIntBE(at * 5, 5) % 100_000).toString().padStart(5, '0'))
  expect(digits).toBe(groups.join(''))
  expect(code).toBe(`conclave:safety:1:${hash.subarray(0, 32).toString('base64url')}`)
})

test('With Eve in between the numbers differ, and her code is told from something that is no code', async () => {
  await eve.says(alice, 'I am Bob')
  await alice.reads(eve)
  const evesCode = (await eve.core.safetyNumber({ userId: alice.userId })).code
  const compare = (code: string) => alice.core.compareSafetyCode({ userId: bob.userId, code })
  expect(await compare(evesCode)).toBe('different')
  for (const odd of ['', 'https://example.org', 'conclave:safety:1:', 'conclave:safety:2:AAAA', `${evesCode}A`])
    expect(await compare(odd)).toBe('not_a_code')
})

test('Nothing can be compared before the key of the other is known', async () => {
  await expect(alice.core.safetyNumber({ userId: eve.userId })).rejects.toMatchObject({ code: 'no_key' })
})

test('The mark holds for the key that was compared, on every browser of hers', async () => {
  const userId = bob.userId
  await alice.core.setVerified({ userId, identityKey: keyOf(bob), isVerified: true })
  await saveBook(alice.env)
  const laptop = await alice.newComputer()
  await syncBook(laptop.env)
  expect(await laptop.verified()).toEqual([userId])
  expect((await laptop.core.safetyNumber({ userId })).isVerified).toBe(true)
  await laptop.core.setVerified({ userId, identityKey: keyOf(bob), isVerified: false })
  await syncBook(laptop.env)
  await syncBook(alice.env)
  expect(await alice.verified()).toEqual([])
})

test('A changed key is not verified, and the old one can be marked no more', async () => {
  const userId = bob.userId
  const before = await alice.core.safetyNumber({ userId })
  await alice.core.setVerified({ userId, identityKey: before.identityKey, isVerified: true })
  bobBeginsAnew()
  await alice.core.trustKey({ userId, identityKey: keyOf(bob), username: bob.username })
  expect(await alice.verified()).toEqual([])
  const after = await alice.core.safetyNumber({ userId })
  expect(after.digits).not.toBe(before.digits)
  await expect(alice.core.setVerified({ userId, identityKey: before.identityKey, isVerified: true })).rejects.toMatchObject({
    code: 'key_changed',
  })
})

test("Alice decides for Bob's new key on one browser: the other one goes on with it, in a new room", async () => {
  const laptop = await alice.newComputer()
  await laptop.says(bob, 'from the laptop')
  await alice.reads(bob)
  bobBeginsAnew()
  await alice.core.trustKey({ userId: bob.userId, identityKey: keyOf(bob), username: alice.contact(bob).contactUser.username })
  await syncBook(alice.env)
  await expect(laptop.says(bob, 'to whom?')).rejects.toThrow('key has changed')
  await syncBook(laptop.env)
  await laptop.says(bob, 'to you')
  expect((await laptop.core.safetyNumber({ userId: bob.userId })).identityKey).toBe(keyOf(bob))
  expect(wire.rooms.get(alice.contact(bob).chatRoomId)?.generation).toBe(2)
  expect((await alice.hears(bob)).slice(-3)).toEqual(['Encryption restarted', 'to whom?', 'to you'])
})

test('Two browsers of Alice decide for two keys of Bob: neither sends before she has decided once for both', async () => {
  const userId = bob.userId
  const first = keyOf(bob)
  const laptop = await alice.newComputer()
  await laptop.reads(bob)
  const settle = async () => {
    for (const browser of [alice, laptop, alice]) await syncBook(browser.env)
    return Promise.all([alice, laptop].map(async ({ core }) => (await core.safetyNumber({ userId })).identityKey))
  }
  await alice.core.trustKey({ userId, identityKey: keyOf(eve), username: bob.username })
  await laptop.core.setVerified({ userId, identityKey: first, isVerified: true })
  await settle()
  for (const { core } of [alice, laptop])
    expect(await core.peerStanding({ userId, identityKey: first, username: bob.username })).toMatchObject({
      mismatch: 'key_conflict',
    })
  expect(await laptop.verified()).toEqual([])
  // The laptop's clock is a day behind, but its decision is the later one, as it knows the other decision.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 86_400_000 })
  await laptop.core.trustKey({ userId, identityKey: keyOf(eve), username: eve.username })
  vi.useRealTimers()
  expect(await settle()).toEqual([keyOf(eve), keyOf(eve)])
  expect(await alice.verified()).toEqual([])
})
