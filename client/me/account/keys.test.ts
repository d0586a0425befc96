import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { factorDetails } from '../../../contract/account/assertion.ts'
import type { AccountKeys } from '../../../contract/account/devices.ts'
import { manifestShape } from '../../../contract/account/documents.ts'
import { toBase64, toBase64Url, utf8 } from '../../../contract/ground/bytes.ts'
import type { Env } from '../../env.ts'
import { ApiError, isRefused } from '../../net/api.ts'
import { syncBook } from '../../rooms/trust/book.ts'
import { refreshOwnDevices } from '../../rooms/trust/ownDevices.ts'
import { openBrowser } from '../../testing/browser.ts'
import { stubCredentials } from '../../testing/credentials.ts'
import { at, newPerson, passwordOf, signPageIn, type TestPerson } from '../../testing/people.ts'
import { profileCopy } from '../../testing/profile.ts'
import { saltOf } from '../../testing/state.ts'
import { createWire, type Wire } from '../../testing/wire.ts'
import { openLive } from '../../worker/account/openAccount.ts'
import { createCore } from '../../worker/core.ts'
import { openKeyring } from '../../worker/keys/keyring.ts'
import { stretchPassword } from '../../worker/keys/password.ts'
import { halfway } from '../signin/halfway.ts'
import { openWith, recoverAccount, signInByKit } from '../signin/recover.ts'
import { askFactor, signInByPasskey } from '../signin/signInByPasskey.ts'
import { cancelSignIn, enrolThisBrowser, signIn, signUp } from '../signin/signin.ts'
import { accountStore } from './accountState.ts'
import { addKit, changeKeys, type Opener, openKeys, removeDevice, setPasswordOpens, switchHistory, waysOf } from './keys.ts'
import { addPasskey, factorsOf, joinPasskeys, removePasskey, setBiometric } from './passkeyFactors.ts'
import { changePassword } from './signedOrder.ts'

beforeEach(openBrowser)

let wire: Wire
let alice: TestPerson
let laptop: TestPerson
let phone: TestPerson
let bob: TestPerson
let password: Opener

interface Household {
  wire: Wire
  people: TestPerson[]
  restore: (() => Promise<void>)[]
}
let household: Promise<Household> | undefined

/**
 * Alice with three computers, and Bob, after a first exchange of messages. Created once and then restored, because Argon2id is
 * slow.
 */
async function moveIn(): Promise<Household> {
  const wire = createWire()
  const alice = await newPerson(wire)
  const people = [alice, await alice.newComputer(), await alice.newComputer(), await newPerson(wire)]
  const bob = people.at(-1) ?? alice
  await alice.says(bob, 'from alice')
  await bob.hears(alice)
  for (const { env } of people) await refreshOwnDevices(env).then(() => syncBook(env))
  const restore = await Promise.all(people.map(({ userId, computer }) => at(computer, () => profileCopy(userId))))
  return { wire, people, restore }
}

beforeEach(async () => {
  household ??= moveIn()
  const { wire: original, people, restore } = await household
  wire = createWire()
  for (const [id, account] of original.accounts) wire.accounts.set(id, structuredClone(account))
  for (const [id, room] of original.rooms) wire.rooms.set(id, structuredClone(room))
  const fresh: TestPerson[] = []
  for (const [index, person] of people.entries()) {
    await at(person.computer, async () => restore[index]?.())
    fresh.push(await person.newTab(wire))
  }
  const [one, second, third, other] = fresh
  if (!one || !second || !third || !other) throw new Error('Somebody is missing')
  alice = one
  laptop = second
  phone = third
  bob = other
  password = { kind: 'password', password: passwordOf(alice.username) }
  await signPageIn(alice)
})

const stored = () => {
  const account = wire.accounts.get(alice.userId)
  if (!account) throw new Error('The account is not on the wire')
  return account
}

/** A new browser without any account. */
function stranger(): { env: Env; computer: IDBFactory } {
  const computer = new IDBFactory()
  globalThis.indexedDB = computer
  return {
    env: {
      ...alice.env,
      api: wire.api(alice.userId, () => '0'.repeat(32)),
      crypto: createCore(() => 'https://conclave.example'),
    },
    computer,
  }
}

/** Simulates a tab that closes at this moment of a write. Checks afterwards run in another page. */
class TabDied extends Error {}
type Moment = 'before the server heard of it' | 'when the answer was lost' | 'before the browser kept it'
const MOMENTS: Moment[] = ['before the server heard of it', 'when the answer was lost', 'before the browser kept it']

