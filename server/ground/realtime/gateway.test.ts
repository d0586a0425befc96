import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { CLOSE, FLOOD, FRAME_RATES, OTHER_FRAMES, type ServerFrame } from '../../../contract/frames.ts'
import { CONTRACT_VERSION, LIMITS } from '../../../contract/ground/limits.ts'
import { PING_PAD, STEADY } from '../../../contract/ground/steady.ts'
import { startWorld } from '../../testing/world.ts'

const world = await startWorld()
const { alice, bob, eve } = await world.people()
const room = await alice.talksTo(bob)
const chatRoomId = await eve.talksTo(bob)
const typing: ServerFrame = { type: 'typing', data: { chatRoomId: room, userId: alice.id, isTyping: true } }

test('the first frame is hello: who one is, the contract, the time, and that it is not Tor', async () => {
  const line = await alice.opensSocket()
  const { data } = await line.hears('hello')
  expect(line.frames[0]?.type).toBe('hello')
  expect(data).toEqual({
    contractVersion: CONTRACT_VERSION,
    ingress: 'direct',
    serverTime: data.serverTime,
    onionAddress: null,
    isTorRequired: false,
    userId: alice.id,
  })
  expect(Math.abs(Date.parse(data.serverTime) - Date.now())).toBeLessThan(5000)
  line.says({ type: 'ping', data: {} })
  await line.hears('pong')
  line.hangsUp()
})

test('no socket without a session, from another site, or at another place', async () => {
  await expect(world.stranger().opensSocket()).rejects.toBeRefused(401, 'not_signed_in')
  await expect(eve.opensSocket({ origin: 'http://eve.example' })).rejects.toBeRefused(403, 'forbidden_origin')
  await expect(eve.opensSocket({ 'sec-fetch-site': 'cross-site' })).rejects.toBeRefused(403, 'forbidden_origin')
  expect(await eve.request('GET', '/ws')).toBeRefused(404, 'not_found')
  const line = await eve.opensSocket({ origin: world.url })
  line.hangsUp()
})

test.each([
  ['no JSON', 'hello'],
  ['a list', '[]'],
  ['an unknown type', '{"type":"become_admin","data":{}}'],
  ['no data', '{"type":"typing"}'],
  ['a NUL', '{"type":"typing","data":{"chatRoomId":"\\u0000","isTyping":true}}'],
  ['a frame in bytes', Buffer.from('{"type":"ping","data":{}}')],
])('%s is refused by name, and the socket lives on', async (_what, frame) => {
  const line = await eve.opensSocket()
  line.says(frame)
  expect((await line.hears('refused')).data.code).toMatch(/^(malformed_frame|invalid_input)$/)
  line.says({ type: 'ping', data: {} })
  await line.hears('pong')
  line.hangsUp()
})

test('a message that does not fit is refused with its own id and the words of the contract', async () => {
  const line = await alice.opensSocket()
  const id = randomUUID()
  line.says({ type: 'message', data: { id, chatRoomId: room, content: ' ', messageType: 'text' } })
  expect((await line.hears('refused')).data).toEqual({ code: 'malformed_frame', error: 'A message cannot be empty', id })
  line.hangsUp()
})

test('a frame above the limit closes that socket with 1009', async () => {
  const line = await eve.opensSocket()
  line.says('x'.repeat(LIMITS.frameBytes + 1))
  expect((await line.closed).code).toBe(1009)
})

test('too many frames are refused by name, a flood closes the socket', async () => {
  const line = await eve.opensSocket()
  for (let count = 0; count < FRAME_RATES.ping.points * 3; count++) line.says({ type: 'ping', data: {} })
  expect((await line.hears('refused')).data.code).toBe('too_many_requests')
  for (let count = 0; count < FLOOD.frames * 4; count++) line.says({ type: 'ping', data: {} })
  expect((await line.closed).code).toBe(CLOSE.tooManyFrames)
  // The server also drops a socket that floods it with WebSocket pings.
  const other = await eve.opensSocket()
  for (let count = 0; count < FLOOD.frames * 4; count++) other.raw.ping()
  expect((await other.closed).code).toBe(1006)
})

