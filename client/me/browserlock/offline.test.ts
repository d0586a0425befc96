import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { refreshRooms } from '../../rooms/list/loadRooms.ts'
import { changeRoom, resetRooms, roomById, roomsStore } from '../../rooms/list/roomList.ts'
import { keepShown } from '../../rooms/offline/keptScreens.ts'
import { peopleStore, resetPeople } from '../../rooms/trust/people.ts'
import { openBrowser } from '../../testing/browser.ts'
import { TestChannel } from '../../testing/channel.ts'
import { stubCredentials } from '../../testing/credentials.ts'
import { browserWith, readDisk } from '../../testing/disk.ts'
import { at, newPerson, passwordOf, signPageIn, type TestPerson } from '../../testing/people.ts'
import { createWire, type Wire } from '../../testing/wire.ts'
import { createCore } from '../../worker/core.ts'
import { SESSION_ENDED, signedIn, start } from '../account/account.ts'
import { accountStore } from '../account/accountState.ts'
import { addPasskey } from '../account/passkeyFactors.ts'
import { changePassword } from '../account/signedOrder.ts'
import { readUser } from '../account/storedUser.ts'
import { signIn } from '../signin/signin.ts'
import { offlineWaysOf, switchLockOff, switchLockOn, switchOfflineOff, switchOfflineOn } from './browserlock.ts'
import { passkeyEntry, unlockOffline } from './unlock.ts'

let wire: Wire
let alice: TestPerson
let bob: TestPerson
let now: number
let page: Env
/** What the service worker says of its copy of the app. */
let outcome: string

const password = () => passwordOf(alice.username)
const byPassword = () => ({ password: password(), usesPasskey: false })
const newPage = (): Env => ({ ...alice.env, crypto: createCore(() => 'https://conclave.example'), clock: () => new Date(now) })
const away = () => Promise.reject(new ApiError(0, 'offline', 'The server cannot be reached'))

const ownUser = () => {
  const { user } = accountStore.getState()
  if (!user) throw new Error('Nobody is signed in')
  return user
}

/** A browser with a service worker. */
const navigatorWith = (more: object = {}) => {
  const active = { postMessage: (_: unknown, [port]: MessagePort[]) => port?.postMessage({ outcome }) }
  const registration = { active }
  const serviceWorker = {
    register: async () => registration,
    ready: Promise.resolve(registration),
    getRegistration: async () => registration,
  }
  vi.stubGlobal('navigator', { serviceWorker, userAgent: 'Firefox', onLine: true, ...more })
}

beforeEach(openBrowser)
beforeEach(async () => {
  vi.stubGlobal('BroadcastChannel', TestChannel)
  navigatorWith()
  outcome = 'current'
  now = Date.parse('2026-01-01T00:00:00Z')
  wire = createWire()
  bob = await newPerson(wire)
  alice = await newPerson(wire)
  await alice.says(bob, 'hello')
  page = { ...newPage(), crypto: alice.core }
  await signPageIn(alice)
  signedIn(ownUser())
})
afterEach(() => {
  resetRooms()
  resetPeople()
  vi.unstubAllGlobals()
})

/** The page is loaded without the server. */
async function startsAway(): Promise<void> {
  await page.crypto.close()
  page = { ...newPage(), api: away }
  await start(page, () => undefined)
  expect(accountStore.getState()).toMatchObject({ phase: 'away', user: null })
}

async function opensAway(entry: Parameters<typeof unlockOffline>[2]): Promise<void> {
  const who = readUser()
  if (!who) throw new Error('Nobody was here')
  await unlockOffline(page, who, entry)
}

const readsHello = async () => {
  const { messages } = await page.crypto.page({ chatRoomId: alice.room(bob).id, limit: 10 })
  expect(messages).toHaveLength(1)
}

/** What a thief opens with a copy of this browser's disk, without the server. */
async function thiefOpens(typed: string): Promise<void> {
  const { userId, username } = alice
  const copied = await browserWith(await readDisk(alice.computer))
  await at(copied, () => createCore().unlockOffline({ userId, username, entry: { password: typed } }))
}

const shut = { code: 'lock_secret' }

