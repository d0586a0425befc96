import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import type { TorControl } from '../../settings/torsettings.ts'
import { OnionError } from './onionError.ts'

const ANSWER_MS = 15_000
const BUFFER_BYTES = 256 * 1024
const COOKIE_BYTES = 32
const ENDED = 'tor has ended the control connection'
// control-spec, section 3.24.
const SERVER_KEY = 'Tor safe cookie authentication server-to-controller hash'
const CLIENT_KEY = 'Tor safe cookie authentication controller-to-server hash'

/** tor's control protocol (spec.torproject.org/control-spec). */
export interface Control {
  /** Returns lines without their status. Throws ControlError. */
  ask(command: string): Promise<string[]>
  ended: Promise<void>
  end(): void
}

export class ControlError extends Error {
  readonly status: number
  constructor(status: number, text: string) {
    super(text)
    this.status = status
  }
}

interface Waiting {
  resolve: (lines: string[]) => void
  reject: (error: Error) => void
  timer: NodeJS.Timeout
}

/** Rejects if nobody listens there. `onEvent` gets the first line of each event. */
export async function connectControl(address: TorControl['address'], onEvent: (line: string) => void): Promise<Control> {
  const socket = await opened(address)
  const waiting: Waiting[] = []
  let [buffer, lines, heldBytes, isInData] = ['', [] as string[], 0, false]
  let endNow: () => void = () => undefined
  const ended = new Promise<void>((resolve) => {
    endNow = resolve
  })

  const take = (line: string) => {
    if (isInData) {
      isInData = line !== '.'
      return
    }
    const [, status = '', mark, text = ''] = /^(\d{3})([ +-])(.*)$/.exec(line) ?? []
    if (mark === undefined) return socket.destroy()
    isInData = mark === '+'
    lines.push(text)
    heldBytes += line.length
    if (mark !== ' ') return
    const whole = lines
    ;[lines, heldBytes] = [[], 0]
    if (status.startsWith('6')) return onEvent(whole[0] ?? '')
    const first = waiting.shift()
    clearTimeout(first?.timer)
    if (status.startsWith('2')) first?.resolve(whole)
    else first?.reject(new ControlError(Number(status), text))
  }
  socket.setEncoding('utf8')
  socket.on('data', (chunk: string) => {
    buffer += chunk
    const complete = buffer.split('\r\n')
    buffer = complete.pop() ?? ''
    complete.forEach(take)
    if (buffer.length + heldBytes > BUFFER_BYTES) socket.destroy()
  })
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    for (const { reject, timer } of waiting.splice(0)) {
      clearTimeout(timer)
      reject(new Error(ENDED))
    }
    endNow()
  })
  return {
    ask: (command) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error(ENDED))
        const timer = setTimeout(() => socket.destroy(), ANSWER_MS)
        waiting.push({ resolve, reject, timer })
        socket.write(`${command}\r\n`)
      }),
    ended,
    end: () => socket.destroy(),
  }
}

function opened(address: TorControl['address']): Promise<Socket> {
  const socket = connect(address)
  socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error('it does not answer')))
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      socket.setTimeout(0)
      resolve(socket)
    })
  })
}

/** The cookie is proved, not sent, where tor can do so. Throws OnionError. */
export async function authenticate(control: Control, password: string | undefined): Promise<void> {
  const offered = (await control.ask('PROTOCOLINFO 1')).join('\n')
  const methods = /METHODS=([A-Z,]+)/.exec(offered)?.[1]?.split(',') ?? []
  try {
    if (password !== undefined) await control.ask(`AUTHENTICATE ${quoted(password)}`)
    else if (methods.includes('SAFECOOKIE')) await proveCookie(control, cookieOf(offered))
    else if (methods.includes('COOKIE')) await control.ask(`AUTHENTICATE ${cookieOf(offered).toString('hex')}`)
    else if (methods.includes('NULL')) await control.ask('AUTHENTICATE')
    else throw new OnionError('tor’s control port wants a password: set TOR_CONTROL_PASSWORD')
  } catch (error) {
    if (!(error instanceof ControlError)) throw error
    throw new OnionError(
      password === undefined
        ? `tor refuses its own cookie: ${error.message}`
        : `tor’s control port refuses TOR_CONTROL_PASSWORD: ${error.message}`,
    )
  }
}

async function proveCookie(control: Control, cookie: Buffer): Promise<void> {
  const nonce = randomBytes(32)
  const [answer = ''] = await control.ask(`AUTHCHALLENGE SAFECOOKIE ${nonce.toString('hex')}`)
  const [, theirHash = '', theirNonce = ''] = /SERVERHASH=([0-9A-F]{64}) SERVERNONCE=([0-9A-F]{64})/i.exec(answer) ?? []
  const proofOf = (key: string) =>
    createHmac('sha256', key)
      .update(Buffer.concat([cookie, nonce, Buffer.from(theirNonce, 'hex')]))
      .digest()
  const theirs = Buffer.from(theirHash, 'hex')
  if (theirs.length !== 32 || !timingSafeEqual(theirs, proofOf(SERVER_KEY)))
    throw new OnionError('Whoever answers at the control port does not know tor’s cookie')
  await control.ask(`AUTHENTICATE ${proofOf(CLIENT_KEY).toString('hex')}`)
}

/** The other end names the file. */
function cookieOf(offered: string): Buffer {
  const file = /COOKIEFILE="((?:[^"\\]|\\.)*)"/.exec(offered)?.[1]?.replace(/\\(.)/g, '$1')
  if (file === undefined) throw new OnionError('tor’s control port names no cookie: set TOR_CONTROL_PASSWORD')
  let cookie: Buffer
  try {
    cookie = readFileSync(file)
  } catch {
    throw new OnionError(
      `The account that runs Conclave may not read tor’s cookie, ${file}: add it to tor’s group, or set TOR_CONTROL_PASSWORD`,
    )
  }
  if (cookie.length !== COOKIE_BYTES) throw new OnionError(`${file} is no cookie of tor`)
  return cookie
}

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`