async function dies(moment: Moment, env: Env, work: () => Promise<unknown>): Promise<void> {
  const dead = () => {
    throw new TabDied()
  }
  const onWrite = (_: string, path: string, method: string) => {
    const isKeys = (path === '/api/account/keys' && method === 'PUT') || path === '/api/devices'
    if (isKeys || path === '/api/change-password' || path === '/api/account/recover') dead()
  }
  if (moment === 'before the server heard of it') wire.beforeEffect = onWrite
  if (moment === 'when the answer was lost') wire.afterEffect = onWrite
  if (moment === 'before the browser kept it') Object.assign(env, { crypto: { ...env.crypto, changeKept: dead, keepKeys: dead } })
  await expect(work()).rejects.toThrow(TabDied)
  wire.beforeEffect = undefined
  wire.afterEffect = undefined
}

/** Checks that each browser reads a message of Bob's, and that Bob reads one from each browser. */
async function goOn(browsers: TestPerson[], round = 'then'): Promise<void> {
  for (const [index, browser] of browsers.entries()) {
    await bob.says(alice, `${round} ${index}`)
    expect((await browser.hears(bob)).at(-1)).toBe(`${round} ${index}`)
    await browser.says(bob, `answer ${round} ${index}`)
    expect((await bob.hears(alice)).at(-1)).toBe(`answer ${round} ${index}`)
  }
}

describe('a crash between any two steps leaves an account that opens, and browsers that read and send on', () => {
  const typed = 'another password'
  const changes: Record<string, (env: Env) => Promise<unknown>> = {
    'removing a browser': (env) => removeDevice(env, password, phone.deviceId),
    'switching history off': (env) => switchHistory(env, password, false),
    'a new password': (env) =>
      changePassword(env, { currentPassword: passwordOf(alice.username), newPassword: typed, confirmNewPassword: typed }),
    'a recovery kit': async (env) => {
      await env.crypto.newKit()
      await addKit(env, password)
    },
  }
  for (const [name, change] of Object.entries(changes)) {
    test.each(MOMENTS)(`${name}: the tab dies %s`, async (moment) => {
      const before = stored().keys.manifest.content
      await dies(moment, alice.env, () => change(alice.env))
      const isChanged = moment !== 'before the server heard of it'
      expect(stored().keys.manifest.content !== before).toBe(isChanged)
      const here = await alice.newTab()
      await goOn([here, laptop])
      if (name === 'removing a browser') {
        expect(await refreshOwnDevices(phone.env)).toBe(!isChanged)
        if (isChanged) await expect(phone.hears(bob)).rejects.toThrow()
      }
      // A later change builds on the current state.
      const opener: Opener = name === 'a new password' && isChanged ? { kind: 'password', password: typed } : password
      await switchHistory(laptop.env, opener, name !== 'switching history off' || !isChanged)
      await goOn([here, laptop], 'later')
    })
  }

  test.each(MOMENTS)('adding a browser: the tab dies %s', async (moment) => {
    await alice.core.close()
    const added = stranger()
    const { step } = await signIn(added.env, { username: alice.username, password: passwordOf(alice.username) })
    expect(step).toBe('confirm_devices')
    await dies(moment, added.env, () => enrolThisBrowser(added.env, 'Kitchen'))
    await signPageIn(alice)
    const names = (await openKeys(laptop.env, password)).map((device) => device.name)
    expect(names.includes('Kitchen')).toBe(moment !== 'before the server heard of it')
    await goOn([laptop, phone])
    const again = await alice.newComputer()
    expect(await again.hears(bob)).toContain('then 0')
    await goOn([again, laptop], 'later')
  })

  test.each(MOMENTS)('recovery: the tab dies %s', async (moment) => {
    const kit = await alice.core.newKit()
    await addKit(alice.env, password)
    const words = kit.words.join(' ')
    const lost = stranger()
    expect(await signInByKit(lost.env, { username: alice.username, words })).toMatchObject({ step: 'recover' })
    const form = { password: typed, confirmPassword: typed, removesOthers: true }
    const whole = () => {
      const { devices, removed, historyKeyId } = manifestShape.parse(JSON.parse(stored().keys.manifest.content))
      return { count: devices.length, removed: removed.length, historyKeyId, book: stored().book.historyKeyId }
    }
    const before = whole()
    await dies(moment, lost.env, () => recoverAccount(lost.env, form))
    // All of it or none: nobody stays in whom the recovery was to remove.
    const after = { count: 1, removed: 3, historyKeyId: before.historyKeyId + 1, book: before.historyKeyId + 1 }
    expect(whole()).toEqual(moment === 'before the server heard of it' ? before : after)

    const next = stranger()
    if (moment === 'before the server heard of it') {
      await signInByKit(next.env, { username: alice.username, words })
      await recoverAccount(next.env, form)
      expect(whole()).toEqual(after)
    } else {
      await expect(signInByKit(next.env, { username: alice.username, words })).rejects.toMatchObject({ code: 'wrong_kit' })
      stored().unlock = null
      expect(await signIn(next.env, { username: alice.username, password: typed })).toMatchObject({ step: 'confirm_devices' })
      await enrolThisBrowser(next.env)
    }
    // The kit is used up, even if no new kit replaces it.
    expect(await waysOf(next.env)).toMatchObject({ password: true, kit: null })
    expect(await knownAt(next.env)).toMatchObject([{ mismatch: null, username: bob.username }])
    await bob.says(alice, 'to the new browser')
    expect(await refreshOwnDevices(laptop.env)).toBe(false)
  })
})