test('a padded ping is answered at its own length, never longer, whatever Eve pads it with, and as often as others', async () => {
  const line = await eve.opensSocket()
  const lengths: number[] = []
  line.raw.on('message', (raw) => lengths.push(String(raw).length))
  const ping = JSON.stringify({ type: 'ping', data: { pad: PING_PAD } })
  line.raw.send(ping)
  await line.hears('pong')
  expect([ping.length, lengths]).toEqual([STEADY.frameBytes, [STEADY.frameBytes]])
  const wrong = ['', '0', `${PING_PAD}0`, PING_PAD.slice(1), '0'.repeat(100_000), 'x'.repeat(PING_PAD.length), 7, null]
  for (const pad of wrong) {
    // Each in a second of its own, below the rate.
    world.passes(1)
    const heard = lengths.length
    line.raw.send(JSON.stringify({ type: 'ping', data: { pad } }))
    await expect.poll(() => lengths.length).toBe(heard + 1)
    expect(line.frames.at(-1)).toMatchObject({ type: 'refused', data: { code: 'malformed_frame' } })
    expect(lengths.at(-1)).toBeLessThan(STEADY.frameBytes)
  }
  world.passes(1)
  for (let count = 0; count < FRAME_RATES.ping.points * 3; count++) line.raw.send(ping)
  expect((await line.hears('refused', ({ data }) => data.code === 'too_many_requests')).data.id).toBeNull()
  for (let count = 0; count < FLOOD.frames * 4; count++) line.raw.send(ping)
  expect((await line.closed).code).toBe(CLOSE.tooManyFrames)
})

test.each([
  ['frames of no type', 'x', FLOOD.frames * 4],
  ['few frames that are large', 'x'.repeat(LIMITS.frameBytes), FLOOD.frames * 0.9],
])('a flood of %s closes the socket', async (_what, frame, many) => {
  const line = await eve.opensSocket()
  for (let count = 0; count < many; count++) line.says(frame)
  expect((await line.closed).code).toBe(CLOSE.tooManyFrames)
})

test.each([
  ['typing', { type: 'typing', data: { chatRoomId, isTyping: true } }, FRAME_RATES.typing],
  ['ping', { type: 'ping', data: {} }, FRAME_RATES.ping],
  ['what is no JSON', 'hello', OTHER_FRAMES],
  ['an unknown type', { type: '__proto__', data: {} }, OTHER_FRAMES],
  ['bytes', Buffer.from('{"type":"ping","data":{}}'), OTHER_FRAMES],
])('Eve floods %s: she is told to wait, and her messages still go', async (_what, frame, { points }) => {
  const line = await eve.opensSocket()
  const id = randomUUID()
  for (let count = 0; count < points * 2 + 1; count++) line.says(frame)
  line.says({ type: 'message', data: { id, chatRoomId, content: 'still here', messageType: 'text' } })
  await line.hears('refused', ({ data }) => data.code === 'too_many_requests')
  await line.hears('message', ({ data }) => data.id === id)
  line.hangsUp()
})

test('a message above the rate is refused with its id', async () => {
  const line = await eve.opensSocket()
  const ids = Array.from({ length: FRAME_RATES.message.points * 2 + 1 }, () => randomUUID())
  for (const id of ids) line.says({ type: 'message', data: { id, chatRoomId, content: 'one of many', messageType: 'text' } })
  const { data } = await line.hears('refused', ({ data: { code } }) => code === 'too_many_requests')
  expect(ids).toContain(data.id)
  line.hangsUp()
})

