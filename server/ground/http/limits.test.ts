import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { sessionsApi } from '../../../contract/account/sessions.ts'
import { stepUpApi } from '../../../contract/account/stepup.ts'
import { chatLocksApi } from '../../../contract/chat/chatlocks.ts'
import { messagesApi } from '../../../contract/chat/messages.ts'
import { everyEndpoint } from '../../../contract/every.ts'
import { RATES } from '../../../contract/ground/rates.ts'
import { Refusal } from '../../refuse.ts'
import { newAuthSecret } from '../../testing/person.ts'
import { startWorld } from '../../testing/world.ts'
import { makeLimits, takeRates } from './limits.ts'

test('after the last point the answer says when to try again, and then it works', async () => {
  let now = new Date('2026-01-01T00:00:50Z')
  const limits = makeLimits(() => now)
  for (let call = 0; call < RATES.availability.points; call++) await limits.take('availability', '203.0.113.9')
  const refused = await limits.take('availability', '203.0.113.9').catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(Refusal)
  expect(refused).toMatchObject({ status: 429, retryAfterSeconds: 10, message: 'Too many attempts. Try again in 10 seconds' })
  await limits.take('availability', '203.0.113.10')
  await limits.take('salt', '203.0.113.9')
  now = new Date('2026-01-01T00:01:00Z')
  await limits.take('availability', '203.0.113.9')
})

const world = await startWorld({ hasLimits: true, variables: { TRUST_PROXY: '1' } })

test('an address that asks too often is refused by name, with Retry-After; another address is not', async () => {
  const asks = (address: string) =>
    world.stranger().request('GET', '/api/username-available?username=someone', { headers: { 'x-forwarded-for': address } })
  // The clock moves to the beginning of a window, so that all calls are in one.
  world.passes(RATES.availability.seconds - ((world.env.clock().getTime() / 1000) % RATES.availability.seconds))
  for (let call = 0; call < RATES.availability.points; call++) await asks('203.0.113.9')
  const answer = await asks('203.0.113.9')
  expect(answer).toBeRefused(429, 'too_many_requests')
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await asks('203.0.113.77')).status).toBe(200)
  expect(await world.stranger().tries(accountApi.usernameAvailable, { username: 'someone' })).toMatchObject({ status: 200 })
})

test('who has a copied cookie of Alice keeps none of her other browsers from signing for its session', async () => {
  const alice = await world.person('alice')
  const [laptop, thief] = [await alice.addsBrowser(), world.stranger()]
  thief.cookie = alice.cookie
  toWindow(RATES.proofs.seconds)
  for (let call = 0; call < RATES.proofs.points; call++) await thief.does(sessionsApi.sleep, {})
  expect(await thief.tries(sessionsApi.sleep, {})).toBeRefused(429, 'too_many_requests')
  await laptop.proves(laptop.deviceId)
})

test('who has one open session of Alice keeps no other of hers from opening a chat, nor from showing that it is her', async () => {
  const [alice, bob] = await Promise.all([world.person('alice'), world.person('bob')])
  await alice.talksTo(bob)
  const contactId = (await alice.contacts())[0]?.id ?? ''
  const [laptop, eve] = [await alice.addsBrowser(), world.stranger()]
  eve.cookie = alice.cookie
  await alice.does(stepUpApi.confirm, { password: alice.authSecret, kdf: 1 })
  const password = newAuthSecret()
  await alice.does(chatLocksApi.set, { contactId, password, confirmPassword: password })
  toWindow(RATES.unlocks.seconds)
  const usesUp = async (points: number, call: () => Promise<unknown>) => {
    await Promise.all(Array.from({ length: points }, call))
    expect(await call()).toBeRefused(429, 'too_many_requests')
  }
  await usesUp(RATES.unlocks.points, () => eve.tries(chatLocksApi.verify, { contactId: randomUUID(), password }))
  await usesUp(RATES.stepUps.points, () => eve.tries(stepUpApi.options, {}))
  await laptop.does(stepUpApi.confirm, { password: alice.authSecret, kdf: 1 })
  expect(await laptop.does(chatLocksApi.verify, { contactId, password })).toMatchObject({ valid: true })
  await laptop.does(chatLocksApi.lock, { contactId })
})

test('every call by which a session writes is counted', () => {
  const writes = everyEndpoint.filter(({ method, access }) => method !== 'GET' && access !== 'anyone')
  expect(writes.length).toBeGreaterThan(15)
  expect(writes.filter(({ rates = [] }) => rates.length === 0).map(({ path }) => path)).toEqual([])
  const inRooms = writes.filter(({ path }) => path.includes(':chatRoomId'))
  expect(inRooms.filter(({ rates = [] }) => !rates.some((rate) => RATES[rate].per === 'room'))).toEqual([])
})

test('whoever types, pastes and reconnects is never told to wait: twenty messages at once, then five a second', async () => {
  let now = new Date('2026-01-01T00:00:07Z')
  const limits = makeLimits(() => now)
  const send = () => takeRates(limits, messagesApi.send, { id: 'alice', sessionHash: 'hers' }, { chatRoomId: 'room' })
  for (let message = 0; message < 20; message++) await send()
  for (let message = 0; message < 600; message++) {
    now = new Date(now.getTime() + 200)
    await send()
  }
})

/** Moves the clock to the beginning of the next window of that length. */
const toWindow = (seconds: number) => world.passes(seconds - ((world.env.clock().getTime() / 1000) % seconds))

test('Eve cannot fill the disk: her messages have a rate, by POST and by socket together, and nobody else waits for it', async () => {
  const [alice, bob, eve] = await Promise.all(['alice', 'bob', 'eve'].map((name) => world.person(name)))
  if (!alice || !bob || !eve) throw new Error('Nobody came')
  const chatRoomId = await eve.talksTo(bob)
  const other = await eve.talksTo(alice)
  toWindow(RATES.messagesInRoom.seconds)
  const line = await eve.opensSocket()
  line.says({ type: 'message', data: { id: randomUUID(), chatRoomId, content: 'by socket', messageType: 'text' } })
  await line.hears('message')
  await Promise.all(Array.from({ length: RATES.messagesInRoom.points - 1 }, () => eve.says(chatRoomId, 'x')))
  const refused = await eve.posts(chatRoomId, 'one more')
  expect(refused).toBeRefused(429, 'too_many_requests')
  expect(refused.body).toMatchObject({ retryAfterSeconds: expect.any(Number) })
  line.says({ type: 'message', data: { id: randomUUID(), chatRoomId, content: 'by socket', messageType: 'text' } })
  expect((await line.hears('refused')).data.code).toBe('too_many_requests')
  await eve.says(other, 'elsewhere')
  await bob.says(chatRoomId, 'undisturbed')
  toWindow(RATES.messagesInRoom.seconds)
  await eve.says(chatRoomId, 'later')
  line.hangsUp()
})