/** What this browser knows of Bob after it has read the account's book. */
async function knownAt(env: Env) {
  await syncBook(env)
  const { identityKey, username } = alice.contact(bob).contactUser
  return env.crypto.compareAccounts([{ userId: bob.userId, identityKey, username }])
}

test('No address book holds at a recovery: the person is told before, and an empty one begins; a browser that stays brings its copy', async () => {
  const { words } = await alice.core.newKit()
  await addKit(alice.env, password)
  for (const book of [stored().book, ...Object.values(stored().books ?? {})])
    Object.assign(book, { sealed: toBase64(utf8('rubbish')) })
  const lost = stranger()
  const form = { password: 'another one', confirmPassword: 'another one', removesOthers: false }
  const step = await signInByKit(lost.env, { username: alice.username, words: words.join(' ') })
  expect(step).toMatchObject({ step: 'recover', isBookLost: true })
  await expect(recoverAccount(lost.env, form)).rejects.toMatchObject({ code: 'book_unread' })
  await recoverAccount(lost.env, { ...form, startsBook: true })
  expect(await knownAt(lost.env)).toMatchObject([{ username: null }])

  await refreshOwnDevices(laptop.env)
  await syncBook(laptop.env)
  expect(await knownAt(lost.env)).toMatchObject([{ mismatch: null, username: bob.username }])
})

test('An answer is lost and the page lives: it asks what became of the change, and keeps it', async () => {
  const { words } = await alice.core.newKit()
  wire.afterEffect = (_, path, method) => {
    if (path === '/api/account/keys' && method === 'PUT') throw new ApiError(0, 'offline', 'The server cannot be reached')
  }
  await addKit(alice.env, password)
  await removeDevice(alice.env, password, phone.deviceId)
  wire.afterEffect = undefined
  expect(await waysOf(alice.env)).toEqual({ password: true, kit: { madeAt: expect.any(String) }, passkeys: [] })
  expect((await alice.core.ownDevices()).map(({ id }) => id)).toEqual([alice.deviceId, laptop.deviceId])
  await goOn([alice, laptop])
  expect(await openKeys(laptop.env, { kind: 'kit', words: words.join(' ') })).toHaveLength(2)
})

test('A kit whose answer was lost, and that is kept once more from the same page, stays the one on paper', async () => {
  const { words, kitSecret } = await alice.core.newKit()
  let isOffline = false
  wire.afterEffect = (_, path, method) => {
    isOffline ||= path === '/api/account/keys' && method === 'PUT'
    if (isOffline) throw new ApiError(0, 'offline', 'The server cannot be reached')
  }
  await expect(addKit(alice.env, password)).rejects.toMatchObject({ code: 'offline' })
  wire.afterEffect = undefined
  await addKit(alice.env, password)
  expect(stored().kitSecret).toBe(kitSecret)
  expect(await openKeys(laptop.env, { kind: 'kit', words: words.join(' ') })).toHaveLength(3)
})

