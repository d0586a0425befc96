import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { pause } from './clients.ts'
import { now } from './recorder.ts'

/** A TCP connection, below HTTP and WebSocket. */
export interface Raw {
  socket: Socket
  /** Writes bytes. Does nothing if the connection is closed. */
  write(bytes: Buffer | string): void
  /** The last bytes received. */
  tail(): Buffer
  /** Resolves when the connection is closed. */
  ended: Promise<void>
}

const TAIL_BYTES = 4096
const OPEN_MS = 10_000

export function openRaw(port: number): Raw {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let tail: Buffer = Buffer.alloc(0)
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    tail = Buffer.concat([tail, chunk]).subarray(-TAIL_BYTES)
  })
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  return {
    socket,
    tail: () => tail,
    ended,
    write: (bytes) => void (socket.writable && socket.write(bytes)),
  }
}

/** Opens a connection and upgrades it to a WebSocket. It ignores what it receives and answers no ping. */
export async function openRawSocket(port: number, cookie: string): Promise<Raw> {
  const raw = openRaw(port)
  const key = randomBytes(16).toString('base64')
  raw.write(
    `GET /ws HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\nCookie: ${cookie}\r\n\r\n`,
  )
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('A socket was not answered')), OPEN_MS)
    raw.socket.once('data', (chunk) => {
      clearTimeout(late)
      if (chunk.toString('latin1').startsWith('HTTP/1.1 101')) resolve()
      else reject(new Error(`A socket was answered ${chunk.toString('latin1').slice(0, 40)}`))
    })
    raw.socket.once('close', () => reject(new Error('A socket was closed before it opened')))
  })
  return raw
}

interface FrameBits {
  opcode: number
  payload?: Buffer | string
  isLast?: boolean
  isMasked?: boolean
  reserved?: number
  /** A false payload length in the header. */
  claims?: bigint
}

/** Builds a client's WebSocket frame (RFC 6455 section 5.2), invalid where the options ask for it. */
export function frameOf({ opcode, payload = '', isLast = true, isMasked = true, reserved = 0, claims }: FrameBits): Buffer {
  const body = Buffer.from(payload)
  const length = claims ?? BigInt(body.length)
  const mask = isMasked ? 0x80 : 0
  const first = (isLast ? 0x80 : 0) | (reserved << 4) | opcode
  const head = length < 126n ? Buffer.from([first, mask | Number(length)]) : Buffer.alloc(length < 65_536n ? 4 : 10)
  if (length >= 126n) {
    head[0] = first
    head[1] = mask | (length < 65_536n ? 126 : 127)
    if (length < 65_536n) head.writeUInt16BE(Number(length), 2)
    else head.writeBigUInt64BE(length, 2)
  }
  // A mask of zeros changes nothing.
  return Buffer.concat([head, Buffer.alloc(isMasked ? 4 : 0), body])
}

/** The code of the server's close frame; undefined if none arrives in time. The TCP connection may stay open. */
export async function closeCodeOf({ socket, tail }: Raw, withinMs: number): Promise<number | undefined> {
  const deadline = now() + withinMs
  while (closeCodeIn(tail()) === undefined && !socket.destroyed && now() < deadline) await pause(10)
  const code = closeCodeIn(tail())
  socket.destroy()
  return code
}

/** The code of the close frame at the end of these bytes; undefined if there is none. */
function closeCodeIn(tail: Buffer): number | undefined {
  for (let at = tail.length - 4; at >= Math.max(0, tail.length - 127); at--) {
    if (tail[at] === 0x88 && (tail[at + 1] ?? 0) === tail.length - at - 2) return tail.readUInt16BE(at + 2)
  }
  return undefined
}
