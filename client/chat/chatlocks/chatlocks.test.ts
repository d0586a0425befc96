import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { archiveApi } from '../../../contract/chat/archive.ts'
import { chatLocksApi } from '../../../contract/chat/chatlocks.ts'
import { ApiError } from '../../net/api.ts'
import { exportAccount } from '../export/export.ts'
import { openedStore } from '../files/openedFiles.ts'
import { sharedPage } from '../files/sharedPage.ts'
import { type Upload, uploadsStore } from '../files/uploadsState.ts'
import '../files/uploadQueue.ts'
import { keepDraft, readDraft } from '../../rooms/list/drafts.ts'
import { fetchRooms, refreshRooms } from '../../rooms/list/loadRooms.ts'
import { resetRooms, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import { followLocks } from '../../rooms/list/roomLocks.ts'
import { onKeepDrafts } from '../../rooms/list/unkeptDrafts.ts'
import { renewEpoch } from '../../rooms/log/readyRoom.ts'
import { saveBook, syncBook } from '../../rooms/trust/book.ts'
import { keepsFile, sendsFile } from '../../testing/files.ts'
import { openedEnvelopes, openedRows, openLiveOf } from '../../testing/opened.ts'
import type { TestPerson } from '../../testing/people.ts'
import { people } from '../../testing/room.ts'
import { openRowKeys, openSeeds, stretchChatPassword } from '../../worker/chatlocks/chatkeys.ts'
import { readBook } from '../../worker/lists/book.ts'
import { hkdf, openFrom, openWith } from '../../worker/primitives/seal.ts'
import { WAITING, writeFile } from '../../worker/vault/disk.ts'
import { takeClears } from '../messages/takeClears.ts'
import { changeChatPassword, removeChatPassword, setChatPassword, unlockChat } from './chatlocks.ts'
import { lockChat } from './relock.ts'

vi.mock('hash-wasm', async () => ({ argon2id: (await import('../../testing/stretch.ts')).stretchCheaply }))

vi.setConfig({ testTimeout: 60_000 })
beforeEach(resetRooms)
afterEach(() => {
  resetRooms()
  vi.restoreAllMocks()
})

const PASSWORD = 'correct horse'
const failure = (code: string) => expect.objectContaining({ name: 'CryptoFailure', code })

/** What a start or a frame does: the book, what follows from it, and the list. */
async function syncs(person: TestPerson) {
  resetRooms()
  await syncBook(person.env)
  await followLocks(person.env)
  await refreshRooms(person.env)
  await takeClears(person.env)
}

/** Alice and Bob have written `apples`, `pears` and a draft; Alice's page shows its list. */
async function talking() {
  const all = await people()
  const { alice, bob } = all
  await alice.says(bob, 'apples')
  await bob.says(alice, 'pears')
  await alice.reads(bob)
  await syncs(alice)
  const room = () => alice.room(bob)
  return { ...all, room, place: { id: room().id, direct: room().direct } }
}

const lockState = (id: string) => roomById(id)?.lock
const isUnlocked = async (...input: Parameters<typeof unlockChat>) => (await unlockChat(...input)).valid

/** Bob does something meanwhile, at a page of his own. */
async function meanwhile<T>(work: () => Promise<T>): Promise<T> {
  const before = roomsStore.getState()
  resetRooms()
  const done = await work()
  roomsStore.setState(before)
  return done
}

/** What the book says of the lock. */
async function lockData(one: TestPerson, chatRoomId: string): Promise<string[]> {
  const live = await openLiveOf(one)
  const { book } = await readBook(live)
  live.vault.close()
  return book.locks?.[chatRoomId]?.data ?? []
}

const begun = (text: string) => ({
  target: { senderId: 'author', id: 'message' },
  ...{ n: 1, text, before: 'apples', isCaption: false, isOpen: true },
})

const words = (texts: string[], ...looked: string[]) => texts.filter((text) => looked.some((word) => text.includes(word)))

test('Once Alice locks a chat, nothing that her open vault opens has a word of it: not the messages, the draft, the search or the keys', async () => {
  const { alice, bob, place } = await talking()
  await alice.keeps(bob, 'cherries, not sent')
  await keepDraft(alice.env, place.id, 'a draft of plums')
  await alice.core.keepReply({ chatRoomId: place.id, quote: { senderId: bob.userId, id: bob.userId, words: 'pears' } })
  await alice.core.keepEdit({ chatRoomId: place.id, edit: begun('quinces') })
  await alice.core.indexRooms({ chatRoomIds: [place.id] })
  const fruits = ['apples', 'pears', 'plums', 'cherries', 'quinces']
  expect(words(await openedRows(alice), ...fruits).length).toBeGreaterThan(5)
  await setChatPassword(alice.env, place, PASSWORD)
  expect(lockState(place.id)).toBe('shut')
  const texts = await openedRows(alice)
  expect(words(texts, ...fruits)).toEqual([])
  // Neither its MLS state, its commits nor its epoch keys, and no part of the search.
  expect(texts.filter((text) => /^(groups|messages|outbox|own)/.test(text) && !text.includes('lockedRoom'))).toEqual([])
  expect(
    texts.filter(
      (text) => /^sealed (epoch|room|draft|reply|edit|acts|pending|pages):/.test(text) && !text.includes('lockedRoom'),
    ),
  ).toEqual([])
  expect(texts.filter((text) => /^sealed (search|late)/.test(text))).toEqual([])
  await expect(alice.core.page({ chatRoomId: place.id, limit: 5 })).rejects.toThrow(failure('room_locked'))
  await expect(alice.core.readDraft(place.id)).rejects.toThrow(failure('room_locked'))
})

test('What Alice deletes for herself while the chat is locked here is gone before it is shown', async () => {
  const { alice, bob, place } = await talking()
  const pears = (await alice.core.page({ chatRoomId: place.id, limit: 9 })).messages.find(
    ({ senderId }) => senderId === bob.userId,
  )
  const { senderId, id, seq } = pears ?? expect.fail()
  await setChatPassword(alice.env, place, PASSWORD)
  const hide = { type: 'hide' as const, room: place.id, target: { senderId, id }, at: seq }
  await alice.core.hideMessages({ hides: [hide], sentAt: new Date().toISOString() })
  expect(await alice.core.hidingRooms()).toEqual([place.id])
  const shown: number[] = []
  const off = roomsStore.subscribe(async () => {
    if (lockState(place.id) === 'open') shown.push((await alice.core.page({ chatRoomId: place.id, limit: 9 })).messages.length)
  })
  expect(await isUnlocked(alice.env, place, PASSWORD)).toBe(true)
  off()
  await expect.poll(() => shown.length).toBeGreaterThan(0)
  expect(new Set(shown)).toEqual(new Set([1]))
  expect(await alice.core.hidingRooms()).toEqual([])
})

test('No key of the open vault opens what is sealed for a locked chat, and with none the server gives its past away', async () => {
  const { alice, wire, place, roomId } = await talking()
  await setChatPassword(alice.env, place, PASSWORD)
  const live = await openLiveOf(alice)
  const seeds = [live.device.leafSeed, live.device.sealingSeed, ...live.history.map(({ seed }) => seed)]
  const rowKeys = (await live.vault.locks())[place.id]?.rowKeys ?? []
  expect(rowKeys).toHaveLength(1)
  for (const seed of seeds)
    for (const { sealed } of rowKeys)
      await expect(
        openFrom(seed, 'conclave/lock-row-key/v1', Buffer.from(sealed, 'base64'), place.id, live.device.id),
      ).rejects.toThrow(failure('seal'))
  // The server's copy: no seal is left that a history key opens and that opens a message.
  const room = wire.rooms.get(roomId)
  const left = (room?.archiveKeys ?? []).filter(({ userId }) => userId === alice.userId)
  const contents = (room?.log ?? []).flatMap((entry) => (entry.kind === 'message' ? [entry.content] : []))
  expect(await openedEnvelopes(live, left, contents)).toEqual({ keys: [], texts: [] })
  live.vault.close()
})

test('Alice unlocks with the password: her messages, her draft and her unsent words are there, and what came meanwhile', async () => {
  const { alice, bob, place } = await talking()
  await keepDraft(alice.env, place.id, 'a draft of plums')
  const quote = { senderId: bob.userId, id: bob.userId, words: 'pears' }
  await alice.core.keepReply({ chatRoomId: place.id, quote })
  await alice.core.keepEdit({ chatRoomId: place.id, edit: begun('quinces') })
  await setChatPassword(alice.env, place, PASSWORD)
  await meanwhile(() => bob.says(alice, 'figs, while locked'))
  await syncs(alice)
  expect(lockState(place.id)).toBe('shut')
  expect(await isUnlocked(alice.env, place, 'wrong password')).toBe(false)
  expect(lockState(place.id)).toBe('shut')
  expect(await isUnlocked(alice.env, place, PASSWORD)).toBe(true)
  expect(lockState(place.id)).toBe('open')
  expect(await alice.hears(bob)).toEqual(['apples', 'pears', 'figs, while locked'])
  expect(await readDraft(alice.env, place.id)).toBe('a draft of plums')
  expect(await alice.core.readReply(place.id)).toEqual(quote)
  expect(await alice.core.readEdit(place.id)).toEqual(begun('quinces'))
  await alice.says(bob, 'dates, while open')
  await alice.core.keepReply({ chatRoomId: place.id, quote: { ...quote, words: 'kiwis' } })
  await lockChat(alice.env, place)
  const texts = await openedRows(alice)
  expect(words(texts, 'apples', 'figs', 'dates', 'plums', 'kiwis')).toEqual([])
  expect(await meanwhile(() => bob.hears(alice))).toEqual(['apples', 'pears', 'figs, while locked', 'dates, while open'])
  expect(await isUnlocked(alice.env, place, PASSWORD)).toBe(true)
  expect((await alice.hears(bob)).at(-1)).toBe('dates, while open')
})

test('What Alice says in an open chat after a commit of her own is not opened by her history keys once she has locked it', async () => {
  const { alice, bob, wire, place, roomId } = await talking()
  await setChatPassword(alice.env, place, PASSWORD)
  await unlockChat(alice.env, place, PASSWORD)
  await renewEpoch(alice.env, alice.room(bob))
  await alice.says(bob, 'dates, in the next epoch')
  await lockChat(alice.env, place)
  const room = wire.rooms.get(roomId)
  const left = (room?.archiveKeys ?? []).filter(({ userId }) => userId === alice.userId)
  const contents = (room?.log ?? []).flatMap((entry) => (entry.kind === 'message' ? [entry.content] : []))
  const live = await openLiveOf(alice)
  expect(await openedEnvelopes(live, left, contents)).toEqual({ keys: [], texts: [] })
  live.vault.close()
  const laptop = await alice.newComputer()
  await syncs(laptop)
  expect(await isUnlocked(laptop.env, place, PASSWORD)).toBe(true)
  expect(await laptop.hears(bob)).toEqual(['apples', 'pears', 'dates, in the next epoch'])
})

test('A page that believes a server which takes every password opens nothing by a wrong one', async () => {
  const { alice, wire, place } = await talking()
  await setChatPassword(alice.env, place, PASSWORD)
  const secret = [...wire.contacts.values()].find(({ chatPassword }) => chatPassword)?.chatPassword?.lockSecret
  wire.lie = (_, path, answer) =>
    path === chatLocksApi.verify.path ? { valid: true, lockSecret: secret, triesLeft: 0, waitSeconds: 0 } : answer
  await expect(unlockChat(alice.env, place, 'wrong password')).rejects.toThrow(failure('chat_lock'))
  expect(lockState(place.id)).toBe('shut')
  await expect(alice.core.page({ chatRoomId: place.id, limit: 5 })).rejects.toThrow(failure('room_locked'))
  // The right password without the server's half opens nothing either.
  wire.lie = (_, path, answer) =>
    path === chatLocksApi.verify.path
      ? { valid: true, lockSecret: Buffer.alloc(32).toString('base64'), triesLeft: 0, waitSeconds: 0 }
      : answer
  await expect(unlockChat(alice.env, place, PASSWORD)).rejects.toThrow(failure('chat_lock'))
})

test("Alice's other browser is locked once it reads the book, opens by the same password, and reads on", async () => {
  const { alice, bob, place } = await talking()
  const phone = await alice.newComputer()
  await phone.reads(bob)
  await syncs(alice)
  await setChatPassword(alice.env, place, PASSWORD)
  expect(words(await openedRows(phone), 'apples').length).toBeGreaterThan(0)
  await syncs(phone)
  expect(lockState(place.id)).toBe('shut')
  expect(words(await openedRows(phone), 'apples', 'pears')).toEqual([])
  await meanwhile(() => bob.says(alice, 'figs'))
  expect(await isUnlocked(phone.env, place, PASSWORD)).toBe(true)
  expect(await phone.hears(bob)).toEqual(['apples', 'pears', 'figs'])
})

test("What stands in the composer of Alice's other browser is there again after unlocking, though the lock came in the middle of a word", async () => {
  const { alice, place } = await talking()
  const laptop = await alice.newComputer()
  await syncs(laptop)
  let typed: string | undefined = 'half a wo'
  const off = onKeepDrafts(async () => {
    if (typed !== undefined) await keepDraft(laptop.env, place.id, typed)
    typed = undefined
  })
  onTestFinished(off)
  await meanwhile(() => setChatPassword(alice.env, place, PASSWORD))
  await syncBook(laptop.env)
  await followLocks(laptop.env)
  await refreshRooms(laptop.env)
  expect(lockState(place.id)).toBe('shut')
  expect(await isUnlocked(laptop.env, place, PASSWORD)).toBe(true)
  expect(await readDraft(laptop.env, place.id)).toBe('half a wo')
})

test('A browser that is added later reads the whole history of a locked chat once it is unlocked there', async () => {
  const { alice, bob, place } = await talking()
  await setChatPassword(alice.env, place, PASSWORD)
  const laptop = await alice.newComputer()
  await syncs(laptop)
  expect(lockState(place.id)).toBe('shut')
  expect(await isUnlocked(laptop.env, place, PASSWORD)).toBe(true)
  expect(await laptop.hears(bob)).toEqual(['apples', 'pears'])
  await laptop.says(bob, 'grapes')
  expect(await meanwhile(() => bob.hears(alice))).toEqual(['apples', 'pears', 'grapes'])
})

test('The search finds nothing of a chat with a password, not even while it is open', async () => {
  const { alice, bob, place } = await talking()
  const find = () => alice.core.search({ chatRoomIds: [place.id], query: 'apples', limit: 5 })
  expect((await find()).messages).toHaveLength(1)
  await setChatPassword(alice.env, place, PASSWORD)
  expect(await find()).toMatchObject({ messages: [], isComplete: true, unloaded: [] })
  await unlockChat(alice.env, place, PASSWORD)
  await alice.reads(bob)
  expect(await alice.core.indexRooms({ chatRoomIds: [place.id] })).toBe(true)
  expect(await find()).toMatchObject({ messages: [], isComplete: true, unloaded: [] })
})

async function* oneChunk() {
  yield new Uint8Array(4096)
}

test('A locked chat shows nothing of its files, and no key of one opens in this browser; what waits goes on once it is open', async () => {
  const { alice, bob, room, place } = await talking()
  const content = await sendsFile(alice, bob, { name: 'plan-of-alice.pdf', caption: 'a secret place' })
  const goesOn = await keepsFile(alice, bob, { name: 'later-of-alice.pdf' })
  await alice.reads(bob)
  const [waiting] = await alice.core.uploads()
  if (!waiting) throw new Error('Nothing waits')
  uploadsStore.setState({
    uploads: [{ ...waiting, early: undefined, state: 'queued', reason: null, part: 0, line: {} as Upload['line'] }],
  })
  openedStore.setState({ urls: new Map([[content.object, { chatRoomId: room().id, url: 'blob:plan', sizeBytes: 9 }]]) })
  const revoked = vi.spyOn(URL, 'revokeObjectURL')
  await setChatPassword(alice.env, place, PASSWORD)
  await lockChat(alice.env, place)
  expect(lockState(place.id)).toBe('shut')
  expect(revoked).toHaveBeenCalledWith('blob:plan')
  expect([openedStore.getState().urls.size, uploadsStore.getState().uploads.length]).toEqual([0, 0])
  expect(await alice.core.uploads()).toEqual([])
  await expect(sharedPage(alice.env, place.id)).rejects.toEqual(failure('room_locked'))
  const rows = (await openedRows(alice)).map((row) => JSON.stringify(row)).join()
  for (const word of ['of-alice.pdf', 'a secret place', content.key, waiting.content.key]) expect(rows).not.toContain(word)

  // Bytes without a row go after a day; those of the locked chat have theirs.
  await writeFile([alice.userId, WAITING, crypto.randomUUID()], oneChunk())
  const waitingBytes = async () => (await alice.core.keptFiles()).waitingBytes
  expect(await waitingBytes()).toBe(2 * 4096)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 60 * 60 * 1000 })
  expect(await waitingBytes()).toBe(4096)
  vi.useRealTimers()

  await unlockChat(alice.env, place, PASSWORD)
  expect((await alice.core.uploads()).map(({ id }) => id)).toEqual([waiting.id])
  await goesOn()
  expect((await sharedPage(alice.env, place.id)).files.map(({ file }) => file.name)).toEqual([
    'later-of-alice.pdf',
    'plan-of-alice.pdf',
  ])
})

