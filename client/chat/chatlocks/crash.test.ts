import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { resetRooms, roomById } from '../../rooms/list/roomList.ts'
import { followLocks } from '../../rooms/list/roomLocks.ts'
import { syncBook } from '../../rooms/trust/book.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import type { Wire } from '../../testing/wire.ts'
import { changeChatPassword, removeChatPassword, setChatPassword, unlockChat } from './chatlocks.ts'
import { lockChat } from './relock.ts'

// A page that dies between any two writes of its vault, before any request or before its answer.

vi.mock('hash-wasm', async () => ({ argon2id: (await import('../../testing/stretch.ts')).stretchCheaply }))

// Marks go by themselves a moment later, into whatever fails then.
vi.mock('../../rooms/list/readMarks.ts', async (original) => ({ ...(await original<object>()), markDelivered: () => undefined }))

vi.setConfig({ testTimeout: 60_000 })
beforeEach(resetRooms)
afterEach(() => {
  resetRooms()
  vi.restoreAllMocks()
})

/** Runs `work`, and lets the page die at its nth step. Returns false if it has fewer. */
async function diesAt(n: number, wire: Wire, work: () => Promise<unknown>): Promise<boolean> {
  let steps = 0
  const step = () => {
    steps += 1
    if (steps >= n) throw new Error('The page has died')
  }
  const begin = IDBDatabase.prototype.transaction
  vi.spyOn(IDBDatabase.prototype, 'transaction').mockImplementation(function (this: IDBDatabase, ...input) {
    if (input[1] === 'readwrite') step()
    return begin.apply(this, input)
  })
  wire.beforeEffect = step
  wire.afterEffect = step
  const error = await work().then(
    () => undefined,
    (failure: unknown) => failure,
  )
  vi.restoreAllMocks()
  wire.beforeEffect = undefined
  wire.afterEffect = undefined
  if (error && !(error instanceof Error && error.message === 'The page has died')) throw error
  return steps >= n
}

/** What the next start does. */
async function starts(person: TestPerson): Promise<TestPerson> {
  const tab = await person.newTab()
  resetRooms()
  await syncBook(tab.env)
  await followLocks(tab.env)
  await refreshRooms(tab.env)
  return tab
}

async function talking() {
  const all = await people()
  const { alice, bob } = all
  await alice.says(bob, 'apples')
  await bob.says(alice, 'pears')
  await alice.reads(bob)
  const { id, direct } = alice.room(bob)
  return { ...all, place: { id, direct }, alice: await starts(alice) }
}

const lockState = (id: string) => roomById(id)?.lock
const isUnlocked = async (...input: Parameters<typeof unlockChat>) => (await unlockChat(...input)).valid
const HEARD = ['apples', 'pears']

test('Wherever setting dies, the chat is open as before, or locked, or asks for the same password once more', async () => {
  const { bob, place, wire, ...before } = await talking()
  let alice = before.alice
  const seen = new Set<string | undefined>()
  for (let n = 1; ; n++) {
    const hasDied = await diesAt(n, wire, () => setChatPassword(alice.env, place, 'one two three'))
    alice = await starts(alice)
    seen.add(lockState(place.id))
    if (lockState(place.id) === 'none') {
      expect(await alice.hears(bob)).toEqual(HEARD)
    } else {
      if (lockState(place.id) === 'interrupted') await setChatPassword(alice.env, place, 'one two three')
      expect(lockState(place.id)).toBe('shut')
      expect(await isUnlocked(alice.env, place, 'one two three')).toBe(true)
      expect(await alice.hears(bob)).toEqual(HEARD)
      await removeChatPassword(alice.env, place)
    }
    if (!hasDied) break
  }
  expect([...seen].sort()).toEqual(['interrupted', 'none', 'shut'])
})

test('Wherever unlocking or locking again dies, the chat is shut, and opens by the password', async () => {
  const { bob, place, wire, ...before } = await talking()
  let alice = before.alice
  await setChatPassword(alice.env, place, 'one two three')
  for (let n = 1; ; n++) {
    const hasDied = await diesAt(n, wire, async () => {
      await unlockChat(alice.env, place, 'one two three')
      await lockChat(alice.env, place)
    })
    alice = await starts(alice)
    expect(lockState(place.id)).toBe('shut')
    if (!hasDied) break
  }
  expect(await isUnlocked(alice.env, place, 'one two three')).toBe(true)
  expect(await alice.hears(bob)).toEqual(HEARD)
})

test('Wherever a change dies, one of the two passwords opens the chat', async () => {
  const { bob, place, wire, ...before } = await talking()
  let alice = before.alice
  await setChatPassword(alice.env, place, 'password 0')
  let now = 'password 0'
  for (let n = 1; ; n++) {
    await unlockChat(alice.env, place, now)
    const next = `password ${n}`
    const hasDied = await diesAt(n, wire, () => changeChatPassword(alice.env, place, next))
    alice = await starts(alice)
    expect(lockState(place.id)).toBe('shut')
    if (await isUnlocked(alice.env, place, next)) now = next
    else expect(await isUnlocked(alice.env, place, now)).toBe(true)
    expect(await alice.hears(bob)).toEqual(HEARD)
    if (!hasDied) break
  }
})

test('Wherever removing dies, the chat is locked still, or open for good, or asks for the password once more', async () => {
  const { bob, place, wire, ...before } = await talking()
  let alice = before.alice
  const seen = new Set<string | undefined>()
  for (let n = 1; ; n++) {
    await setChatPassword(alice.env, place, 'one two three')
    await unlockChat(alice.env, place, 'one two three')
    const hasDied = await diesAt(n, wire, () => removeChatPassword(alice.env, place))
    alice = await starts(alice)
    seen.add(lockState(place.id))
    if (lockState(place.id) === 'interrupted') await setChatPassword(alice.env, place, 'one two three')
    if (lockState(place.id) === 'shut') {
      expect(await isUnlocked(alice.env, place, 'one two three')).toBe(true)
      await removeChatPassword(alice.env, place)
    }
    expect(lockState(place.id)).toBe('none')
    expect(await alice.hears(bob)).toEqual(HEARD)
    if (!hasDied) break
  }
  expect([...seen].sort()).toEqual(['interrupted', 'none', 'shut'])
})
