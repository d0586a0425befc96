import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { roomsApi } from '../../../contract/chat/rooms.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { openForOrder } from '../../me/account/signedOrder.ts'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { resetRooms, roomById } from '../../rooms/list/roomList.ts'
import { followLocks } from '../../rooms/list/roomLocks.ts'
import { syncBook } from '../../rooms/trust/book.ts'
import { openedRows, openLiveOf } from '../../testing/opened.ts'
import { passwordOf, signPageIn, type TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { writesBook } from '../../testing/stolenBook.ts'
import type { Wire } from '../../testing/wire.ts'
import { newSeed } from '../../worker/chatlocks/chatkeys.ts'
import type { ChatLock } from '../../worker/lists/book.ts'
import { giveUpHistory, openClaimed, removeChatPassword, setChatPassword, unlockChat } from './chatlocks.ts'
import { lockChat } from './relock.ts'

// Locks that stand in the address book alone, at the server alone, or that a stolen browser wrote.

vi.mock('hash-wasm', async () => ({ argon2id: (await import('../../testing/stretch.ts')).stretchCheaply }))

vi.setConfig({ testTimeout: 60_000 })
beforeEach(resetRooms)
afterEach(resetRooms)

const PASSWORD = 'correct horse'
const locked = expect.objectContaining({ name: 'CryptoFailure', code: 'room_locked' })

async function syncs(person: TestPerson) {
  resetRooms()
  await syncBook(person.env).catch((error: Error & { code?: string }) => {
    if (error.code !== 'book_ahead') throw error
  })
  await followLocks(person.env)
  await refreshRooms(person.env)
}

/** Alice and Bob have talked; a second browser of hers has a patched page, which writes any book. */
async function withThief() {
  const all = await people()
  const { alice, bob, wire } = all
  await alice.says(bob, 'apples')
  await bob.says(alice, 'pears')
  await alice.reads(bob)
  const thief = await alice.newComputer()
  await thief.reads(bob)
  await syncs(alice)
  const { id, direct } = alice.room(bob)

  /** Writes this in the place of the room's entry. */
  async function writes(entry: () => Partial<ChatLock> & { isGone?: boolean }): Promise<void> {
    await syncBook(thief.env)
    await writesBook(wire, thief, bob, (book) => {
      const before = book.locks?.[id]
      const { isGone, ...change } = entry()
      const n = (before?.n ?? 0) + 1
      const lock = { n, kind: 'on', data: before?.data ?? [], gone: isGone ? n : (before?.gone ?? 0), ...change }
      return { ...book, locks: { ...book.locks, [id]: lock } }
    })
  }
  return { ...all, thief, place: { id, direct }, writes }
}

/** A lock whose seed the thief alone has. */
async function thiefsLock(): Promise<string[]> {
  const { publicKey } = await newSeed()
  return [publicKey, toBase64(new Uint8Array(16)), toBase64(new Uint8Array(60))]
}

const noPasswords: Wire['lie'] = (_, path, answer) => {
  if (path !== roomsApi.list.path) return answer
  const { rooms, ...rest } = answer as { rooms: object[] }
  return { ...rest, rooms: rooms.map((row) => ({ ...row, isPasswordProtected: false, isLocked: false })) }
}

const lockState = (id: string) => roomById(id)?.lock
const wordsIn = async (person: TestPerson, word: string) => (await openedRows(person)).some((text) => text.includes(word))

async function unsent(person: TestPerson, chatRoomId: string) {
  const live = await openLiveOf(person)
  const keys = await live.vault.keys('outbox', chatRoomId)
  live.vault.close()
  return keys
}

/** Opens the chat by the account's password. */
async function opensByAccount(alice: TestPerson, place: { id: string }) {
  await signPageIn(alice)
  await openForOrder(alice.env, { kind: 'password', password: passwordOf(alice.username) })
  const lockedBy = await openClaimed(alice.env, place)
  await alice.env.crypto.forgetPassword()
  return lockedBy
}

test('A stolen browser locks a chat by one entry in the address book: it is shut, nothing is sealed to that key, and the account’s password opens it', async () => {
  const { alice, bob, thief, place, writes } = await withThief()
  const data = await thiefsLock()
  await writes(() => ({ n: 1000, data }))
  await syncs(alice)
  expect(lockState(place.id)).toBe('claimed')
  await expect(alice.core.page({ chatRoomId: place.id, limit: 5 })).rejects.toThrow(locked)
  await expect(alice.core.keepDraftText({ chatRoomId: place.id, text: 'plums' })).rejects.toThrow(locked)
  expect(await wordsIn(alice, 'apples')).toBe(true)
  // It stays so in the next start, and nothing but a way into the account opens it.
  const page = await alice.newTab()
  await syncs(page)
  expect(lockState(place.id)).toBe('claimed')
  await expect(openClaimed(page.env, place)).rejects.toMatchObject({ code: 'password' })
  await syncs(alice)
  expect(await opensByAccount(alice, place)).toBe(thief.deviceId)
  expect(lockState(place.id)).toBe('none')
  resetRooms()
  await bob.says(alice, 'figs')
  expect(await alice.hears(bob)).toEqual(['apples', 'pears', 'figs'])
  const tablet = await alice.newComputer()
  await syncs(tablet)
  expect(lockState(place.id)).toBe('none')
})

test('A lock that leaps by more than a thousand changes is not taken, and that is said', async () => {
  const { alice, place, writes } = await withThief()
  const data = await thiefsLock()
  await writes(() => ({ n: 1001, data }))
  await expect(syncBook(alice.env)).rejects.toMatchObject({ code: 'book_ahead' })
  await syncs(alice)
  expect(lockState(place.id)).toBe('none')
})

test('A server that says that there is no chat password opens no chat: neither in a browser that has sealed it nor in the next', async () => {
  const { alice, wire, place, thief: phone } = await withThief()
  await setChatPassword(alice.env, place, PASSWORD)
  wire.lie = noPasswords
  await syncs(alice)
  expect(lockState(place.id)).toBe('shut')
  expect(await wordsIn(alice, 'apples')).toBe(false)
  await syncs(phone)
  expect(lockState(place.id)).toBe('claimed')
  for (const one of [alice, phone]) await expect(one.core.page({ chatRoomId: place.id, limit: 5 })).rejects.toThrow(locked)
  wire.lie = undefined
  await syncs(phone)
  expect(lockState(place.id)).toBe('shut')
  expect(await wordsIn(phone, 'apples')).toBe(false)
  expect((await unlockChat(phone.env, place, PASSWORD)).valid).toBe(true)
})

test('A browser that hears of a lock by the book first takes it off for no password of the account: the server knows one by then', async () => {
  const { alice, wire, place, thief: phone } = await withThief()
  await syncs(phone)
  await setChatPassword(alice.env, place, PASSWORD)
  // The row of before still stands on the phone's page.
  resetRooms()
  wire.lie = noPasswords
  await syncs(phone)
  wire.lie = undefined
  expect(lockState(place.id)).toBe('claimed')
  await expect(opensByAccount(phone, place)).rejects.toMatchObject({ code: 'room_locked' })
  expect(lockState(place.id)).toBe('shut')
  expect((await unlockChat(phone.env, place, PASSWORD)).valid).toBe(true)
})

test('A stolen browser writes one lock after another: what a browser notes of them stays small, and Alice’s password opens the chat', async () => {
  const { alice, bob, place, writes } = await withThief()
  await setChatPassword(alice.env, place, PASSWORD)
  const rowKeys = async () => {
    const live = await openLiveOf(alice)
    const { [place.id]: lock } = await live.vault.locks()
    live.vault.close()
    return lock?.rowKeys.length
  }
  for (let count = 0; count < 12; count++) {
    const data = await thiefsLock()
    await writes(() => ({ data }))
    await syncs(alice)
    expect(lockState(place.id)).toBe('shut')
  }
  expect(await rowKeys()).toBe(8)
  expect((await unlockChat(alice.env, place, PASSWORD)).valid).toBe(true)
  await alice.says(bob, 'dates')
  expect(await alice.hears(bob)).toEqual(['apples', 'pears', 'dates'])
  await lockChat(alice.env, place)
  await syncs(alice)
  expect((await unlockChat(alice.env, place, PASSWORD)).valid).toBe(true)
})

test('A stolen browser puts another lock, or none, in the place of Alice’s: her password opens the chat all the same, with all that was in it', async () => {
  const { alice, bob, place, writes } = await withThief()
  await setChatPassword(alice.env, place, PASSWORD)
  const data = await thiefsLock()
  await writes(() => ({ data }))
  await syncs(alice)
  expect(lockState(place.id)).toBe('shut')
  expect((await unlockChat(alice.env, place, PASSWORD)).valid).toBe(true)
  await alice.says(bob, 'dates')
  expect(await alice.hears(bob)).toEqual(['apples', 'pears', 'dates'])
  await lockChat(alice.env, place)
  // Her lock stands in the book again.
  const tablet = await alice.newComputer()
  await syncs(tablet)
  expect((await unlockChat(tablet.env, place, PASSWORD)).valid).toBe(true)
  expect(await tablet.hears(bob)).toEqual(['apples', 'pears', 'dates'])

  for (const entry of [
    { kind: 'off', data: [toBase64(new Uint8Array(16))] },
    { kind: 'gone', data: [] },
    { kind: 'gone', data: [], isGone: true },
  ]) {
    await writes(() => entry)
    await syncs(alice)
    expect(lockState(place.id)).toBe('interrupted')
    expect(await wordsIn(alice, 'apples')).toBe(false)
    await setChatPassword(alice.env, place, PASSWORD)
    expect((await unlockChat(alice.env, place, PASSWORD)).valid).toBe(true)
    expect(await alice.hears(bob)).toEqual(['apples', 'pears', 'dates'])
    await lockChat(alice.env, place)
  }
})

test('A stolen browser writes that Alice gave a locked chat up, and a lock of its own: her password opens the chat, and what she had not sent is there', async () => {
  const { alice, bob, place, writes } = await withThief()
  await alice.keeps(bob, 'cherries, not sent')
  await setChatPassword(alice.env, place, PASSWORD)
  for (const data of [await thiefsLock(), await thiefsLock(), undefined]) {
    await writes(() => ({ isGone: true, ...(data && { data }) }))
    await syncs(alice)
    expect(lockState(place.id)).toBe('shut')
    expect((await unlockChat(alice.env, place, PASSWORD)).valid).toBe(true)
    expect(await alice.hears(bob)).toEqual(['apples', 'pears'])
    expect(await unsent(alice, place.id)).toHaveLength(1)
    await lockChat(alice.env, place)
  }
  await writes(() => ({ kind: 'gone', data: [], isGone: true }))
  await syncs(alice)
  await setChatPassword(alice.env, place, PASSWORD)
  await unlockChat(alice.env, place, PASSWORD)
  await removeChatPassword(alice.env, place)
  expect(await unsent(alice, place.id)).toHaveLength(1)
})

test('What Alice gives up goes in her other browser too, though she has set another password before that one woke', async () => {
  const { alice, bob, thief: phone, place } = await withThief()
  await setChatPassword(alice.env, place, PASSWORD)
  await syncs(phone)
  await unlockChat(phone.env, place, PASSWORD)
  await phone.keeps(bob, 'cherries, not sent')
  await lockChat(phone.env, place)
  await syncs(alice)
  await signPageIn(alice)
  await openForOrder(alice.env, { kind: 'password', password: passwordOf(alice.username) })
  await giveUpHistory(alice.env, place)
  await alice.env.crypto.forgetPassword()
  await setChatPassword(alice.env, place, 'another one')
  await syncs(phone)
  expect(lockState(place.id)).toBe('shut')
  expect((await unlockChat(phone.env, place, 'another one')).valid).toBe(true)
  expect(await phone.hears(bob)).toEqual([])
  expect(await unsent(phone, place.id)).toEqual([])
})