test('every socket of a user hears what is published, once, and nobody else does', async () => {
  const [one, two, hers] = await Promise.all([alice.opensSocket(), alice.opensSocket(), eve.opensSocket()])
  world.env.hub.publish([alice.id, alice.id, bob.id], typing)
  await Promise.all([one.hears('typing'), two.hears('typing')])
  for (const line of [one, hers]) line.says({ type: 'ping', data: {} })
  await Promise.all([one.hears('pong'), hers.hears('pong')])
  expect(one.frames.filter(({ type }) => type === 'typing')).toHaveLength(1)
  expect(hers.frames.filter(({ type }) => type === 'typing')).toHaveLength(0)
  for (const line of [one, two, hers]) line.hangsUp()
})

test('a reader that is too slow is cut off with 4008 and costs the server no memory', async () => {
  const line = await eve.opensSocket()
  line.raw.pause()
  const heavy: ServerFrame = { type: 'refused', data: { code: 'x', error: 'x'.repeat(LIMITS.frameBytes), id: null } }
  // The kernel buffers some megabytes before the server's own buffer grows.
  for (let count = 0; count < 400; count++) {
    world.env.hub.publish([eve.id], heavy)
    if (count % 20 === 0) await new Promise((turn) => setImmediate(turn))
  }
  line.raw.resume()
  expect((await line.closed).code).toBe(4008)
})

test('above twenty sockets the oldest one makes room, is told that it should wait, and no other one goes', async () => {
  const carol = await world.person('carol')
  const lines = []
  for (let count = 0; count < LIMITS.socketsPerUser + 2; count++) lines.push(await carol.opensSocket())
  for (const line of lines.slice(0, 2)) expect((await line.closed).code).toBe(CLOSE.tooManySockets)
  for (const line of lines.slice(2)) {
    line.says({ type: 'ping', data: {} })
    await line.hears('pong')
  }
  expect(world.env.hub.isHere(carol.id)).toBe(true)
  for (const line of lines) line.hangsUp()
  await expect.poll(() => world.env.hub.isHere(carol.id)).toBe(false)
})

test('logging out closes the sockets of that session, and says why', async () => {
  const dave = await world.person('dave')
  const line = await dave.opensSocket()
  await dave.does(accountApi.logout, {})
  await line.hears('signed_out')
  expect(await line.closed).toEqual({ code: 4401, reason: 'Signed out' })
})

test('a session that ended elsewhere, or by time, loses its socket at the next look', async () => {
  const [frank, grace, heidi] = [await world.person('frank'), await world.person('grace'), await world.person('heidi')]
  const [his, hers, other] = await Promise.all([frank.opensSocket(), grace.opensSocket(), heidi.opensSocket()])
  await world.sql('delete from sessions where user_id = $1', [frank.id])
  await world.sql('update users set is_active = false where id = $1', [grace.id])
  await world.gateway.recheck()
  expect((await his.closed).code).toBe(4401)
  expect((await hers.closed).code).toBe(4401)
  other.says({ type: 'ping', data: {} })
  await other.hears('pong')
  // An open socket extends its session, up to the session's last day, as long as its device signs each day.
  for (let day = 0; day < 90; day += 10) {
    await heidi.proves(heidi.deviceId)
    await world.gateway.recheck()
    expect(other.raw.readyState, `day ${day}`).toBe(other.raw.OPEN)
    world.passes(10 * 24 * 60 * 60)
  }
  await world.gateway.recheck()
  expect((await other.closed).code).toBe(4401)
})

test('a plan that lapsed while the socket was open is lapsed', async () => {
  const ivan = await world.person('ivan')
  const chatRoomId = await ivan.talksTo(await world.person('judy'))
  const line = await ivan.opensSocket()
  await world.sql("update users set subscription_tier = 'free' where id = $1", [ivan.id])
  const id = randomUUID()
  line.says({ type: 'message', data: { id, chatRoomId, content: 'hello', messageType: 'text' } })
  expect((await line.hears('refused')).data).toEqual({ code: 'subscription_required', error: 'Subscription required', id })
  line.hangsUp()
})