test('The answer to a recovery is lost and the network is gone: the same password, entered again, opens the account', async () => {
  const { words } = await alice.core.newKit()
  await addKit(alice.env, password)
  const lost = stranger()
  await signInByKit(lost.env, { username: alice.username, words: words.join(' ') })
  const form = { password: 'another one', confirmPassword: 'another one', removesOthers: false }
  let isOffline = false
  wire.afterEffect = (_, path) => {
    isOffline ||= path === '/api/account/recover'
    if (isOffline) throw new ApiError(0, 'offline', 'The server cannot be reached')
  }
  await expect(recoverAccount(lost.env, form)).rejects.toMatchObject({ code: 'offline' })
  wire.afterEffect = undefined
  const other = { ...form, password: 'a third one', confirmPassword: 'a third one' }
  await expect(recoverAccount(lost.env, other)).rejects.toMatchObject({ code: 'stale_version' })
  await recoverAccount(lost.env, form)
  expect(await waysOf(lost.env)).toMatchObject({ password: true, kit: null })
  expect(await knownAt(lost.env)).toMatchObject([{ mismatch: null, username: bob.username }])
})

test("Eve's stolen session overwrites the address book again and again: the browser that she stole is removed all the same", async () => {
  await goOn([alice, laptop])
  const spoils = () => {
    const { book } = stored()
    stored().book = { ...book, version: book.version + 1, sealed: toBase64(crypto.getRandomValues(new Uint8Array(300))) }
  }
  spoils()
  let left = 2
  wire.beforeEffect = (_, path, method) => {
    if (path === '/api/account/keys' && method === 'PUT' && left-- > 0) spoils()
  }
  await removeDevice(alice.env, password, phone.deviceId)
  wire.beforeEffect = undefined
  expect((await alice.core.ownDevices()).map(({ id }) => id)).toEqual([alice.deviceId, laptop.deviceId])
  await goOn([alice, laptop])
})

test('Two browsers change the keys at once: both changes hold', async () => {
  await Promise.all([
    removeDevice(alice.env, password, phone.deviceId),
    changeKeys(laptop.env, password, { keepsHistory: false }),
  ])
  const names = (await openKeys(laptop.env, password)).map(({ id }) => id)
  expect(names).toEqual([alice.deviceId, laptop.deviceId])
  expect(JSON.parse(stored().keys.manifest.content)).toMatchObject({ keepsHistory: false, historyKeyId: 3 })
  await goOn([alice, laptop])
})

test('A wrong password, a wrong kit or half of one changes nothing and is told apart', async () => {
  const before = stored().keys
  const wrong = (opener: Opener) => expect(removeDevice(alice.env, opener, phone.deviceId)).rejects
  await wrong({ kind: 'password', password: 'not hers' }).toMatchObject({ code: 'way' })
  const { words } = await bob.core.newKit()
  await wrong({ kind: 'kit', words: words.join(' ') }).toMatchObject({ code: 'way' })
  await wrong({ kind: 'kit', words: words.slice(12).join(' ') }).toMatchObject({ code: 'kit_words' })
  const form = { currentPassword: 'not hers', newPassword: 'another password', confirmNewPassword: 'another password' }
  await expect(changePassword(alice.env, form)).rejects.toMatchObject({ code: 'invalid_credentials' })
  await expect(changePassword(alice.env, { ...form, confirmNewPassword: 'x' })).rejects.toMatchObject({
    message: "New passwords don't match",
  })
  const lost = stranger()
  const username = alice.username
  await expect(signInByKit(lost.env, { username, words: words.join(' ') })).rejects.toMatchObject({ code: 'wrong_kit' })
  await expect(
    recoverAccount(lost.env, { password: 'another', confirmPassword: 'another', removesOthers: false }),
  ).rejects.toMatchObject({
    code: 'password',
  })
  expect(stored().keys).toEqual(before)
})

