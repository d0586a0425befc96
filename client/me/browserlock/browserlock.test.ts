import { IDBFactory } from 'fake-indexeddb'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { PERIODS } from '../../../contract/ground/limits.ts'
import type { Env } from '../../env.ts'
import { ApiError } from '../../net/api.ts'
import { onKeepDrafts } from '../../rooms/list/unkeptDrafts.ts'
import { openBrowser } from '../../testing/browser.ts'
import { TestChannel } from '../../testing/channel.ts'
import { stubCredentials } from '../../testing/credentials.ts'
import { browserWith, readDisk } from '../../testing/disk.ts'
import { at, newPerson, passwordOf, signPageIn, type TestPerson } from '../../testing/people.ts'
import { createWire, type Wire } from '../../testing/wire.ts'
import { createCore } from '../../worker/core.ts'
import { awaitKey } from '../../worker/vault/keyHandover.ts'
import { start } from '../account/account.ts'
import { accountStore } from '../account/accountState.ts'
import { addPasskey } from '../account/passkeyFactors.ts'
import { changePassword } from '../account/signedOrder.ts'
import { addBrowserAnew, enrolThisBrowser, signIn } from '../signin/signin.ts'
import { changeLockTime, keepAndLoad, lockNow, standingOf, switchLockOff, switchLockOn } from './browserlock.ts'
import { countArrivals } from './countArrivals.ts'
import { tellLocked } from './tellLocked.ts'
import { openWithOthers, passkeyEntry, secondsToWait, unlock } from './unlock.ts'
import { watchLock } from './watchLock.ts'

beforeEach(openBrowser)
beforeEach(() => void vi.stubGlobal('BroadcastChannel', TestChannel))

let wire: Wire
let alice: TestPerson
let bob: TestPerson
let now: number
/** The open page; each page has its own worker. */
let page: Env

const password = () => passwordOf(alice.username)
const newPage = (core = createCore(() => 'https://conclave.example')): Env => ({
  ...alice.env,
  crypto: core,
  clock: () => new Date(now),
})

/** Reloads the page, which clears its memory. */
async function reloads(): Promise<void> {
  await page.crypto.close()
  page = newPage()
  await start(page, () => undefined)
}

const phase = () => accountStore.getState().phase

/** Enters this at the lock screen. */
async function opens(entry: Parameters<typeof unlock>[2]): Promise<void> {
  const { user } = accountStore.getState()
  if (!user) throw new Error('Nobody is signed in')
  await unlock(page, user, entry)
}

beforeEach(async () => {
  now = Date.parse('2026-01-01T00:00:00Z')
  wire = createWire()
  bob = await newPerson(wire)
  alice = await newPerson(wire)
  await alice.says(bob, 'hello')
  page = newPage(alice.core)
  await signPageIn(alice)
})
afterEach(() => vi.unstubAllGlobals())

const readsHello = async () => {
  const { messages } = await page.crypto.page({ chatRoomId: alice.room(bob).id, limit: 10 })
  expect(messages).toHaveLength(1)
}

test("A copy of Alice's profile with her session opens nothing while the lock is on; her password opens it", async () => {
  await switchLockOn(page, { after: 15, password: password(), usesPasskey: false })
  expect(await standingOf(page, alice.userId)).toMatchObject({ after: 15, passwordSalt: expect.any(String), passkeyIds: [] })
  const copied = await browserWith(await readDisk(alice.computer))
  const thief = createCore()
  const { userId, username } = alice
  await at(copied, async () => {
    await expect(thief.open({ userId, username, unlock: alice.unlock })).rejects.toMatchObject({ code: 'vault_locked' })
    const entry = { password: 'a guess' }
    await expect(thief.unlock({ userId, username, unlock: alice.unlock, entry })).rejects.toMatchObject({ code: 'lock_secret' })
  })
  await expect(thief.outbox(alice.room(bob).id)).rejects.toMatchObject({ code: 'closed' })

  await reloads()
  expect(phase()).toBe('locked')
  await expect(page.crypto.outbox(alice.room(bob).id)).rejects.toMatchObject({ code: 'closed' })
  await opens({ password: password() })
  expect(phase()).toBe('signed_in')
  await readsHello()
})

