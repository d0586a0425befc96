import { beforeEach, expect, test } from 'vitest'
import type { Env } from '../../env.ts'
import { type Api, ApiError } from '../../net/api.ts'
import { directOf } from '../../testing/direct.ts'
import { newPerson, type TestPerson } from '../../testing/people.ts'
import { createWire } from '../../testing/wire.ts'
import { placeOf } from '../list/room.ts'
import { catchUp } from '../log/catchUp.ts'
import { syncBook } from './book.ts'
import { personById, putPeople, resetPeople } from './people.ts'
import { compareScanned, groupsOf, markDifferent, markVerified, readSafety, shareMarks } from './safety.ts'
import { reloadVerified, watchDecisions } from './verified.ts'

beforeEach(resetPeople)

/** Adds the other person to the people on screen. */
const lists = (one: TestPerson, other: TestPerson): void => putPeople([directOf(one.contact(other)).person])

const isMarked = (other: TestPerson) => personById(other.userId)?.isVerified

async function acquainted() {
  const wire = createWire()
  const [alice, bob] = [await newPerson(wire), await newPerson(wire)]
  await alice.says(bob, 'hello')
  await bob.reads(alice)
  return { wire, alice, bob }
}

/** The same browser while the server does not respond. */
const offline = (env: Env): Env => ({
  ...env,
  api: (async () => {
    throw new ApiError(0, 'unavailable', 'No connection')
  }) as Api,
})

test('Alice and Bob see the same twelve groups of five digits, and Alice and Carol others', async () => {
  const { wire, alice, bob } = await acquainted()
  const carol = await newPerson(wire)
  await alice.says(carol, 'hello')
  const { digits } = await readSafety(alice.env, bob.userId)
  expect(groupsOf(digits)).toHaveLength(12)
  expect((await readSafety(bob.env, alice.userId)).digits).toBe(digits)
  expect((await readSafety(alice.env, carol.userId)).digits).not.toBe(digits)
})

test("Alice scans Bob's code: he is verified at once, in her list and in her other browser; on his side nothing changes", async () => {
  const { alice, bob } = await acquainted()
  lists(alice, bob)
  const safety = await readSafety(alice.env, bob.userId)
  const { code } = await readSafety(bob.env, alice.userId)
  expect(await compareScanned(alice.env, bob.userId, safety, code)).toBe('same')
  expect(isMarked(bob)).toBe(true)

  expect(await shareMarks(alice.env)).toBe('now')
  const laptop = await alice.newBrowser()
  await syncBook(laptop.env)
  expect((await readSafety(laptop.env, bob.userId)).isVerified).toBe(true)
  expect((await readSafety(bob.env, alice.userId)).isVerified).toBe(false)
})

test('The code of somebody else differs, another kind of code is none, and neither marks anybody', async () => {
  const { wire, alice, bob } = await acquainted()
  const carol = await newPerson(wire)
  await carol.says(bob, 'hello')
  lists(alice, bob)
  const safety = await readSafety(alice.env, bob.userId)
  const { code } = await readSafety(carol.env, bob.userId)
  expect(await compareScanned(alice.env, bob.userId, safety, code)).toBe('different')
  expect(await compareScanned(alice.env, bob.userId, safety, 'https://example.org')).toBe('not_a_code')
  expect(isMarked(bob)).toBe(false)
})

test('A mark that is set without a connection shows at once, and reaches the other browser with the next save', async () => {
  const { wire, alice, bob } = await acquainted()
  lists(alice, bob)
  const { identityKey } = await readSafety(alice.env, bob.userId)
  await markVerified(alice.env, bob.userId, identityKey, true)
  expect(await shareMarks(offline(alice.env))).toBe('later')
  expect(isMarked(bob)).toBe(true)
  const before = wire.accounts.get(alice.userId)?.book.version ?? 0

  await syncBook(alice.env)
  expect(wire.accounts.get(alice.userId)?.book.version).toBe(before + 1)
  const laptop = await alice.newBrowser()
  await syncBook(laptop.env)
  expect(await laptop.verified()).toEqual([bob.userId])
})

test('A mark can be taken away again', async () => {
  const { alice, bob } = await acquainted()
  lists(alice, bob)
  const { identityKey } = await readSafety(alice.env, bob.userId)
  await markVerified(alice.env, bob.userId, identityKey, true)
  expect(isMarked(bob)).toBe(true)
  await markVerified(alice.env, bob.userId, identityKey, false)
  expect(isMarked(bob)).toBe(false)
})