test('With the password alone switched off, a new browser asks for the kit too, and the old ones go on', async () => {
  await expect(setPasswordOpens(alice.env, password, { isOn: false })).rejects.toMatchObject({ code: 'last_way' })
  const kit = await alice.core.newKit()
  await addKit(alice.env, password)
  const opener: Opener = { kind: 'kit', words: kit.words.join(' ') }
  await setPasswordOpens(alice.env, password, { isOn: false })
  expect(await waysOf(alice.env)).toMatchObject({ password: false, kit: {} })
  await expect(openKeys(alice.env, password)).rejects.toMatchObject({ code: 'way' })

  stored().unlock = null
  const added = stranger()
  const step = await signIn(added.env, { username: alice.username, password: passwordOf(alice.username) })
  expect(step).toMatchObject({ step: 'open_keys', ways: { password: false, kit: {} } })
  expect(await openWith(added.env, opener)).toMatchObject({ step: 'confirm_devices', devices: [{}, {}, {}] })
  await enrolThisBrowser(added.env, 'Kitchen')
  expect((await added.env.crypto.ownDevices()).at(-1)).toMatchObject({ name: 'Kitchen', browser: 'Firefox', system: 'Linux' })

  // The sign-in password changes without a change of the keyring.
  const keyring = stored().keys.keyring.content
  const form = { currentPassword: passwordOf(alice.username), newPassword: 'another one', confirmNewPassword: 'another one' }
  await changePassword(alice.env, form, opener)
  expect(stored().keys.keyring.content).toBe(keyring)
  const isOn = true
  await expect(setPasswordOpens(alice.env, opener, { isOn, password: 'wrong one' })).rejects.toMatchObject({
    code: 'invalid_credentials',
  })
  await setPasswordOpens(alice.env, opener, { isOn, password: 'another one' })
  expect(await openKeys(laptop.env, { kind: 'password', password: 'another one' })).toHaveLength(4)
  await goOn([alice, laptop])
})

test('Recovery: a new password, a new kit in the place of the used one, and this browser with all that was said', async () => {
  const used = await alice.core.newKit()
  await addKit(alice.env, password)
  const lost = stranger()
  await signInByKit(lost.env, { username: alice.username, words: used.words.join(' ') })
  const next = await lost.env.crypto.newKit()
  let body: AccountKeys | undefined
  const { api } = lost.env
  lost.env.api = ((endpoint, input) => {
    if (endpoint.path === '/api/account/recover') body = (input as { keys: AccountKeys }).keys
    return api(endpoint, input)
  }) as typeof api
  wire.afterEffect = (_, path) => {
    if (path === '/api/account/recover') throw new ApiError(0, 'offline', 'The server cannot be reached')
  }
  const form = { password: 'another one', confirmPassword: 'another one', deviceName: 'Attic', removesOthers: false }
  await recoverAccount(lost.env, form)
  wire.afterEffect = undefined
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_in', isNew: false })
  expect((await lost.env.crypto.ownDevices()).map(({ name }) => name)).toContain('Attic')
  expect(stored()).toMatchObject({ kitSecret: next.kitSecret })

  const seed = (await stretchPassword(alice.username, 'another one', Buffer.from(saltOf(alice.username), 'base64'))).passwordSeed
  const { secret, accountKey } = await openKeyring(stored().keys.keyring, { kind: 'password', seed })
  const secrets = [seed, accountKey, secret.identitySeed, ...secret.historyKeys.map((key) => key.seed)]
  expect(body?.deviceId).toBe(stored().unlock?.deviceId)
  for (const one of secrets) {
    expect(JSON.stringify(body)).not.toContain(toBase64(one).slice(0, 42))
    expect(JSON.stringify(body)).not.toContain(toBase64Url(one).slice(0, 42))
  }
  await expect(openKeys(alice.env, password)).rejects.toMatchObject({ code: 'way' })
  await expect(openKeys(alice.env, { kind: 'kit', words: used.words.join(' ') })).rejects.toMatchObject({ code: 'way' })
  expect(await openKeys(alice.env, { kind: 'kit', words: next.words.join(' ') })).toHaveLength(4)
  await goOn([laptop, phone])
})

test('Alice recovers her account because somebody has one of her browsers: all the others are out, and the book is hers under a new key', async () => {
  const { words } = await alice.core.newKit()
  await addKit(alice.env, password)
  await bob.says(alice, 'before')
  await alice.reads(bob)
  const held = await at(alice.computer, () => openLive(alice.userId, alice.unlock))
  const before = Math.max(...held.history.map(({ id }) => id))
  const lost = stranger()
  await signInByKit(lost.env, { username: alice.username, words: words.join(' ') })
  await recoverAccount(lost.env, { password: 'another one', confirmPassword: 'another one', removesOthers: true })
  expect(await lost.env.crypto.ownDevices()).toHaveLength(1)
  expect(stored().book.historyKeyId).toBe(before + 1)
  expect(wire.rooms.get(alice.contact(bob).chatRoomId)?.needsCommit).toBe(true)
  // The keys of the other browsers do not open the book, whatever the server sends them.
  expect(held.history.some(({ id }) => id === stored().book.historyKeyId)).toBe(false)
})