test('A wrong password says so and waits, longer each time; the right one is taken after the wait', async () => {
  await switchLockOn(page, { after: 5, password: password(), usesPasskey: false })
  await reloads()
  for (const seconds of [1, 2, 4]) {
    await expect(opens({ password: 'wrong' })).rejects.toMatchObject({ code: 'lock_secret' })
    expect(secondsToWait(page)).toBe(seconds)
    await expect(opens({ password: password() })).rejects.toMatchObject({ code: 'lock_wait' })
    expect(phase()).toBe('locked')
    now += seconds * 1000
  }
  await opens({ password: password() })
  expect(phase()).toBe('signed_in')
  expect(localStorage.getItem('lock-tries')).toBeNull()
})

test('A password that is not the account’s switches nothing on, and the lock stays off after a crash of the attempt', async () => {
  const tried = switchLockOn(page, { after: 5, password: 'a typing error', usesPasskey: false })
  await expect(tried).rejects.toMatchObject({ code: 'way' })
  expect(await standingOf(page, alice.userId)).toBeNull()
  await reloads()
  expect(phase()).toBe('signed_in')
})

test('Whoever sits at the open browser does not switch the lock off without what opens it', async () => {
  await switchLockOn(page, { after: 5, password: password(), usesPasskey: false })
  await changeLockTime(page, 60)
  expect(await standingOf(page, alice.userId)).toMatchObject({ after: 60 })
  await expect(switchLockOff(page, { password: 'a guess' })).rejects.toMatchObject({ code: 'lock_secret' })
  expect(await standingOf(page, alice.userId)).not.toBeNull()
  await switchLockOff(page, { password: password() })
  expect(await standingOf(page, alice.userId)).toBeNull()
  await reloads()
  expect(phase()).toBe('signed_in')
})

test('Signing in opens the lock with the same password, without asking twice', async () => {
  await switchLockOn(page, { after: 5, password: password(), usesPasskey: false })
  await page.crypto.close()
  page = newPage()
  answersUnlock()
  await signIn(page, { username: alice.username, password: password() })
  expect(phase()).toBe('signed_in')
  await readsHello()
})

/** The server names this browser's device and returns its unlock secret. */
function answersUnlock() {
  wire.lie = (_, path, answer) =>
    path === '/api/login' ? { ...(answer as object), unlock: { ...alice.unlock, challenge: null } } : undefined
}

const changes = (env: Env, from: string, to: string) =>
  changePassword(env, { currentPassword: from, newPassword: to, confirmNewPassword: to })

test('A password that was changed on another browser signs in, and the lock goes on asking for the old one', async () => {
  await switchLockOn(page, { after: 5, password: password(), usesPasskey: false })
  const other = await alice.newComputer()
  await at(other.computer, () => changes(other.env, password(), 'another password'))
  await page.crypto.close()
  page = newPage()
  answersUnlock()
  await signIn(page, { username: alice.username, password: 'another password' })
  expect(phase()).toBe('locked')
  await expect(opens({ password: 'another password' })).rejects.toMatchObject({ code: 'lock_secret' })
  now += 60_000
  await opens({ password: password() })
  await readsHello()
})

test('A password that is changed here is what the lock asks for from then on', async () => {
  await switchLockOn(page, { after: 5, password: password(), usesPasskey: false })
  await changes(page, password(), 'another password')
  await reloads()
  await expect(opens({ password: password() })).rejects.toMatchObject({ code: 'lock_secret' })
  now += 60_000
  await opens({ password: 'another password' })
  await readsHello()
})

