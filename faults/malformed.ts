import type { Pair } from '../bench/seed.ts'
import { CLOSE } from '../contract/frames.ts'
import { LIMITS } from '../contract/ground/limits.ts'
import { ask } from './ask.ts'
import { pause } from './clients.ts'
import { atMost, type Form, must, type Outcome } from './fault.ts'
import { type Ground, onGround } from './ground.ts'
import { COLLECTS, growthMb, heldMb } from './memory.ts'
import { closeCodeOf, frameOf, openRaw, openRawSocket } from './raw.ts'

/** Allowed growth of memory since the first round: a share of it, or megabytes. */
const GROWTH = 0.1
const GROWTH_MB = 16
const ANSWER_MS = 5000
const PROTOCOL_ERROR = 1002
const NOT_UTF8 = 1007
const CONNECTIONS = 200

const long = 'x'.repeat(100_000)
const deep = '['.repeat(60_000)
const head = (path: string, more: string[] = []) =>
  ['POST', path, 'HTTP/1.1\r\nHost: 127.0.0.1\r\n'].join(' ') + more.map((line) => `${line}\r\n`).join('')

/** Bytes that are not HTTP or incomplete. The server answers 4xx or closes the connection. */
const BYTES: Record<string, string> = {
  'no HTTP': 'hello there\r\n\r\n',
  'another version': 'GET / HTTP/9.9\r\n\r\n',
  'a method of its own': 'WRITE /api/messages HTTP/1.1\r\nHost: x\r\n\r\n',
  'a long header': `GET /api/user HTTP/1.1\r\nHost: x\r\nX-Long: ${long}\r\n\r\n`,
  'a long address': `GET /api/${long} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'a negative length': `${head('/api/messages', ['Content-Length: -1'])}\r\n`,
  'two lengths': `${head('/api/messages', ['Content-Length: 1', 'Content-Length: 2'])}\r\n{}`,
  'length and chunks': `${head('/api/messages', ['Content-Length: 4', 'Transfer-Encoding: chunked'])}\r\n0\r\n\r\n`,
  'a chunk of no size': `${head('/api/login', ['Content-Type: application/json', 'Transfer-Encoding: chunked'])}\r\nzz\r\n{}\r\n`,
  'a body far too large': `${head('/api/messages', ['Content-Type: application/json', 'Content-Length: 99999999'])}\r\n`,
  'an upgrade to nothing': 'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n',
  'an upgrade without a session':
    'GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
}

/** Invalid requests with a valid session. Each is refused with a code. */
const requests = ({ chatRoomId }: Pair): [method: string, path: string, body?: unknown][] => [
  ...['{', '', 'null', '[]', '"x"', '1e999', deep, '{"__proto__":{"isAdmin":true}}', '{"content":"\\u0000"}'].map(
    (body): [string, string, string] => ['POST', '/api/messages', body],
  ),
  ['POST', '/api/messages', { chatRoomId, content: ' ', messageType: 'text' }],
  ['POST', '/api/messages', { chatRoomId, content: 'x'.repeat(LIMITS.contentBytes + 1), messageType: 'text' }],
  ['POST', '/api/messages', { chatRoomId, content: 'x'.repeat(LIMITS.bodyBytes), messageType: 'text' }],
  ['POST', '/api/messages', { chatRoomId, content: 'x', messageType: 'text', id: 'mine' }],
  ['POST', '/api/messages', { chatRoomId, content: 'x', messageType: 'text', fileSize: -1 }],
  ['POST', '/api/messages', { chatRoomId: `dm_${'0'.repeat(36)}_${'0'.repeat(36)}`, content: 'x', messageType: 'text' }],
  ['POST', `/api/messages/${chatRoomId}/mark-read`, { seq: -1 }],
  ['POST', `/api/messages/${chatRoomId}/mark-read`, { seq: 1e300 }],
  ['POST', `/api/messages/${chatRoomId}/mark-delivered`, {}],
  ['POST', `/api/rooms/${chatRoomId}/commits`, { generation: 2 ** 40 }],
  ['GET', `/api/rooms/${chatRoomId}/log?after=-1`],
  ['GET', `/api/rooms/${chatRoomId}/log?limit=1000000`],
  ['GET', `/api/messages?chatRoomId=${chatRoomId}&before=NaN`],
  ['GET', '/api/%zz'],
  ['GET', '/api/messages?chatRoomId=%00'],
  ['DELETE', '/api/messages'],
  ['GET', '/api/nothing'],
]

const TEXT = 1
const BINARY = 2
const PING = 9
const text = (payload: string) => frameOf({ opcode: TEXT, payload })

/** Bytes sent on a socket, with the close code expected; undefined if the frame is refused and the socket stays open. */
const FRAMES: Record<string, [bytes: Buffer, code: number | undefined]> = {
  'no JSON': [text('nonsense'), undefined],
  null: [text('null'), undefined],
  'a deep one': [text(deep), undefined],
  'an unknown type': [text('{"type":"nothing","data":{}}'), undefined],
  'bytes in place of text': [frameOf({ opcode: BINARY, payload: 'x' }), undefined],
  'not UTF-8': [frameOf({ opcode: TEXT, payload: Buffer.from([0xff, 0xfe]) }), NOT_UTF8],
  'too large': [frameOf({ opcode: TEXT, payload: 'x'.repeat(LIMITS.frameBytes + 1) }), CLOSE.tooBig],
  'a length that is a lie': [frameOf({ opcode: TEXT, claims: 2n ** 40n }), CLOSE.tooBig],
  'too large in pieces': [
    Buffer.concat([
      frameOf({ opcode: TEXT, payload: long, isLast: false }),
      frameOf({ opcode: 0, payload: long, isLast: false }),
    ]),
    CLOSE.tooBig,
  ],
  'reserved bits': [frameOf({ opcode: TEXT, reserved: 2 }), PROTOCOL_ERROR],
  'without a mask': [frameOf({ opcode: TEXT, payload: '{}', isMasked: false }), PROTOCOL_ERROR],
  'an unknown kind': [frameOf({ opcode: 5 }), PROTOCOL_ERROR],
  'a piece of nothing': [frameOf({ opcode: 0 }), PROTOCOL_ERROR],
  'a flood': [Buffer.concat(Array.from({ length: 400 }, () => text('{"type":"ping","data":{}}'))), CLOSE.tooManyFrames],
}

/** Sends floods and invalid input: each is refused with a code, other clients are unaffected, and memory is released. */
export function malformed({ isShort }: Form): Promise<Outcome> {
  const rounds = isShort ? 3 : 20
  return onGround({ pairs: 5, loaded: 4, env: { NODE_OPTIONS: COLLECTS } }, async (ground) => {
    const { server, port } = ground
    const complaints = new Set<string>()
    let count = await assault(ground, complaints)
    const before = await heldMb(server.pid())
    for (let round = 0; round < rounds; round++) count += await assault(ground, complaints)
    const after = await heldMb(server.pid())
    const health = await ask(port, { method: 'GET', path: '/api/health' })
    return {
      faults: count,
      summary: `${count.toLocaleString('en')} refused, ${growthMb(before, after)}`,
      complaints: [
        ...complaints,
        ...must(health?.status === 200, 'the server did not live through it'),
        ...atMost('memory', after, before * (1 + GROWTH) + GROWTH_MB, 'MB'),
      ],
    }
  })
}

/** Sends every input once while many connections sit idle. Returns the number of inputs. */
async function assault({ port, pairs }: Ground, complaints: Set<string>): Promise<number> {
  const pair = pairs.at(-1)
  if (!pair) throw new Error('Nobody is there')
  const { cookie } = pair.sender
  // Each idle connection has sent half a request and sends no more.
  const idle = Array.from({ length: CONNECTIONS }, () => openRaw(port))
  for (const raw of idle) raw.write('POST /api/login HTTP/1.1\r\nHost: x\r\nX-Slow:')

  for (const [name, bytes] of Object.entries(BYTES)) {
    const status = await statusOf(port, bytes)
    if (status !== undefined && (status < 400 || status > 499)) complaints.add(`"${name}" was answered ${status}`)
  }
  for (const [method, path, body] of requests(pair)) {
    const answer = await ask(port, { method, path, cookie, ...(body !== undefined && { body }) })
    const name = `${method} ${path.slice(0, 60)} ${JSON.stringify(body)?.slice(0, 40)}`
    if (!answer || answer.status < 400 || answer.status > 499) complaints.add(`${name} was answered ${answer?.status}`)
  }
  for (const [name, [bytes, expected]] of Object.entries(FRAMES)) {
    const raw = await openRawSocket(port, cookie)
    raw.write(bytes)
    const code = await closeCodeOf(raw, expected === undefined ? 100 : ANSWER_MS)
    if (code !== expected) complaints.add(`"${name}" closed the socket with ${code}, not with ${expected}`)
  }
  if (!(await isCutOff(port, cookie))) complaints.add('pings whose answers nobody reads go on for ever')
  for (const { socket } of idle) socket.destroy()
  return CONNECTIONS + Object.keys(BYTES).length + requests(pair).length + Object.keys(FRAMES).length + 1
}

/** Floods a socket with pings and reads no pongs. Returns true if the server closes it. */
async function isCutOff(port: number, cookie: string): Promise<boolean> {
  const raw = await openRawSocket(port, cookie)
  raw.socket.pause()
  const pings = Buffer.concat(Array.from({ length: 2000 }, () => frameOf({ opcode: PING, payload: 'x'.repeat(125) })))
  for (let write = 0; write < 100 && !raw.socket.destroyed; write++) {
    raw.write(pings)
    await pause(5)
  }
  const isCut = raw.socket.destroyed
  raw.socket.destroy()
  return isCut
}

/** The status of the response; undefined if the connection was closed without one. */
async function statusOf(port: number, bytes: string): Promise<number | undefined> {
  const raw = openRaw(port)
  raw.write(bytes)
  const answered = new Promise<void>((resolve) => raw.socket.once('data', () => resolve()))
  await Promise.race([answered, raw.ended, pause(ANSWER_MS)])
  raw.socket.destroy()
  const [, status] = /^HTTP\/1.1 (\d{3})/.exec(raw.tail().toString('latin1')) ?? []
  return status === undefined ? undefined : Number(status)
}