test("A copy of Alice's profile opens without the server by her password alone, where she chose that, and not at all where she did not", async () => {
  await expect(thiefOpens(password())).rejects.toMatchObject(shut)
  await switchOfflineOn(page, byPassword())
  expect(await offlineWaysOf(page, alice.userId)).toMatchObject({ passwordSalt: expect.any(String), passkeyIds: [] })
  await expect(thiefOpens('a guess')).rejects.toMatchObject(shut)
  // What the choice costs.
  await thiefOpens(password())
  await switchOfflineOff(page)
  expect(await offlineWaysOf(page, alice.userId)).toBeNull()
  await expect(thiefOpens(password())).rejects.toMatchObject(shut)
  await readsHello()
})

test('Alice starts without the server: her password opens her chats, a wrong one makes her wait, and nobody is signed out', async () => {
  await switchOfflineOn(page, byPassword())
  await refreshRooms(page)
  await keepShown(page, { ...ownUser(), displayName: 'Alice as she was' })
  const { rooms } = roomsStore.getState()
  const people = peopleStore.getState().people
  resetRooms()
  resetPeople()
  await startsAway()
  await expect(opensAway({ password: 'a guess' })).rejects.toMatchObject(shut)
  await expect(opensAway({ password: password() })).rejects.toMatchObject({ code: 'lock_wait' })
  now += 60_000
  await opensAway({ password: password() })
  expect(accountStore.getState()).toMatchObject({
    phase: 'signed_in',
    user: { id: alice.userId, displayName: 'Alice as she was' },
  })
  await readsHello()

  const row = roomsStore.getState().rooms.get(alice.room(bob).id)
  const { preview: _, ...before } = rooms.get(alice.room(bob).id) ?? {}
  expect(row).toMatchObject(before)
  expect(row?.preview?.text).toBe('hello')
  expect(peopleStore.getState().people.get(bob.userId)).toEqual({ ...people.get(bob.userId), isOnline: false })
  // What the server answers takes its place.
  expect(roomsStore.getState().counter).toBeNull()
  await refreshRooms({ ...page, api: alice.env.api })
  expect(roomsStore.getState().counter).not.toBeNull()
})

test('On a train the connection seems alive and nobody answers: a browser that opens without the server offers to, another one waits', async () => {
  const silent = () => new Promise<never>(() => undefined)
  const starts = async () => {
    await page.crypto.close()
    page = { ...newPage(), api: silent }
    accountStore.setState({ phase: 'starting', user: null })
    void start(page, () => undefined, 20)
  }
  await starts()
  // Longer than it waits where it opens.
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(accountStore.getState().phase).toBe('starting')
  page = newPage()
  await page.crypto.open({ userId: alice.userId, username: alice.username, unlock: alice.unlock })
  await signPageIn(alice)
  await switchOfflineOn(page, byPassword())
  await starts()
  await expect.poll(() => accountStore.getState().phase).toBe('away')
  await opensAway({ password: password() })
  await readsHello()
})

test('A question to the server that ends only after Alice has opened without it does not shut her browser again', async () => {
  await switchOfflineOn(page, byPassword())
  await startsAway()
  const user = await alice.env.api(accountApi.user, {})
  const ends: ((answer: { user: typeof user } | { error: Error }) => void)[] = []
  const slow = () =>
    new Promise<never>((resolve, reject) =>
      ends.push((answer) => ('error' in answer ? reject(answer.error) : resolve(answer.user as never))),
    )
  const asked = [1, 2].map(() => start({ ...page, api: slow }, () => undefined))
  await opensAway({ password: password() })
  ends[0]?.({ error: new ApiError(0, 'no_answer', 'The server does not answer') })
  ends[1]?.({ user })
  await Promise.all(asked)
  expect(accountStore.getState().phase).toBe('signed_in')
  await readsHello()
})

test('What an older version of the page has kept still opens: fields of newer ones have their defaults, and rubbish is left out', async () => {
  await switchOfflineOn(page, byPassword())
  await refreshRooms(page)
  await keepShown(page, ownUser())
  const kept = JSON.parse(JSON.stringify(await page.crypto.readShown()))
  delete kept.user.privacy
  delete kept.rooms[0].mutedUntil
  await page.crypto.keepShown({ user: kept.user, rooms: [{ chatRoomId: 'rubbish' }, ...kept.rooms] })
  resetRooms()
  await startsAway()
  await opensAway({ password: password() })
  expect([...roomsStore.getState().rooms.keys()]).toEqual([alice.room(bob).id])
  expect(accountStore.getState().user?.privacy.presence).toBe(true)
})

