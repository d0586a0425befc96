import { createConnection } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import type { Listener } from '../../settings/config.ts'
import { newBrowser } from '../../testing/browser.ts'
import { plantEndpoints } from '../../testing/planted.ts'
import { startWorld } from '../../testing/world.ts'
import { PACE } from './pace.ts'

const pace = {
  ...PACE,
  ...{ graceMs: 400, onionGraceMs: 1200, bytesPerSecond: 64 * 1024, connectionsMax: 20, connectionsOfAddressMax: 5, checkMs: 50 },
}
const world = await startWorld({ plant: plantEndpoints, pace })
const alice = await world.person('alice')
const port = Number(new URL(world.url).port)
const onionHost = `${'a'.repeat(56)}.onion`
const onion: Listener = { ingress: 'onion', isSecure: false, hasProxy: false, origins: () => [`http://${onionHost}`] }
const onionPort = await world.opens(onion)

/** Sends pieces with a pause before each. Returns the answer and the time until the server closed the connection. */
async function drips(pieces: Iterable<string | Uint8Array>, pauseMs: number, at = port): Promise<{ answer: string; ms: number }> {
  const startedAt = performance.now()
  const socket = createConnection(at, '127.0.0.1')
  socket.on('error', () => undefined)
  let answer = ''
  socket.on('data', (chunk) => {
    answer += String(chunk)
  })
  const closed = new Promise((close) => socket.once('close', close))
  const writing = (async () => {
    for (const piece of pieces) {
      await new Promise((next) => setTimeout(next, pauseMs))
      if (!socket.writable) return
      socket.write(piece)
    }
  })()
  await Promise.all([closed, writing])
  return { answer, ms: performance.now() - startedAt }
}

const head = (method: string, path: string, length: number) =>
  `${method} ${path} HTTP/1.1\r\nHost: x\r\nCookie: ${alice.cookie}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`
const forever = (piece: string): string[] => Array<string>(200).fill(piece)

test('nobody holds a place with a connection that says nothing, or with headers that never end', async () => {
  for (const at of [port, onionPort]) {
    const silent = await drips([], 0, at)
    const endless = await drips(['GET /api/health HTTP/1.1\r\n', ...forever('X-More: x\r\n')], 50, at)
    expect(silent.answer).toContain('"code":"too_slow"')
    expect(endless.answer).toContain('"code":"too_slow"')
  }
})

test('a body that drips in is ended by name after thirty seconds, and the call is not made', async () => {
  const { answer, ms } = await drips([head('POST', '/api/contacts', 5000), ...forever(' ')], 50)
  expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"too_slow"/)
  expect(ms).toBeGreaterThanOrEqual(pace.graceMs)
  expect(PACE).toMatchObject({ graceMs: 30_000, bytesPerSecond: 4096, connectionsMax: LIMITS.connectionsMax })
  expect((await alice.contacts()).length).toBe(0)
})

test('a file may take longer than that, as long as it comes at the floor; below it, it is ended', async () => {
  const upload = (chunk: number, count: number) => [
    head('PUT', '/planted/files/photo', chunk * count).replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'),
    ...Array.from({ length: count }, () => new Uint8Array(chunk)),
  ]
  const good = await drips(upload(8 * 1024, 20), 50)
  expect(good.ms).toBeGreaterThan(2 * pace.graceMs)
  expect(good.answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*"sizeBytes":163840/)
  const slow = await drips(upload(16, 200), 50)
  expect(slow.answer).toContain('"code":"too_slow"')
})