test.each(['a new password', 'a new kit', 'the password no longer opens the keyring'])(
  '%s: whoever opened the keyring before reads nothing that follows',
  async (what) => {
    await alice.core.newKit()
    await addKit(alice.env, password)
    const keyOf = () => manifestShape.parse(JSON.parse(stored().keys.manifest.content)).historyKeyId
    // Adding a way in renews no history key.
    const before = keyOf()
    if (what === 'a new password')
      await changePassword(alice.env, {
        currentPassword: passwordOf(alice.username),
        newPassword: 'another one',
        confirmNewPassword: 'another one',
      })
    if (what === 'a new kit') {
      await alice.core.newKit()
      await addKit(alice.env, password)
    }
    if (what === 'the password no longer opens the keyring') await setPasswordOpens(alice.env, password, { isOn: false })
    expect(keyOf()).toBe(before + 1)
    expect(stored().book.historyKeyId).toBe(before + 1)
    await bob.says(alice, 'behind it')
    const room = wire.rooms.get(alice.contact(bob).chatRoomId)
    expect(room?.needsCommit).toBe(false)
    expect((await laptop.hears(bob)).at(-1)).toBe('behind it')
    await goOn([alice, laptop, phone])
  },
)

test('Who gives up a recovery half way leaves nothing behind', async () => {
  const { words } = await alice.core.newKit()
  await addKit(alice.env, password)
  const before = structuredClone(stored().keys)
  const lost = stranger()
  await signInByKit(lost.env, { username: alice.username, words: words.join(' ') })
  expect(halfway.recovery).toBeDefined()
  await cancelSignIn(lost.env)
  expect(halfway.recovery).toBeUndefined()
  const form = { password: 'another one', confirmPassword: 'another one', removesOthers: true }
  await expect(recoverAccount(lost.env, form)).rejects.toMatchObject({ code: 'password' })
  expect(stored().keys).toEqual(before)
})

test('After the sign-up the kit is kept without typing the password again; then the worker has forgotten it', async () => {
  const userId = randomUUID()
  const fresh = stranger()
  fresh.env.api = wire.api(userId, () => '0'.repeat(32))
  const username = `new_${userId.slice(0, 8)}`
  const secret = 'a password of hers'
  await signUp(fresh.env, { username, displayName: 'New', password: secret, confirmPassword: secret })
  expect(accountStore.getState()).toMatchObject({ phase: 'signed_in', isNew: true })
  await fresh.env.crypto.newKit()
  await addKit(fresh.env, { kind: 'fresh' })
  expect(await waysOf(fresh.env)).toMatchObject({ password: true, kit: {} })
  await fresh.env.crypto.forgetPassword()
  await expect(openKeys(fresh.env, { kind: 'fresh' })).rejects.toMatchObject({ code: 'password' })
})

test('A passkey is made once the keys are open, signs in, opens them, and after its removal does neither', async () => {
  const stub = stubCredentials()
  await expect(addPasskey(alice.env, { kind: 'password', password: 'not hers' }, 'Phone')).rejects.toMatchObject({ code: 'way' })
  expect(stub.create).not.toHaveBeenCalled()
  expect(await addPasskey(alice.env, password, 'Phone')).toEqual({ opensKeys: true })
  const [made] = stub.passkeys
  const listed = async () => joinPasskeys(await waysOf(alice.env), await factorsOf(alice.env))
  expect(await listed()).toMatchObject([{ id: made?.id, name: 'Phone', host: 'conclave.example', opensKeys: true }])
  await removeDevice(alice.env, { kind: 'passkey' }, phone.deviceId)
  expect(await alice.core.ownDevices()).toHaveLength(2)
  await removePasskey(alice.env, { kind: 'passkey' }, { id: made?.id ?? '', opensKeys: true })
  expect(await listed()).toEqual([])
  await expect(openKeys(alice.env, { kind: 'passkey' })).rejects.toMatchObject({ code: 'way' })
})

