import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { afterAll, expect, test } from 'vitest'
import { turnClient } from '../../testing/turnclient.ts'
import { makeCredentials } from './credentials.ts'
import { startLocalRelay } from './localRelay.ts'
import { ATTRIBUTE, METHOD, number32, readStun, writeAddress } from './stun.ts'

const secret = 'a secret of this test'
let movedMs = 0
const clock = () => new Date(Date.now() + movedMs)
const relay = await startLocalRelay({ secret, clock })
afterAll(() => relay.stop())

const credentials = (seconds = 60, by = secret) => makeCredentials(by, new Date(clock().getTime() + seconds * 1000))
const client = (given = credentials()) => turnClient(relay.port, given)

/** A port of this machine that notes what comes. */
async function peer() {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const heard: string[] = []
  socket.on('message', (bytes) => heard.push(bytes.toString()))
  return { ...{ socket, heard }, at: { address: '127.0.0.1', port: socket.address().port } }
}

test('two clients reach each other through the relay, by indications and by channels, and see its address alone', async () => {
  const [alice, bob] = [await client(), await client()]
  const [hers, his] = [(await alice.allocates()).relayed, (await bob.allocates()).relayed]
  if (!hers || !his) throw new Error('No port')
  expect([hers.address, his.address]).toEqual(['127.0.0.1', '127.0.0.1'])
  for (const who of [alice, bob]) expect((await who.permits('127.0.0.1')).code).toBe(0)
  alice.sends('by indication', his)
  await expect.poll(() => bob.texts()).toEqual(['by indication'])
  const channel = Buffer.from([0x40, 0x01, 0, 0])
  const binding = await bob.asks(METHOD.bindChannel, [
    [ATTRIBUTE.channel, channel],
    [ATTRIBUTE.peer, writeAddress(hers)],
  ])
  expect(binding.code).toBe(0)
  bob.sendsRaw(Buffer.concat([Buffer.from([0x40, 0x01, 0, 10]), Buffer.from('by channel')]))
  await expect.poll(() => alice.texts()).toEqual(['by channel'])
  alice.sends('to the channel', his)
  await expect.poll(() => bob.texts()).toEqual(['by indication', 'to the channel'])
})

test('Eve gets no port: with no name, another secret, credentials that have ended, or a name that is a word of the program', async () => {
  const ended = credentials(1)
  movedMs += 2000
  for (const given of [
    credentials(60, 'another secret'),
    ended,
    { ...credentials(), credential: '' },
    { username: 'constructor', credential: 'function Object() { [native code] }' },
    { username: '__proto__', credential: '[object Object]' },
  ])
    expect((await (await client(given)).allocates()).code, given.username).toBe(401)
})

test('a call goes on when its credentials end, and nobody else can speak for its port', async () => {
  const mine = credentials(60)
  const alice = await client(mine)
  expect((await alice.allocates()).code).toBe(0)
  movedMs += 61_000
  expect((await alice.permits('127.0.0.1')).code).toBe(0)
  expect((await alice.asks(METHOD.refresh, [[ATTRIBUTE.lifetime, number32(600)]])).code).toBe(0)
  const eve = await client()
  expect((await eve.permits('127.0.0.1')).code).toBe(401)
  expect((await eve.allocates()).code).toBe(0)
  expect((await eve.allocates()).code).toBe(437)
})

test('nothing but this machine is a peer, and nothing comes in or goes out without a permission', async () => {
  const [alice, there] = [await client(), await peer()]
  const { relayed } = await alice.allocates()
  for (const address of ['10.0.0.1', '127.0.0.2', '192.168.1.1', '8.8.8.8', '0.0.0.0'])
    expect((await alice.permits(address)).code, address).toBe(403)
  const outside: [number, Buffer][] = [
    [ATTRIBUTE.channel, Buffer.from([0x40, 0x02, 0, 0])],
    [ATTRIBUTE.peer, writeAddress({ address: '10.0.0.1', port: 53 })],
  ]
  expect((await alice.asks(METHOD.bindChannel, outside)).code).toBe(403)
  alice.sends('too early', there.at)
  await new Promise<void>((sent) => there.socket.send('too early', relayed?.port ?? 0, '127.0.0.1', () => sent()))
  // By its answer the relay has read whatever had come before.
  expect((await alice.asks(METHOD.binding)).code).toBe(0)
  expect((await alice.permits('127.0.0.1')).code).toBe(0)
  alice.sends('now', there.at)
  await expect.poll(() => there.heard).toEqual(['now'])
  there.socket.send('now', relayed?.port ?? 0, '127.0.0.1')
  await expect.poll(() => alice.texts()).toEqual(['now'])
  there.socket.close()
})

test('a port ends when its client says so, and one name has twelve of them at most', async () => {
  const mine = credentials()
  const clients = await Promise.all(Array.from({ length: 12 }, () => client(mine)))
  for (const each of clients) expect((await each.allocates()).code).toBe(0)
  expect((await (await client(mine)).allocates()).code).toBe(486)
  expect((await clients[0]?.asks(METHOD.refresh, [[ATTRIBUTE.lifetime, number32(0)]]))?.code).toBe(0)
  expect((await clients[0]?.permits('127.0.0.1'))?.code).toBe(437)
  expect((await (await client(mine)).allocates()).code).toBe(0)
})

test('rubbish is no message, and the relay lives on', async () => {
  const alice = await client()
  await alice.allocates()
  for (let size = 0; size < 200; size++) alice.sendsRaw(randomBytes(size))
  const header = Buffer.from([0, 1, 0, 4, 0x21, 0x12, 0xa4, 0x42, ...randomBytes(12), 0, 6, 0xff, 0xff])
  for (const bytes of [header, header.subarray(0, 20), header.subarray(0, 19)]) expect(readStun(bytes)).toBeUndefined()
  alice.sendsRaw(header)
  const short: [number, Buffer][] = [
    [ATTRIBUTE.channel, Buffer.alloc(0)],
    [ATTRIBUTE.peer, Buffer.alloc(3)],
  ]
  expect((await alice.asks(METHOD.bindChannel, short)).code).toBe(400)
  // A port that no packet can go to.
  const nowhere = { address: '127.0.0.1', port: 0 }
  expect((await alice.permits('127.0.0.1')).code).toBe(0)
  alice.sends('to nowhere', nowhere)
  const bound: [number, Buffer][] = [
    [ATTRIBUTE.channel, Buffer.from([0x40, 0x01, 0, 0])],
    [ATTRIBUTE.peer, writeAddress(nowhere)],
  ]
  expect((await alice.asks(METHOD.bindChannel, bound)).code).toBe(0)
  alice.sendsRaw(Buffer.from([0x40, 0x01, 0, 1, 1]))
  expect((await alice.permits('127.0.0.1')).code).toBe(0)
})

test('what is signed was not changed on the way', async () => {
  const alice = await client()
  await alice.allocates()
  expect((await alice.asks(METHOD.permit, [], { isSigned: false })).code).toBe(401)
  const { message } = await alice.permits('127.0.0.1')
  expect(message.isSignedBy(randomBytes(16))).toBe(false)
})
