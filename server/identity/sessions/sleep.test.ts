import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { devicesApi } from '../../../contract/account/devices.ts'
import { sessionsApi } from '../../../contract/account/sessions.ts'
import { stepUpApi } from '../../../contract/account/stepup.ts'
import { contactsApi } from '../../../contract/chat/contacts.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { notificationsApi } from '../../../contract/chat/notifications.ts'
import { CLOSE } from '../../../contract/frames.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { createHub } from '../../ground/realtime/hub.ts'
import type { Browser } from '../../testing/browser.ts'
import type { Person } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { sleep } from './sessions.ts'

const world = await startWorld()
const MINUTE = 60

/** Somebody who has this session's cookie, and not the device. */
function thiefOf({ cookie }: Person): Browser {
  const thief = world.stranger()
  thief.cookie = cookie
  return thief
}

const locks = (person: Person) => person.does(sessionsApi.sleep, {})

test('At a locked browser the session tells who it is and how much is unread, and posts, reads and deletes nothing', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const chatRoomId = await alice.talksTo(bob)
  await bob.says(chatRoomId, 'while she was away')
  const [contact] = await alice.contacts()
  const thief = thiefOf(alice)
  // Who has just sent is remembered for ten seconds.
  expect((await thief.tries(messagesApi.send, { chatRoomId, content: 'hello', messageType: 'text' })).status).toBe(200)
  await locks(alice)
  expect(await thief.tries(messagesApi.send, { chatRoomId, content: 'in her name', messageType: 'text' })).toBeRefused(
    403,
    'device_required',
  )
  expect(await thief.tries(contactsApi.list, {})).toBeRefused(403, 'device_required')
  expect(await thief.tries(contactsApi.remove, { contactId: contact?.id })).toBeRefused(403, 'device_required')
  expect(await thief.tries(devicesApi.keys, {})).toBeRefused(403, 'device_required')
  expect(await thief.does(accountApi.user, {})).toMatchObject({ username: alice.username })
  expect(await thief.does(notificationsApi.unreadCount, {})).toEqual({ count: 1 })
  expect(await thief.does(devicesApi.unlock, {})).toMatchObject({
    unlockSecret: alice.unlock?.unlockSecret,
    challenge: expect.any(String),
  })
  // Her device signs, and goes on.
  await alice.proves(alice.deviceId)
  expect(await alice.contacts()).toHaveLength(1)
})

test('A copied cookie is worth nothing a day later, and does not shut the owner’s vault', async () => {
  const alice = await world.person('alice')
  const thief = thiefOf(alice)
  world.passes(LIMITS.proofSeconds - MINUTE)
  expect((await thief.tries(contactsApi.list, {})).status).toBe(200)
  world.passes(MINUTE)
  expect(await thief.tries(contactsApi.list, {})).toBeRefused(403, 'device_required')
  world.passes(9 * LIMITS.proofSeconds)
  expect(await thief.tries(devicesApi.book, {})).toBeRefused(403, 'device_required')
  await thief.does(accountApi.logout, { removeKeys: true })
  await alice.returns()
  expect((await alice.does(devicesApi.unlock, {})).unlockSecret).toBe(alice.unlock?.unlockSecret)
})

test('A page that stays open is asked to sign again when half of the day is over, and its session does not end by that', async () => {
  const alice = await world.person('alice')
  const challenge = async () => (await alice.does(devicesApi.unlock, {})).challenge
  world.passes(LIMITS.proofSeconds / 2 - MINUTE)
  expect(await challenge()).toBeNull()
  world.passes(2 * MINUTE)
  expect(await challenge()).not.toBeNull()
  await alice.proves(alice.deviceId)
  expect(await challenge()).toBeNull()
  world.passes(LIMITS.proofSeconds - MINUTE)
  expect((await thiefOf(alice).tries(contactsApi.list, {})).status).toBe(200)
})

test('A session that goes to sleep loses its sockets at once, on another node too, is not signed out by it, and hears nothing', async () => {
  const [alice, bob] = [await world.person('alice'), await world.person('bob')]
  const chatRoomId = await alice.talksTo(bob)
  const line = await alice.opensSocket()
  await line.hears('hello')
  await locks(alice)
  expect(await line.closed).toMatchObject({ code: CLOSE.deviceRequired })
  expect(line.frames.map(({ type }) => type)).toEqual(['hello'])
  const again = await thiefOf(alice).opensSocket()
  await bob.says(chatRoomId, 'not for a locked browser')
  expect(await again.closed).toMatchObject({ code: CLOSE.deviceRequired })
  expect(again.frames.map(({ type }) => type)).toEqual(['hello'])

  await alice.proves(alice.deviceId)
  const here = await alice.opensSocket()
  const user = await world.env.findSession(await hashOf(alice))
  if (!user) throw new Error('Alice is not signed in')
  // Another node has another register of sockets, so here only the announcement closes them.
  await sleep({ ...world.env, hub: createHub() }, user)
  expect(await here.closed).toMatchObject({ code: CLOSE.deviceRequired })
})

test('A socket whose device has not signed for a day is closed at the next look, and opens again once it has', async () => {
  const alice = await world.person('alice')
  const line = await alice.opensSocket()
  world.passes(LIMITS.proofSeconds - MINUTE)
  await world.gateway.recheck()
  expect(line.raw.readyState).toBe(line.raw.OPEN)
  world.passes(MINUTE)
  await world.gateway.recheck()
  expect(await line.closed).toMatchObject({ code: CLOSE.deviceRequired })
  await alice.proves(alice.deviceId)
  const again = await alice.opensSocket()
  again.says({ type: 'ping', data: {} })
  await again.hears('pong')
  again.hangsUp()
})

test('What was confirmed before a browser was locked is confirmed no more when it is opened', async () => {
  const alice = await world.person('alice')
  await alice.does(stepUpApi.confirm, { password: alice.authSecret, kdf: 1 })
  await locks(alice)
  await alice.proves(alice.deviceId)
  expect(await world.env.findSession(await hashOf(alice))).toMatchObject({ deviceId: alice.deviceId, confirmedAt: null })
})

test('A locked browser that nobody uses does not look used, and the owner sees which of the sessions it is', async () => {
  const alice = await world.person('alice')
  const seen = () => world.sql('select last_seen_at from devices where id = $1', [alice.deviceId])
  await locks(alice)
  const before = await seen()
  world.passes(10 * MINUTE)
  await thiefOf(alice).does(notificationsApi.unreadCount, {})
  expect(await seen()).toEqual(before)
  const other = await alice.addsBrowser()
  expect((await other.does(sessionsApi.list, {})).map(({ deviceId }) => deviceId)).toContain(alice.deviceId)
})

async function hashOf({ id }: Person): Promise<string> {
  const [row] = await world.sql("select encode(token_hash, 'hex') as hash from sessions where user_id = $1", [id])
  return String(row?.['hash'])
}