test('The export leaves a chat with a password out, not only while it is locked', async () => {
  const { alice, bob, place } = await talking()
  const owner = await alice.env.api(accountApi.user, {})
  const exported = async () => {
    const { signal } = new AbortController()
    const { chats, messages } = await exportAccount(alice.env, owner, {
      hasFiles: true,
      rooms: [alice.room(bob)],
      onProgress: () => undefined,
      signal,
    })
    return [chats, messages]
  }
  expect(await exported()).toEqual([1, 2])
  await setChatPassword(alice.env, place, PASSWORD)
  expect(await exported()).toEqual([0, 0])
  await unlockChat(alice.env, place, PASSWORD)
  expect(await exported()).toEqual([0, 0])
})

test('Where the page brings itself up to date in the middle of setting, the chat is locked all the same, and nothing is missing', async () => {
  const { alice, bob, wire, place } = await talking()
  const syncing: Promise<unknown>[] = []
  wire.afterEffect = (_, path, method) => {
    if (path === devicesApi.saveBook.path && method === 'PUT') syncing.push(alice.core.followLocks())
  }
  await setChatPassword(alice.env, place, PASSWORD)
  expect(await Promise.all(syncing)).toHaveLength(1)
  expect(lockState(place.id)).toBe('shut')
  const laptop = await alice.newComputer()
  await syncs(laptop)
  expect(await isUnlocked(laptop.env, place, PASSWORD)).toBe(true)
  expect(await laptop.hears(bob)).toEqual(['apples', 'pears'])
})