test('through Tor headers and a plain body may take longer while they come at the floor, and who drips is ended there too', async () => {
  const there = newBrowser(`http://127.0.0.1:${onionPort}`, `http://${onionHost}`)
  await there.does(accountApi.login, { username: 'alice', password: alice.authSecret, kdf: 1 })
  await there.proves(alice.deviceId)
  const asked = (length: number, host = onionHost) =>
    head('POST', '/api/contacts', length)
      .replace(alice.cookie ?? '', there.cookie ?? '')
      .replace('Host: x', `Host: ${host}`)
      .replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')
  // As a circuit brings it: nothing for twice the time that others have, then much.
  const stalls = [asked(60_000), ...Array.from({ length: 8 }, () => ''), ' '.repeat(60_000)]
  const slow = await drips(stalls, 2 * (pace.graceMs / 8), onionPort)
  expect(slow.ms).toBeGreaterThan(2 * pace.graceMs)
  expect(slow.answer).not.toContain('too_slow')
  expect(slow.answer).toMatch(/^HTTP\/1\.1 400 /)
  const eve = await drips([asked(60_000), ...forever(' ')], 50, onionPort)
  expect(eve.answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*"code":"too_slow"/)
  expect(eve.ms).toBeGreaterThanOrEqual(pace.onionGraceMs)
  // The listener decides, never a header.
  const forged = await drips([asked(60_000), ...forever(' ')], 50)
  expect(forged.answer).toContain('too_slow')
  expect(forged.ms).toBeLessThan(pace.onionGraceMs)
  expect(PACE).toMatchObject({ onionGraceMs: 90_000 })
})

/** Opens connections from that address of this machine, and waits until each is taken or turned away. */
async function opensFrom(localAddress: string, count: number, at = port) {
  const sockets = Array.from({ length: count }, () => createConnection({ port: at, host: '127.0.0.1', localAddress }))
  const isAlive = sockets.map(async (socket) => {
    socket.on('error', () => undefined)
    socket.write('GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n')
    return await new Promise<boolean>((done) => socket.once('data', () => done(true)).once('close', () => done(false)))
  })
  const end = () => {
    for (const socket of sockets) socket.destroy()
  }
  return { alive: (await Promise.all(isAlive)).filter(Boolean).length, end }
}

test('above the allowed number of connections the next one is turned away at once, and who is here stays', async () => {
  const line = await alice.opensSocket()
  const held = [await opensFrom('127.0.0.1', pace.connectionsMax)]
  onTestFinished(() => {
    for (const { end } of held) end()
  })
  // A connection that an earlier call has kept may end now: what comes in its place is held too.
  const next = async () => {
    const one = await opensFrom('127.0.0.1', 1)
    held.push(one)
    return one.alive
  }
  await expect.poll(next).toBe(0)
  line.says({ type: 'ping', data: {} })
  await line.hears('pong')
  for (const { end } of held) end()
  const isFree = async () => {
    const again = await opensFrom('127.0.0.1', pace.connectionsMax / 2)
    again.end()
    return again.alive
  }
  await expect.poll(isFree).toBe(pace.connectionsMax / 2)
  line.hangsUp()
})

test('One address takes no more than its share of the connections: another address is served meanwhile, and its own share comes back', async () => {
  const eve = await opensFrom('127.0.0.2', pace.connectionsOfAddressMax + 3)
  expect(eve.alive).toBe(pace.connectionsOfAddressMax)
  const bob = await opensFrom('127.0.0.3', 2)
  expect(bob.alive).toBe(2)
  eve.end()
  await expect
    .poll(async () => {
      const again = await opensFrom('127.0.0.2', 1)
      again.end()
      return again.alive
    })
    .toBe(1)
  bob.end()
  expect(PACE.connectionsOfAddressMax).toBe(200)
})

test('behind a proxy, which has one address for everybody, that counts for nothing', async () => {
  const proxied = await world.opens({ ingress: 'direct', isSecure: false, hasProxy: true, origins: () => [world.url] })
  const all = await opensFrom('127.0.0.2', pace.connectionsOfAddressMax + 3, proxied)
  expect(all.alive).toBe(pace.connectionsOfAddressMax + 3)
  all.end()
})

test('a proxy in a container that TRUST_PROXY does not name makes everybody one address: the log says so once, and no address', async () => {
  for (const host of ['127.0.0.4', '127.0.0.5']) (await opensFrom(host, pace.connectionsOfAddressMax + 3)).end()
  const said = world
    .log()
    .split('\n')
    .filter((line) => line.includes('TRUST_PROXY'))
  expect(said.map((line) => JSON.parse(line) as unknown)).toMatchObject([{ level: 40 }])
  expect(said.join()).not.toContain('127.0.0.')
})

test('an idle connection is kept for five seconds where no proxy shares it', async () => {
  const answer = await alice.request('GET', '/api/health')
  expect(answer.headers.get('keep-alive')).toBe('timeout=5')
})
