import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { stepUpApi } from '../../../contract/account/stepup.ts'
import { chatLocksApi } from '../../../contract/chat/chatlocks.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { CHAT_LOCK } from '../../../contract/chat/locklimits.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { newSalt, verifierOfSecret } from '../../identity/password/password.ts'
import type { Browser } from '../../testing/browser.ts'
import { newAuthSecret, type Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()

/** Shows the account's password once more. */
const confirms = ({ authSecret, does }: Person) => does(stepUpApi.confirm, { password: authSecret, kdf: 1 })

/** Alice and Bob; Alice's chat with him has a password, which she has set in her own browser. */
async function locked(password = newAuthSecret()) {
  const [alice, bob] = await Promise.all([world.person('alice'), world.person('bob')])
  const chatRoomId = await alice.talksTo(bob)
  const contactId = (await alice.contacts())[0]?.id ?? ''
  await confirms(alice)
  const { lockSecret } = await alice.does(chatLocksApi.set, { contactId, password, confirmPassword: password })
  return { alice, bob, chatRoomId, contactId, password, lockSecret }
}

/** Another session of the same browser: it has the browser's leaf key, and did not verify. */
async function sittingDown(person: Person): Promise<Browser> {
  const browser = await person.elsewhere()
  await browser.proves(person.deviceId)
  return browser
}

const isLocked = async (browser: Browser) => (await browser.does(contactsApi.list, {}))[0]?.isLocked

test('the right password opens the chat and gives the same secret in every browser, a wrong one gives nothing', async () => {
  const { alice, contactId, password, lockSecret } = await locked()
  expect(await isLocked(alice)).toBe(false)
  const laptop = await sittingDown(alice)
  expect(await isLocked(laptop)).toBe(true)
  const wrong = await laptop.does(chatLocksApi.verify, { contactId, password: newAuthSecret() })
  expect(wrong).toEqual({ valid: false, lockSecret: null, triesLeft: CHAT_LOCK.tries - 1, waitSeconds: 0 })
  expect(await isLocked(laptop)).toBe(true)
  const right = await laptop.does(chatLocksApi.verify, { contactId, password })
  expect(right).toEqual({ valid: true, lockSecret, triesLeft: 0, waitSeconds: 0 })
  expect(await isLocked(laptop)).toBe(false)
})

test('a program may send any password of 6 to 50 characters, and is told in words what is wrong with another', async () => {
  const { alice, contactId } = await locked('hunter22')
  expect((await alice.does(chatLocksApi.verify, { contactId, password: 'hunter22' })).valid).toBe(true)
  expect((await alice.does(chatLocksApi.verify, { contactId, password: 'hunter23' })).valid).toBe(false)
  const errorOf = async (call: 'set' | 'verify', input: object) =>
    (await alice.tries(chatLocksApi[call], { contactId, ...input })).body
  const both = (password: string) => ({ password, confirmPassword: password })
  expect(await errorOf('set', both('12345'))).toMatchObject({ error: 'Chat password must be at least 6 characters' })
  expect(await errorOf('set', both('x'.repeat(51)))).toMatchObject({ error: 'Chat password must be at most 50 characters' })
  expect(await errorOf('set', { password: 'hunter22', confirmPassword: 'other' })).toMatchObject({
    error: "Passwords don't match",
  })
  expect(await errorOf('verify', {})).toMatchObject({ error: 'Password is required' })
  for (const none of ['', 'undefined', 'null'])
    expect(
      (await alice.request('POST', `/api/contacts/${none}/verify-password`, { body: { password: 'x' } })).body,
    ).toMatchObject({
      error: 'Contact ID is required',
    })
})

test('what the server keeps is neither the password nor what opens the chat by itself', async () => {
  const { alice, password, contactId } = await locked('correct horse')
  const [row] = await world.sql(
    "select encode(salt, 'escape') || encode(verifier, 'escape') || encode(lock_secret, 'escape') as kept from chat_locks where user_id = $1",
    [alice.id],
  )
  expect(String(row?.kept)).not.toContain(password)
  const other = await locked('correct horse')
  const verifiers = await world.sql('select verifier from chat_locks where user_id = any($1)', [[alice.id, other.alice.id]])
  expect(new Set(verifiers.map(({ verifier }) => String(verifier))).size).toBe(2)
  expect((await alice.does(chatLocksApi.verify, { contactId, password })).valid).toBe(true)
})

test('Eve tries passwords from many sessions at once: five are compared, and each one after that waits longer', async () => {
  const { alice, contactId, password } = await locked()
  const sessions = await Promise.all(Array.from({ length: 8 }, () => sittingDown(alice)))
  const guess = (browser: Browser) => browser.tries(chatLocksApi.verify, { contactId, password: newAuthSecret() })
  const answers = await Promise.all(sessions.flatMap((browser) => [guess(browser), guess(browser), guess(browser)]))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(CHAT_LOCK.tries)
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(24 - CHAT_LOCK.tries)
  const [first = alice] = sessions
  // The right one waits too, or the wait would tell which one is right.
  expect(await first.tries(chatLocksApi.verify, { contactId, password })).toBeRefused(429, 'too_many_requests')
  for (const seconds of [60, 120, 240]) {
    world.passes(seconds / 2 + 1)
    const wrong = await first.does(chatLocksApi.verify, { contactId, password: newAuthSecret() })
    expect(wrong).toMatchObject({ valid: false, triesLeft: 0, waitSeconds: seconds })
    const { status, body } = await guess(first)
    expect([status, body]).toMatchObject([429, { retryAfterSeconds: seconds }])
  }
  world.passes(241)
  expect((await first.does(chatLocksApi.verify, { contactId, password })).valid).toBe(true)
  expect((await first.does(chatLocksApi.verify, { contactId, password: newAuthSecret() })).triesLeft).toBe(CHAT_LOCK.tries - 1)
})

test('a password that another browser is changing to at this moment is not counted as a wrong one', async () => {
  const { alice, contactId } = await locked()
  const [next, salt] = ['the next one', newSalt()]
  const change = await world.pool.connect()
  await change.query('begin')
  const verifier = await verifierOfSecret(salt, next)
  await change.query('update chat_locks set salt = $1, verifier = $2 where user_id = $3', [salt, verifier, alice.id])
  const asked = alice.does(chatLocksApi.verify, { contactId, password: next })
  await world.lockWaits()
  await change.query('commit')
  change.release()
  expect((await asked).valid).toBe(true)
  expect((await alice.does(chatLocksApi.verify, { contactId, password: newAuthSecret() })).triesLeft).toBe(CHAT_LOCK.tries - 1)
})

test('the longest wait is an hour, so that whoever guesses does not lock the owner out for good', async () => {
  const { alice: owner, contactId, password } = await locked()
  const alice = await sittingDown(owner)
  await world.sql('update chat_locks set wrong_tries = 5000 where user_id = $1', [owner.id])
  const wrong = await alice.does(chatLocksApi.verify, { contactId, password: newAuthSecret() })
  expect(wrong.waitSeconds).toBe(CHAT_LOCK.longestWaitSeconds)
  world.passes(CHAT_LOCK.longestWaitSeconds + 1)
  expect((await alice.does(chatLocksApi.verify, { contactId, password })).valid).toBe(true)
})

test('Eve tries wrong passwords at an open browser until the wait is an hour: Alice’s own browsers open the chat, and a new one once it shows that it is hers', async () => {
  const { alice, contactId, password } = await locked()
  const phone = await sittingDown(alice)
  await phone.does(chatLocksApi.verify, { contactId, password })
  const guesses = async (browser: Browser) => {
    for (let tries = 0; tries < CHAT_LOCK.tries; tries++)
      await browser.tries(chatLocksApi.verify, { contactId, password: newAuthSecret() })
  }
  const opens = (browser: Browser) => browser.tries(chatLocksApi.verify, { contactId, password })
  await guesses(await sittingDown(alice))
  await world.sql('update chat_locks set wrong_tries = 5000 where user_id = $1', [alice.id])
  world.passes(CHAT_LOCK.firstWaitSeconds + 1)
  await guesses(await sittingDown(alice))
  const laptop = await sittingDown(alice)
  expect(await opens(laptop)).toBeRefused(429, 'too_many_requests')
  for (const browser of [alice, phone]) expect((await opens(browser)).body).toMatchObject({ valid: true })
  // Hers are used up as well, by whoever sits down at her own browser.
  await guesses(phone)
  expect(await opens(phone)).toBeRefused(429, 'too_many_requests')
  for (const browser of [phone, laptop]) {
    await browser.does(stepUpApi.confirm, { password: alice.authSecret, kdf: 1 })
    expect((await opens(browser)).body).toMatchObject({ valid: true })
  }
})

test('Eve with Alice’s own password has five more tries in all, however many sessions she confirms', async () => {
  const { alice, contactId } = await locked()
  const tried = async () => {
    const eve = await sittingDown(alice)
    await eve.does(stepUpApi.confirm, { password: alice.authSecret, kdf: 1 })
    return (await eve.tries(chatLocksApi.verify, { contactId, password: newAuthSecret() })).status
  }
  const answers: number[] = []
  for (let session = 0; session < CHAT_LOCK.tries + 2; session++) answers.push(await tried())
  expect(answers).toEqual([...Array.from({ length: CHAT_LOCK.tries }, () => 200), 429, 429])
})

test('Eve at the open browser, or with a stolen one, sets no chat password: that takes the account’s own, shown within five minutes', async () => {
  const alice = await world.person('alice')
  await alice.talksTo(await world.person('bob'))
  const contactId = (await alice.contacts())[0]?.id ?? ''
  const input = { contactId, password: 'hunter22', confirmPassword: 'hunter22' }
  const eve = await sittingDown(alice)
  expect(await eve.tries(chatLocksApi.set, input)).toBeRefused(401, 'step_up_required')
  await confirms(alice)
  expect(await eve.tries(chatLocksApi.set, input)).toBeRefused(401, 'step_up_required')
  world.passes(LIMITS.stepUpSeconds + 1)
  expect(await alice.tries(chatLocksApi.set, input)).toBeRefused(401, 'step_up_required')
  await confirms(alice)
  expect((await alice.tries(chatLocksApi.set, input)).status).toBe(200)
})

test('Eve at the open browser neither replaces nor removes the password, nor guesses it by setting it', async () => {
  const { alice, contactId, password } = await locked()
  const eve = await sittingDown(alice)
  for (const guess of [password, newAuthSecret()])
    expect(await eve.tries(chatLocksApi.set, { contactId, password: guess, confirmPassword: guess })).toBeRefused(
      409,
      'has_chat_password',
    )
  expect(await eve.tries(chatLocksApi.remove, { contactId })).toBeRefused(403, 'chat_password_required')
  expect(await isLocked(eve)).toBe(true)
  expect((await alice.does(chatLocksApi.verify, { contactId, password })).triesLeft).toBe(0)
})

test('changing or removing the password needs one that was entered in the last five minutes', async () => {
  const { alice, contactId, password, lockSecret } = await locked()
  const next = newAuthSecret()
  world.passes(CHAT_LOCK.freshSeconds + 1)
  expect(await isLocked(alice)).toBe(false)
  expect(await alice.tries(chatLocksApi.set, { contactId, password: next, confirmPassword: next })).toBeRefused(
    409,
    'has_chat_password',
  )
  expect(await alice.tries(chatLocksApi.remove, { contactId })).toBeRefused(403, 'chat_password_required')
  const laptop = await sittingDown(alice)
  await laptop.does(chatLocksApi.verify, { contactId, password })
  await alice.does(chatLocksApi.verify, { contactId, password })
  // A program's stays. The app's comes along: the book has it sealed before this call, so a crash loses nothing.
  const other = randomBytes(32).toString('base64')
  expect(await alice.does(chatLocksApi.set, { contactId, password: next, confirmPassword: next })).toEqual({ lockSecret })
  const again = { contactId, password: next, confirmPassword: next, lockSecret: other }
  expect(await alice.does(chatLocksApi.set, again)).toEqual({ lockSecret: other })
  expect(await isLocked(laptop)).toBe(true)
  expect((await laptop.does(chatLocksApi.verify, { contactId, password })).valid).toBe(false)
  expect((await laptop.does(chatLocksApi.verify, { contactId, password: next })).valid).toBe(true)
  await laptop.does(chatLocksApi.remove, { contactId })
  expect(await alice.contacts()).toMatchObject([{ isPasswordProtected: false, isLocked: false }])
  expect(await alice.tries(chatLocksApi.verify, { contactId, password: next })).toBeRefused(404, 'not_found')
  expect(await alice.does(chatLocksApi.remove, { contactId })).toEqual({})
})

test('a chat that is used stays open, one that is left for 15 minutes is locked again, and locking it does so at once', async () => {
  const { alice, chatRoomId, contactId, password } = await locked()
  for (let minutes = 0; minutes < 40; minutes += 10) {
    world.passes(10 * 60)
    await alice.does(messagesApi.list, { chatRoomId })
  }
  world.passes(10 * 60)
  await alice.says(chatRoomId, 'still here')
  world.passes(10 * 60)
  await alice.says(chatRoomId, 'and here')
  // Reading the list is no use of the chat.
  world.passes(10 * 60)
  await alice.contacts()
  world.passes(5 * 60)
  expect(await alice.tries(messagesApi.list, { chatRoomId })).toBeRefused(403, 'chat_locked')
  expect(await alice.posts(chatRoomId, 'gone')).toBeRefused(403, 'chat_locked')
  await alice.does(chatLocksApi.verify, { contactId, password })
  await alice.says(chatRoomId, 'back')
  await alice.does(chatLocksApi.lock, { contactId })
  expect(await alice.posts(chatRoomId, 'gone')).toBeRefused(403, 'chat_locked')
  expect(await alice.does(chatLocksApi.lock, { contactId })).toEqual({})
})

test("a chat password is nobody else's business: Bob's list has no change, and his messages arrive", async () => {
  const { alice, bob, chatRoomId, contactId, password } = await locked()
  const [row] = await bob.contacts()
  expect(row).toMatchObject({ isPasswordProtected: false, isLocked: false })
  const changed = () =>
    world.sql('select changed_in::text from chat_participants where chat_room_id = $1 and user_id = $2', [chatRoomId, alice.id])
  const before = await changed()
  await alice.does(chatLocksApi.remove, { contactId })
  await alice.does(chatLocksApi.set, { contactId, password, confirmPassword: password })
  expect(await changed()).toEqual(before)
  await bob.says(chatRoomId, 'hello')
  expect(await bob.does(messagesApi.list, { chatRoomId })).toHaveLength(1)
})