test('While another browser is in the middle of setting the password, nobody is told that it was interrupted; one that died there is told', async () => {
  const { alice, wire, place } = await talking()
  const laptop = await alice.newComputer()
  await syncs(laptop)
  wire.beforeEffect = (_, path, method) => {
    if (path === devicesApi.saveBook.path && method === 'PUT') throw new Error('The page has died')
  }
  await meanwhile(() => expect(setChatPassword(alice.env, place, PASSWORD)).rejects.toThrow('died'))
  wire.beforeEffect = undefined
  await fetchRooms(laptop.env, [place.id])
  expect(lockState(place.id)).toBe('shut')
  await followLocks(laptop.env)
  expect(lockState(place.id)).toBe('shut')
  const now = performance.now()
  vi.spyOn(performance, 'now').mockImplementation(() => now + 11_000)
  await followLocks(laptop.env)
  expect(lockState(place.id)).toBe('interrupted')
  await meanwhile(() => saveBook(alice.env))
  await syncBook(laptop.env)
  await followLocks(laptop.env)
  expect(lockState(place.id)).toBe('shut')
})

test('Where the page brings itself up to date in the middle of removing, whoever types in the chat types on', async () => {
  const { alice, place } = await talking()
  await setChatPassword(alice.env, place, PASSWORD)
  await unlockChat(alice.env, place, PASSWORD)
  const seen = new Set<string | undefined>()
  const stop = roomsStore.subscribe(() => seen.add(lockState(place.id)))
  onTestFinished(stop)
  const api = async (...[call, input]: Parameters<typeof alice.env.api>) => {
    if (call.path === chatLocksApi.remove.path) {
      await followLocks(alice.env)
      await fetchRooms(alice.env, [place.id])
    }
    return alice.env.api(call, input)
  }
  await removeChatPassword({ ...alice.env, api: api as typeof alice.env.api }, place)
  expect(lockState(place.id)).toBe('none')
  expect([...seen].filter((lock) => lock !== 'open')).toEqual(['none'])
})