test('Who cannot open the lock adds the browser anew; what was locked stays on the disk, sealed', async () => {
  await switchLockOn(page, { after: 5, password: password(), usesPasskey: false })
  await reloads()
  const before = (await readDisk(alice.computer)).find(({ name }) => name.endsWith(alice.userId))
  await addBrowserAnew(page)
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_out', notice: expect.stringContaining('anew') })
  answersUnlock()
  expect(await signIn(page, { username: alice.username, password: password() })).toMatchObject({ step: 'confirm_devices' })
  wire.lie = undefined
  await enrolThisBrowser(page)
  expect(phase()).toBe('signed_in')
  expect((await readDisk(alice.computer)).find(({ name }) => name.endsWith(alice.userId))).toEqual(before)
})

test('A passkey opens the lock, also beside a password; another passkey does not', async () => {
  const answers = stubCredentials()
  await addPasskey(page, { kind: 'password', password: password() }, 'Her phone')
  await switchLockOn(page, { after: 5, password: password(), usesPasskey: true })
  const standing = await standingOf(page, alice.userId)
  if (!standing) throw new Error('The lock is off')
  expect(standing.passkeyIds).toEqual(answers.passkeys.map(({ id }) => id))
  await reloads()
  const right = answers.output
  answers.output = crypto.getRandomValues(new Uint8Array(32))
  await expect(opens(await passkeyEntry(standing))).rejects.toMatchObject({ code: 'lock_secret' })
  now += 60_000
  answers.output = right
  await opens(await passkeyEntry(standing))
  await readsHello()
  await reloads()
  await opens({ password: password() })
  expect(phase()).toBe('signed_in')
})

test('Locking one tab locks the others, and what stands in a composer is kept first', async () => {
  const other = { ...(await alice.newTab()).env, clock: page.clock }
  await switchLockOn(page, { after: 60, password: password(), usesPasskey: false })
  vi.stubGlobal('window', new EventTarget())
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  const done: string[] = []
  const chatRoomId = alice.room(bob).id
  const off = onKeepDrafts(async () => {
    await page.crypto.keepDraftText({ chatRoomId, text: 'Half a sent' })
    done.push('kept')
  })
  const failures: unknown[] = []
  const stop = watchLock(other, alice.userId, (work) => void work.catch((error) => failures.push(error)), {
    load: () => void done.push('the other tab is loaded anew'),
  })
  await lockNow(() => done.push('this tab is loaded anew'))
  await expect.poll(() => done).toContain('the other tab is loaded anew')
  expect(done.indexOf('kept')).toBeLessThan(done.indexOf('this tab is loaded anew'))
  stop()
  off()
  expect(failures).toEqual([])
  await reloads()
  await opens({ password: password() })
  expect(await page.crypto.readDraft(chatRoomId)).toBe('Half a sent')
})

test('One tab is unlocked: the locked tab beside it opens too, of this account only, and a page that is loaded afterwards asks', async () => {
  await switchLockOn(page, { after: 60, password: password(), usesPasskey: false })
  await reloads()
  const { user } = accountStore.getState()
  if (!user) throw new Error('Nobody is signed in')
  const beside = newPage()
  const isBeside = openWithOthers(beside, user, user)
  const another = newPage()
  const isAnother = openWithOthers(another, { id: bob.userId, username: bob.username }, user)
  await expect(opens({ password: 'wrong' })).rejects.toMatchObject({ code: 'lock_secret' })
  now += 60_000
  await expect(beside.crypto.ownDevices()).rejects.toMatchObject({ code: 'closed' })
  await opens({ password: password() })
  await isBeside
  expect(await beside.crypto.ownDevices()).toHaveLength(1)
  await readsHello()
  await expect(another.crypto.ownDevices()).rejects.toMatchObject({ code: 'closed' })
  await another.crypto.close()
  await isAnother

  // The tab beside stays open, and hands nothing to a page that comes later.
  await reloads()
  expect(phase()).toBe('locked')
  const isLater = openWithOthers(page, user, user)
  expect(await orNothing(isLater)).toBe('nothing')
  await expect(page.crypto.ownDevices()).rejects.toMatchObject({ code: 'closed' })
  await page.crypto.close()
  await isLater
})