test('A passkey of an authenticator without keys signs in only, beside one that was made before passkeys signed in', async () => {
  const stub = stubCredentials()
  await addPasskey(alice.env, password, 'Phone')
  const [old] = stub.passkeys
  // As it stands for an account of before: in the keyring alone.
  stored().passkeys = []
  stub.output = null
  expect(await addPasskey(alice.env, password, 'Security key')).toEqual({ opensKeys: false })
  const [, key] = stub.passkeys
  const listed = async () => joinPasskeys(await waysOf(alice.env), await factorsOf(alice.env))
  expect(await listed()).toMatchObject([
    { id: old?.id, name: '', host: null, opensKeys: true },
    { id: key?.id, name: 'Security key', host: 'conclave.example', opensKeys: false },
  ])
  // Neither may be overwritten on its device.
  const excluded = stub.create.mock.calls[1]?.[0].publicKey.excludeCredentials
  expect(excluded?.map(({ id }) => Buffer.from(id).toString('base64url'))).toEqual([old?.id])
  await removePasskey(alice.env, password, { id: key?.id ?? '', opensKeys: false })
  expect(await listed()).toMatchObject([{ id: old?.id }])
})

test('At a new browser the passkey alone signs in and opens the keys, and nothing that opens them is sent', async () => {
  const stub = stubCredentials()
  await addPasskey(alice.env, password, 'Phone')
  stored().unlock = null
  const added = stranger()
  const sent: string[] = []
  const { api } = added.env
  added.env.api = ((endpoint, input) => {
    sent.push(JSON.stringify(input))
    return api(endpoint, input)
  }) as typeof api
  expect(await signInByPasskey(added.env)).toMatchObject({ step: 'confirm_devices', devices: [{}, {}, {}] })
  const output = Buffer.from(stub.output ?? [])
  for (const form of ['base64', 'base64url', 'hex'] as const)
    expect(sent.join()).not.toContain(output.toString(form).replaceAll('=', ''))
  await enrolThisBrowser(added.env, 'Kitchen')
  expect((await added.env.crypto.ownDevices()).at(-1)).toMatchObject({ name: 'Kitchen' })
  await removePasskey(alice.env, password, { id: stub.passkeys[0]?.id ?? '', opensKeys: true })
  await expect(signInByPasskey(stranger().env)).rejects.toMatchObject({ code: 'passkey_refused' })
})

test('A passkey that opens no keys signs in alone, and a new browser then asks for the password', async () => {
  const stub = stubCredentials()
  stub.output = null
  await addPasskey(alice.env, password, 'Security key')
  stored().unlock = null
  const added = stranger()
  expect(await signInByPasskey(added.env)).toMatchObject({
    step: 'open_keys',
    isPasswordEntered: false,
    ways: { password: true },
  })
  await expect(openWith(added.env, { kind: 'password', password: 'not hers' })).rejects.toMatchObject({ code: 'way' })
  expect(await openWith(added.env, password)).toMatchObject({ step: 'confirm_devices', devices: [{}, {}, {}] })
})

test('A server that answers a passkey with another account is found out before anything is opened', async () => {
  stubCredentials()
  await addPasskey(alice.env, password, 'Phone')
  wire.lie = (_, path, answer) =>
    path === '/api/login/passkey' ? { ...(answer as object), id: bob.userId, username: bob.username } : answer
  await expect(signInByPasskey(stranger().env)).rejects.toMatchObject({ code: 'other_account' })
})

test('With biometric sign-in on, the password is asked for a passkey, which opens the keys where the password does not', async () => {
  const stub = stubCredentials()
  const kit = await alice.core.newKit()
  await addKit(alice.env, password)
  await addPasskey(alice.env, password, 'Phone')
  await setBiometric(alice.env, password, true)
  expect(accountStore.getState().user).toMatchObject({ biometricEnabled: true })
  await setPasswordOpens(alice.env, { kind: 'kit', words: kit.words.join(' ') }, { isOn: false })
  stored().unlock = null
  const added = stranger()
  const typed = { username: alice.username, password: passwordOf(alice.username) }
  const refused = await signIn(added.env, typed).catch((error: unknown) => error)
  if (!isRefused(refused, 'biometric_required')) throw refused
  const startedAt = Date.now()
  const factor = await askFactor(factorDetails.parse(refused.details))
  // The step shows for two seconds at least.
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1990)
  expect(await signIn(added.env, { ...typed, factor })).toMatchObject({ step: 'confirm_devices', devices: [{}, {}, {}] })
  // Another authenticator does not hold the account's passkey.
  stub.passkeys = []
  await expect(askFactor(factorDetails.parse(refused.details))).rejects.toMatchObject({ code: 'passkey' })
  await expect(askFactor({ challenge: 'AAAA', ids: [] })).rejects.toThrow(
    'None of this account’s passkeys works at conclave.example',
  )
})