test.each([
  { lock: 'open', isPasswordProtected: true },
  { lock: 'shut', isPasswordProtected: true },
  { lock: 'interrupted', isPasswordProtected: true },
  // Its password was being removed by another browser.
  { lock: 'shut', isPasswordProtected: false },
] as const)(
  'A chat with a password is kept as a locked one: place and count, nothing of its messages, and it does not open ($lock)',
  async (locked) => {
    await switchOfflineOn(page, byPassword())
    await refreshRooms(page)
    const { id } = alice.room(bob)
    const lastMessageAt = roomById(id)?.lastMessage?.createdAt ?? ''
    changeRoom(id, () => (locked.lock === 'open' ? locked : { ...locked, lastMessage: null, lastMessageAt }))
    await keepShown(page, ownUser())
    resetRooms()
    await startsAway()
    await opensAway({ password: password() })
    const row = roomById(id)
    expect(row).toMatchObject({ isPasswordProtected: true, preview: null, lastMessage: null, lastMessageAt })
    expect(['shut', 'interrupted']).toContain(row?.lock)
  },
)

test('A session that ended while the browser was away leads to the sign-in', async () => {
  await switchOfflineOn(page, byPassword())
  await startsAway()
  await start({ ...page, api: () => Promise.reject(new ApiError(401, 'not_signed_in', 'Not signed in')) }, () => undefined)
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', user: null, notice: SESSION_ENDED })
})

test('The lock goes on and off, and what opens without the server stays; with the lock on, nothing else opens', async () => {
  await switchOfflineOn(page, byPassword())
  await switchLockOn(page, { after: 5, ...byPassword() })
  const { userId, username } = alice
  const copied = await browserWith(await readDisk(alice.computer))
  await at(copied, async () => {
    await expect(createCore().open({ userId, username, unlock: alice.unlock })).rejects.toMatchObject({ code: 'vault_locked' })
  })
  await thiefOpens(password())
  // With a lock, only what opens that may open without the server.
  await switchOfflineOff(page)
  await switchOfflineOn(page, byPassword())
  await switchLockOff(page, { password: password() })
  await startsAway()
  await opensAway({ password: password() })
  await readsHello()
})

test('By a passkey alone: that one opens without the server, another one and the password do not', async () => {
  const answers = stubCredentials()
  navigatorWith({ credentials: { create: answers.create, get: answers.get } })
  await addPasskey(page, { kind: 'password', password: password() }, 'Her phone')
  await switchOfflineOn(page, { usesPasskey: true })
  const ways = await offlineWaysOf(page, alice.userId)
  if (!ways) throw new Error('Nothing opens it')
  expect(ways).toEqual({ passwordSalt: null, passkeyIds: answers.passkeys.map(({ id }) => id) })
  await expect(thiefOpens(password())).rejects.toMatchObject(shut)
  await startsAway()
  const right = answers.output
  answers.output = crypto.getRandomValues(new Uint8Array(32))
  await expect(opensAway(await passkeyEntry(ways))).rejects.toMatchObject(shut)
  now += 60_000
  answers.output = right
  await opensAway(await passkeyEntry(ways))
  await readsHello()
})

const changes = (env: Env, from: string, to: string) =>
  changePassword(env, { currentPassword: from, newPassword: to, confirmNewPassword: to })

test('A password that is changed here opens without the server from then on, and the old one no longer does', async () => {
  await switchOfflineOn(page, byPassword())
  await changes(page, password(), 'another password')
  await expect(thiefOpens(password())).rejects.toMatchObject(shut)
  await thiefOpens('another password')
})

test('A password that was changed elsewhere opens without the server once Alice has signed in by it', async () => {
  await switchOfflineOn(page, byPassword())
  const other = await alice.newComputer()
  await at(other.computer, () => changes(other.env, password(), 'another password'))
  await page.crypto.close()
  page = newPage()
  wire.lie = (_, path, answer) =>
    path === '/api/login' ? { ...(answer as object), unlock: { ...alice.unlock, challenge: null } } : undefined
  await signIn(page, { username: alice.username, password: 'another password' })
  expect(accountStore.getState().phase).toBe('signed_in')
  await expect(thiefOpens(password())).rejects.toMatchObject(shut)
  await thiefOpens('another password')
})

test('Where the browser has no whole copy of the app, nothing is switched on, and the reason is told', async () => {
  for (const [said, words] of [
    ['full', 'no room left'],
    ['away', 'cannot be reached'],
    ['broken', 'just updated'],
    ['older', 'older version'],
  ] as const) {
    outcome = said
    await expect(switchOfflineOn(page, byPassword())).rejects.toThrow(words)
  }
  expect(await offlineWaysOf(page, alice.userId)).toBeNull()
})