test('The server names another key for Bob: his mark is gone from the list before anybody decides', async () => {
  const { wire, alice, bob } = await acquainted()
  const eve = await newPerson(wire)
  lists(alice, bob)
  const { identityKey } = await readSafety(alice.env, bob.userId)
  await markVerified(alice.env, bob.userId, identityKey, true)
  const keysOfEve = wire.accounts.get(eve.userId)
  if (!keysOfEve) throw new Error('The account is not on the wire')
  wire.accounts.set(bob.userId, keysOfEve)
  lists(alice, bob)
  await reloadVerified(alice.env)
  expect(isMarked(bob)).toBe(false)
})

test('A key that changed while the number was on screen cannot be marked by it', async () => {
  const { wire, alice, bob } = await acquainted()
  const reborn = await newPerson(wire)
  const { identityKey } = await readSafety(alice.env, bob.userId)
  const newKey = alice.contact(reborn).contactUser.identityKey ?? ''
  await alice.core.trustKey({ userId: bob.userId, identityKey: newKey, username: bob.username })
  await expect(markVerified(alice.env, bob.userId, identityKey, true)).rejects.toThrow()
  expect(await alice.verified()).toEqual([])
})

test('The numbers differ: none of her browsers sends to Bob until Alice compares again, and what he writes is still read', async () => {
  const { alice, bob } = await acquainted()
  lists(alice, bob)
  const { identityKey } = await readSafety(alice.env, bob.userId)
  await markVerified(alice.env, bob.userId, identityKey, true)
  await markDifferent(alice.env, bob.userId, identityKey)
  expect(personById(bob.userId)).toMatchObject({ mismatch: 'numbers_differ', isVerified: false })
  await expect(alice.says(bob, 'a secret')).rejects.toThrow('The safety numbers differ')
  await bob.says(alice, 'is it you?')
  expect(await alice.hears(bob)).toContain('is it you?')

  expect(await shareMarks(alice.env)).toBe('now')
  const laptop = await alice.newComputer()
  await syncBook(laptop.env)
  await expect(laptop.says(bob, 'a secret')).rejects.toThrow('The safety numbers differ')
  const safety = await readSafety(laptop.env, bob.userId)
  expect(safety).toMatchObject({ differs: true, comparedAt: expect.any(String) })

  // The decision of one browser holds in all of them.
  await markVerified(laptop.env, bob.userId, identityKey, true)
  await shareMarks(laptop.env)
  await syncBook(alice.env)
  await alice.says(bob, 'it was the wrong number')
  expect(await readSafety(alice.env, bob.userId)).toMatchObject({ differs: false, isVerified: true })
})

test('The numbers differ, and Bob adds a browser: his new list is fetched before what it signs is judged, and is read as his', async () => {
  const { alice, bob } = await acquainted()
  lists(alice, bob)
  const { identityKey } = await readSafety(alice.env, bob.userId)
  await markDifferent(alice.env, bob.userId, identityKey)
  const laptop = await bob.newComputer()
  const room = alice.room(bob)
  const log = { ...placeOf(room), entries: [], now: Date.now(), peers: room.peers }
  expect(await alice.core.receiveLog(log)).toMatchObject({ needsPeers: true })
  await laptop.says(alice, 'from my laptop')
  await catchUp(alice.env, room)
  expect(await alice.core.receiveLog(log)).toMatchObject({ needsPeers: false })
  expect(await alice.hears(bob)).toContain('from my laptop')
})

test('Two browsers compare at the same time and find different things: sending stops in both', async () => {
  const { alice, bob } = await acquainted()
  const laptop = await alice.newComputer()
  await syncBook(laptop.env)
  const { identityKey } = await readSafety(alice.env, bob.userId)
  await markVerified(alice.env, bob.userId, identityKey, true)
  await markDifferent(laptop.env, bob.userId, identityKey)
  for (const { env } of [alice, laptop, alice]) await syncBook(env)
  for (const browser of [alice, laptop]) await expect(browser.says(bob, 'a secret')).rejects.toThrow('The safety numbers differ')
})

test('What Alice decides in one tab holds in her other tab at once, while the server is away', async () => {
  const { alice, bob } = await acquainted()
  const tab = await alice.newTab()
  const failures: unknown[] = []
  const stop = watchDecisions(offline(tab.env), (work) => work.catch((error: unknown) => failures.push(error)))
  lists(alice, bob)
  const { identityKey } = await readSafety(alice.env, bob.userId)
  await markDifferent(offline(alice.env), bob.userId, identityKey)
  // The other tab has its own list of people, which still says what was true before.
  resetPeople()
  lists(alice, bob)
  await expect.poll(() => personById(bob.userId)?.mismatch).toBe('numbers_differ')
  await markVerified(offline(alice.env), bob.userId, identityKey, true)
  resetPeople()
  lists(alice, bob)
  await expect.poll(() => isMarked(bob)).toBe(true)
  expect(personById(bob.userId)).toMatchObject({ mismatch: null, comparedAt: expect.any(String) })
  stop()
  expect(failures).toEqual([])
})