test('Alice changes the password: the old one is wrong from then on, in every browser', async () => {
  const { alice, bob, place } = await talking()
  await setChatPassword(alice.env, place, PASSWORD)
  await unlockChat(alice.env, place, PASSWORD)
  await changeChatPassword(alice.env, place, 'another one')
  await lockChat(alice.env, place)
  expect(await isUnlocked(alice.env, place, PASSWORD)).toBe(false)
  expect(await isUnlocked(alice.env, place, 'another one')).toBe(true)
  expect(await alice.hears(bob)).toEqual(['apples', 'pears'])
})

test('Where the server takes no page of the archive, a password that Alice sets or changes holds all the same, and the next unlocking does the rest', async () => {
  const { alice, bob, wire, place } = await talking()
  const full = (_: string, path: string, method: string) => {
    if (path === archiveApi.putPage.path && method === 'PUT') throw new ApiError(429, 'key_bytes_reached', 'Too much for today')
  }
  wire.beforeEffect = full
  await setChatPassword(alice.env, place, PASSWORD)
  expect(lockState(place.id)).toBe('shut')
  wire.beforeEffect = undefined
  expect(await isUnlocked(alice.env, place, PASSWORD)).toBe(true)
  wire.beforeEffect = full
  await changeChatPassword(alice.env, place, 'another one')
  wire.beforeEffect = undefined
  await lockChat(alice.env, place)
  expect(await isUnlocked(alice.env, place, 'another one')).toBe(true)
  const laptop = await alice.newComputer()
  await syncs(laptop)
  expect(await isUnlocked(laptop.env, place, 'another one')).toBe(true)
  expect(await laptop.hears(bob)).toEqual(['apples', 'pears'])
})

