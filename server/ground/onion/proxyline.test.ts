import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { proxyLine } from '../../testing/faketor.ts'
import { circuitOf, readProxyLines } from './proxyline.ts'

const served: (string | undefined)[] = []

/** Listens behind lines, and returns where. */
async function listens(lineMs?: number): Promise<string> {
  const server = createServer((request, response) => {
    served.push(circuitOf(request.socket))
    response.end(`${request.method} ${request.url}`)
  })
  readProxyLines(server, lineMs)
  const socketPath = path.join(mkdtempSync(path.join(tmpdir(), 'proxy-')), 'web')
  await once(server.listen(socketPath), 'listening')
  afterAll(() => void server.close())
  return socketPath
}

// One waits so long that only its bounds close a connection in time.
const [patient, hasty] = [await listens(60_000), await listens(100)]

const GET = (address: string, connection = 'close') => `GET ${address} HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\n\r\n`
const opens = async (socketPath = patient): Promise<Socket> => {
  const socket = connect(socketPath)
  await once(socket, 'connect')
  return socket
}
/** Sends this and returns all that comes until the end. */
async function says(...chunks: (string | Buffer)[]): Promise<string> {
  const socket = await opens()
  const answered = text(socket).catch(() => 'broken')
  for (const chunk of chunks) {
    socket.write(chunk)
    await wait(1)
  }
  return await answered
}

test('a line that names the circuit is read off, wherever the bytes are cut, and HTTP goes on behind it', async () => {
  served.length = 0
  const whole = proxyLine('12:3f') + GET('/one')
  expect(await says(whole)).toContain('GET /one')
  expect(await says(...whole)).toContain('GET /one')
  const both = await says(proxyLine('ffff:ffff') + GET('/two', 'keep-alive') + GET('/three'))
  expect([both.includes('GET /two'), both.includes('GET /three')]).toEqual([true, true])
  expect(served).toEqual(['12:3f', '12:3f', 'ffff:ffff', 'ffff:ffff'])
})

test.each([
  ['HTTP without a line', GET('/')],
  ['a line of another network', `PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n${GET('/')}`],
  ['a source that is no circuit', `PROXY TCP6 fc00:dead:beef:4dae::1:1 ::1 1 2\r\n${GET('/')}`],
  ['an address in the place of the circuit', `PROXY TCP6 ::1 ::1 1 2\r\n${GET('/')}`],
  ['a line without its carriage return', `${proxyLine('1:1').replace('\r', '')}${GET('/')}`],
  ['a line with more behind it', `PROXY TCP6 fc00:dead:beef:4dad::1:1 ::1 1 2 3\r\n${GET('/')}`],
  ['a second protocol', Buffer.from('0d0a0d0a000d0a515549540a', 'hex')],
  ['bytes', Buffer.alloc(200, 0xff)],
  ['a line without an end', 'PROXY TCP6 '.padEnd(5000, 'f')],
])('%s is closed without an answer', async (_what, sent) => {
  served.length = 0
  expect(await says(sent)).toMatch(/^(broken)?$/)
  expect(served).toEqual([])
})

test('whoever says nothing, or half of a line, is not waited for', async () => {
  for (const half of ['', proxyLine('1:1').slice(0, 30)]) {
    const socket = await opens(hasty)
    socket.write(half)
    await once(socket.resume(), 'close')
  }
  expect(served).toEqual([])
})