test('What one tab hands to another is a key that nobody can read, and nothing of it is kept', async () => {
  await switchLockOn(page, { after: 60, password: password(), usesPasskey: false })
  await reloads()
  const before = await readDisk(alice.computer)
  const { handed } = awaitKey(alice.userId)
  await opens({ password: password() })
  const { key, deviceId } = (await handed) ?? {}
  expect(deviceId).toBe(alice.deviceId)
  expect(key?.extractable).toBe(false)
  await expect(crypto.subtle.exportKey('raw', key as CryptoKey)).rejects.toThrow()
  expect(await readDisk(alice.computer)).toEqual(before)
  const { handed: handedLater, stop } = awaitKey(alice.userId)
  expect(await orNothing(handedLater)).toBe('nothing')
  stop()
})

/** What comes within a moment. */
const orNothing = (coming: Promise<unknown>): Promise<unknown> =>
  Promise.race([coming, new Promise((resolve) => setTimeout(resolve, 300, 'nothing'))])

test('A locked browser puts its session to sleep and shows how much is unread; its password wakes it', async () => {
  await switchLockOn(page, { after: 60, password: password(), usesPasskey: false })
  await reloads()
  await bob.says(alice, 'while she was away')
  const shown = vi.fn()
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }))
  const stop = countArrivals(page, { unread: shown, reached: () => undefined })
  await expect.poll(() => shown).toHaveBeenCalledWith(1)
  stop()
  await expect(page.api(contactsApi.list, {})).rejects.toMatchObject({ status: 403, code: 'device_required' })
  await opens({ password: password() })
  expect(await page.api(contactsApi.list, {})).toHaveLength(1)
  await readsHello()
})

test('A browser that locks without a connection tells the server as soon as it has one', async () => {
  await switchLockOn(page, { after: 60, password: password(), usesPasskey: false })
  await reloads()
  let isOnline = false
  wire.beforeEffect = (caller, path) => {
    if (caller === alice.userId && !isOnline) throw new ApiError(0, 'offline', `The server cannot be reached for ${path}`)
  }
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const random = vi.spyOn(Math, 'random').mockReturnValue(0)
  onTestFinished(() => random.mockRestore())
  const reached: boolean[] = []
  vi.stubGlobal('addEventListener', () => undefined)
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'hidden' }))
  const stop = countArrivals(page, { unread: () => undefined, reached: (isReached) => void reached.push(isReached) })
  await vi.advanceTimersByTimeAsync(PERIODS.reconnectMs)
  expect([reached, isAsleep()]).toEqual([[false, false], false])
  isOnline = true
  await vi.advanceTimersByTimeAsync(2 * PERIODS.reconnectMs)
  expect([reached, isAsleep()]).toEqual([[false, false, true], true])
  stop()
})

test('A page that is loaded beside an open tab leaves the session awake until that tab is closed or locks', async () => {
  await switchLockOn(page, { after: 60, password: password(), usesPasskey: false })
  const held = [{ name: 'conclave/open' }]
  vi.stubGlobal('navigator', { userAgent: 'Firefox', locks: { query: async () => ({ held }) } })
  await reloads()
  expect(await tellLocked(page)).toBe(false)
  expect(isAsleep()).toBe(false)
  // A tab that the browser has frozen holds on, though all were told to lock.
  await keepAndLoad(() => undefined)
  expect(await tellLocked(page)).toBe(true)
  expect(isAsleep()).toBe(true)
  await opens({ password: password() })
  expect(isAsleep()).toBe(false)
  expect(await tellLocked(page)).toBe(false)
  held.pop()
  expect(await tellLocked(page)).toBe(true)
})

const isAsleep = () => (wire.accounts.get(alice.userId)?.asleep?.size ?? 0) > 0

test('Nothing of this asks anybody who has no lock: the vault of before opens as it did', async () => {
  globalThis.indexedDB = new IDBFactory()
  const carol = await newPerson(wire)
  expect(await carol.core.lockStanding(carol.userId)).toBeNull()
  const tab = await carol.newTab()
  expect(await tab.core.ownDevices()).toHaveLength(1)
})
