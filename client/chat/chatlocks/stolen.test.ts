import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { archiveApi } from '../../../contract/chat/archive.ts'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { resetRooms } from '../../rooms/list/roomList.ts'
import { followLocks } from '../../rooms/list/roomLocks.ts'
import { syncBook } from '../../rooms/trust/book.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { removeChatPassword, setChatPassword, unlockChat } from './chatlocks.ts'

vi.mock('hash-wasm', async () => ({ argon2id: (await import('../../testing/stretch.ts')).stretchCheaply }))

vi.setConfig({ testTimeout: 60_000 })
beforeEach(resetRooms)
afterEach(() => {
  resetRooms()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const PASSWORD = 'correct horse'
const rubbish = () => randomBytes(90).toString('base64')

/** Not so long that a chat is locked again. */
const passes = (minutes: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })

async function syncs(person: TestPerson) {
  resetRooms()
  await syncBook(person.env)
  await followLocks(person.env)
  await refreshRooms(person.env)
}

/** Alice has two browsers; the second one is stolen. Both have read `apples` and `pears`. */
async function stolenFrom() {
  const all = await people()
  const { alice, bob, wire, roomId } = all
  await alice.says(bob, 'apples')
  await bob.says(alice, 'pears')
  await alice.reads(bob)
  const stolen = await alice.newComputer()
  await stolen.reads(bob)
  await syncs(alice)
  const { id, direct } = alice.room(bob)
  const room = wire.rooms.get(roomId)
  const seals = () => (room?.archiveKeys ?? []).filter(({ userId }) => userId === alice.userId)
  const epochs = seals().map(({ groupId, epoch }) => ({ groupId, epoch }))
  const heads = async () => (await stolen.env.api(archiveApi.pages, { chatRoomId: id })).pages
  const spoils = async (historyKeyId: number | null) => {
    const [head] = await heads()
    const page = { chatRoomId: id, number: 0, version: (head?.version ?? 0) + 1, historyKeyId, sealed: rubbish() }
    await stolen.env.api(archiveApi.putPage, { ...page, epochs: historyKeyId === null ? epochs : [] })
  }
  return { ...all, stolen, place: { id, direct }, seals, epochs, heads, spoils }
}

/** A browser that is added now, with nothing but the password of the account. */
async function hearsAnew(alice: TestPerson, bob: TestPerson, place: Parameters<typeof unlockChat>[1], password?: string) {
  const laptop = await alice.newComputer()
  await syncs(laptop)
  if (password !== undefined) expect(await unlockChat(laptop.env, place, password)).toMatchObject({ valid: true })
  return await laptop.hears(bob)
}

test('One request of a stolen browser takes no chat’s past away: a browser that Alice adds afterwards reads all of it', async () => {
  const { alice, bob, stolen, place, seals, epochs } = await stolenFrom()
  const { historyKeyId } = seals()[0] ?? { historyKeyId: 1 }
  const before = seals().length
  const page = { chatRoomId: place.id, number: 0, version: 1, sealed: rubbish(), epochs }
  for (const under of [historyKeyId, null])
    await expect(stolen.env.api(archiveApi.putPage, { ...page, historyKeyId: under })).rejects.toMatchObject({
      code: 'invalid_input',
    })
  expect(seals()).toHaveLength(before)
  expect(await hearsAnew(alice, bob, place)).toEqual(['apples', 'pears'])
})

test('Where Alice’s stolen browser has a locked chat open and writes rubbish over its past, her other browser and a new one still read all of it', async () => {
  const { alice, bob, stolen, place, seals, spoils } = await stolenFrom()
  await setChatPassword(alice.env, place, PASSWORD)
  // Alice was there, so nothing is left that a history key opens.
  expect(seals()).toEqual([])
  await syncs(stolen)
  await unlockChat(stolen.env, place, PASSWORD)
  passes(6)
  await spoils(null)
  await spoils(null)
  expect(await hearsAnew(alice, bob, place, PASSWORD)).toEqual(['apples', 'pears'])
  await syncs(alice)
  expect(await unlockChat(alice.env, place, PASSWORD)).toMatchObject({ valid: true })
  expect(await alice.hears(bob)).toEqual(['apples', 'pears'])
})

test('The thief is faster: its rubbish is the first page, and the next browser of Alice makes a right one of the seals that are left', async () => {
  const { alice, bob, wire, stolen, place, seals, spoils } = await stolenFrom()
  wire.beforeEffect = (_, path, method) => {
    if (path === archiveApi.putPage.path && method === 'PUT') throw new Error('The page has died')
  }
  await expect(setChatPassword(alice.env, place, PASSWORD)).rejects.toThrow('died')
  await syncs(stolen)
  await expect(unlockChat(stolen.env, place, PASSWORD)).rejects.toThrow('died')
  wire.beforeEffect = undefined
  // She has left it open, and is gone.
  passes(6)
  await spoils(null)
  expect(seals()).not.toEqual([])
  await syncs(alice)
  expect(await unlockChat(alice.env, place, PASSWORD)).toMatchObject({ valid: true })
  expect(await hearsAnew(alice, bob, place, PASSWORD)).toEqual(['apples', 'pears'])
})

test('A password that Alice removes leaves all of the past to a new browser, also where a thief has spoiled the newest page', async () => {
  const { alice, bob, wire, stolen, place, seals, spoils, heads } = await stolenFrom()
  await setChatPassword(alice.env, place, PASSWORD)
  await syncs(stolen)
  await unlockChat(stolen.env, place, PASSWORD)
  passes(6)
  await spoils(null)
  await syncs(alice)
  await unlockChat(alice.env, place, PASSWORD)
  await removeChatPassword(alice.env, place)
  expect((await heads())[0]?.historyKeyId).not.toBeNull()
  expect(await hearsAnew(alice, bob, place)).toEqual(['apples', 'pears'])
  // Set again: nothing is left that a history key opens.
  await syncs(alice)
  await setChatPassword(alice.env, place, PASSWORD)
  expect(seals()).toEqual([])
  const pages = wire.archivePages.get(`${alice.userId} ${place.id}`) ?? []
  expect(pages.map(({ historyKeyId }) => historyKeyId)).toEqual(pages.map(() => null))
})