test('Two browsers change the password at once: the one whose seal is not in the book is told so, and the other password opens the chat', async () => {
  const { alice, bob, place } = await talking()
  await setChatPassword(alice.env, place, PASSWORD)
  const phone = await alice.newComputer()
  await syncs(phone)
  await unlockChat(phone.env, place, PASSWORD)
  await meanwhile(async () => {
    await syncs(alice)
    await unlockChat(alice.env, place, PASSWORD)
  })
  let isFirst = true
  const api: typeof alice.env.api = async (endpoint, input) => {
    if (endpoint.path === chatLocksApi.set.path && isFirst) {
      isFirst = false
      await expect(changeChatPassword(phone.env, place, 'of the phone')).rejects.toThrow('was faster')
    }
    return alice.env.api(endpoint, input)
  }
  await changeChatPassword({ ...alice.env, api }, place, 'of the laptop')
  expect(isFirst).toBe(false)
  await lockChat(alice.env, place)
  expect(await isUnlocked(alice.env, place, 'of the laptop')).toBe(true)
  await syncs(phone)
  expect(await isUnlocked(phone.env, place, 'of the laptop')).toBe(true)
  expect(await phone.hears(bob)).toEqual(['apples', 'pears'])
})

test('Who knew the old password, and noted what the server and the book gave for it, opens nothing of the chat once Alice has changed it', async () => {
  const { alice, bob, wire, place, roomId } = await talking()
  const phone = await alice.newComputer()
  await phone.reads(bob)
  await syncs(alice)
  await setChatPassword(alice.env, place, PASSWORD)
  await syncs(phone)
  expect(await isUnlocked(phone.env, place, PASSWORD)).toBe(true)
  await lockChat(phone.env, place)
  await syncs(alice)
  await unlockChat(alice.env, place, PASSWORD)
  const lock = () => [...wire.contacts.values()].find(({ chatPassword }) => chatPassword)?.chatPassword
  const noted = { secret: lock()?.lockSecret ?? '', data: await lockData(alice, place.id) }

  await changeChatPassword(alice.env, place, 'another one')
  await alice.says(bob, 'figs, written after the change')
  await lockChat(alice.env, place)
  expect(lock()?.lockSecret).not.toBe(noted.secret)
  await syncs(phone)
  expect(await isUnlocked(phone.env, place, 'another one')).toBe(true)
  expect((await phone.hears(bob)).at(-1)).toBe('figs, written after the change')
  await lockChat(phone.env, place)
  // What two browsers have put into pages leaves the server.
  await syncs(alice)
  expect(await isUnlocked(alice.env, place, 'another one')).toBe(true)
  await lockChat(alice.env, place)

  const [publicKey = '', salt = '', sealed = ''] = noted.data
  const halves = {
    root: await stretchChatPassword(PASSWORD, Buffer.from(salt, 'base64')),
    lockSecret: Buffer.from(noted.secret, 'base64'),
  }
  const room = wire.rooms.get(roomId)
  const left = (room?.archiveKeys ?? []).filter(({ userId }) => userId === alice.userId)
  const contents = (room?.log ?? []).flatMap((entry) => (entry.kind === 'message' ? [entry.content] : []))
  const pages = [...(wire.archivePages.get(`${alice.userId} ${place.id}`)?.values() ?? [])]
  expect(pages).not.toEqual([])
  for (const one of [alice, phone]) {
    const live = await openLiveOf(one)
    const seeds = await openSeeds(live, place.id, publicKey, halves, sealed)
    const [nowKey = '', , nowSealed = ''] = await lockData(one, place.id)
    await expect(openSeeds(live, place.id, nowKey, halves, nowSealed)).rejects.toThrow(failure('chat_lock'))
    const { rowKeys = [] } = (await live.vault.locks())[place.id] ?? {}
    expect((await openRowKeys(live, place.id, rowKeys, seeds)).filter(Boolean)).toEqual([])
    for (const { number, version, sealed: page } of pages)
      for (const seed of seeds) {
        const key = await hkdf(seed, 'conclave/archive-page/v1', place.id, String(number))
        const context = [live.identityKey, place.id, String(number), String(version)]
        const opening = openWith(key, 'conclave/archive-page/v1', Buffer.from(page, 'base64'), ...context)
        await expect(opening).rejects.toThrow(failure('seal'))
      }
    expect(await openedEnvelopes(live, left, contents)).toEqual({ keys: [], texts: [] })
    live.vault.close()
  }
})

test('Alice removes the password: the chat is as before in all her browsers, also in one that slept and in one that is added', async () => {
  const { alice, bob, place } = await talking()
  const phone = await alice.newComputer()
  await phone.reads(bob)
  await syncs(alice)
  await setChatPassword(alice.env, place, PASSWORD)
  await syncs(phone)
  await syncs(alice)
  await unlockChat(alice.env, place, PASSWORD)
  const seen = new Set<string | undefined>()
  const stop = roomsStore.subscribe(() => seen.add(lockState(place.id)))
  await removeChatPassword(alice.env, place)
  stop()
  // Whoever types meanwhile types on.
  expect([...seen].filter((lock) => lock !== 'open')).toEqual(['none'])
  expect(lockState(place.id)).toBe('none')
  expect(await alice.hears(bob)).toEqual(['apples', 'pears'])
  await alice.core.indexRooms({ chatRoomIds: [place.id] })
  expect((await alice.core.search({ chatRoomIds: [place.id], query: 'apples', limit: 5 })).messages).toHaveLength(1)
  // The other browser slept through the removal and the next setting.
  await setChatPassword(alice.env, place, 'third one')
  await syncs(phone)
  expect(await isUnlocked(phone.env, place, 'third one')).toBe(true)
  expect(await phone.hears(bob)).toEqual(['apples', 'pears'])
  await removeChatPassword(phone.env, place)
  const laptop = await alice.newComputer()
  await syncs(laptop)
  expect(await laptop.hears(bob)).toEqual(['apples', 'pears'])
  await syncs(alice)
  expect(lockState(place.id)).toBe('none')
  expect(await alice.hears(bob)).toEqual(['apples', 'pears'])
})
