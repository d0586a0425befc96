import { createHmac, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, onTestFinished, TestRunner } from 'vitest'

/** Runs after the test, or after the file where none runs. */
const atEnd = (end: () => void): void => void (TestRunner.getCurrentTest() ? onTestFinished(end) : afterAll(end))

/** A program in tor's place: a shell script. */
export function fakeProgram(script: string): string {
  const program = path.join(mkdtempSync(path.join(tmpdir(), 'fake-')), 'tor')
  writeFileSync(program, `#!/bin/sh\n[ "$1" = --list-modules ] && exit\n${script}\n`)
  chmodSync(program, 0o755)
  return program
}

/** Lives as long as its parent. */
export const IDLE = 'while kill -0 $PPID; do sleep 1; done'

export const proxyLine = (circuit: string): string => `PROXY TCP6 fc00:dead:beef:4dad::${circuit} ::1 65535 42\r\n`

/** Passes connections on to a Unix socket as tor does, each after a line that names the circuit. Returns its address. */
export async function passesAsTor(socketPath: string, circuit: string): Promise<string> {
  const server = createServer((visitor) => {
    const inner = connect(socketPath)
    for (const [one, other] of [
      [visitor, inner],
      [inner, visitor],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy())
    inner.write(proxyLine(circuit))
    visitor.pipe(inner).pipe(visitor)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  atEnd(() => void server.close())
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
}

interface ControlOptions {
  methods?: string
  /** What the file of the cookie holds; a right cookie by default. */
  cookie?: Buffer
  password?: string
  /** Lines of events that follow the first answer about the progress. */
  events?: string[]
  /** Answers that replace the usual one, by verb. */
  answers?: Record<string, string>
  /** True: answers the challenge as one who does not know the cookie. */
  isImpostor?: boolean
}

export interface FakeControl {
  /** Every line that has come. */
  commands: string[]
  /** Ends the open connections. */
  drops(): void
}

/** A control port as tor has it, on a Unix socket. */
export async function serveControl(socketPath: string, options: ControlOptions = {}): Promise<FakeControl> {
  const { methods = 'COOKIE,SAFECOOKIE', cookie = randomBytes(32), events = [], answers = {}, password, isImpostor } = options
  const cookieFile = path.join(mkdtempSync(path.join(tmpdir(), 'fake-')), 'control "auth" cookie')
  writeFileSync(cookieFile, cookie)
  const commands: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    let [buffer, expected] = ['', password === undefined ? cookie.toString('hex') : `"${password}"`]
    const answerTo = (line: string): string => {
      const [verb = '', ...words] = line.split(' ')
      const replaced = answers[verb]
      if (replaced !== undefined) return replaced
      if (verb === 'PROTOCOLINFO') {
        const file = cookieFile.replace(/["\\]/g, '\\$&')
        return `250-PROTOCOLINFO 1\r\n250-AUTH METHODS=${methods} COOKIEFILE="${file}"\r\n250-VERSION Tor="0.4.9.11"\r\n250 OK`
      }
      if (verb === 'AUTHCHALLENGE') {
        const [clientNonce, serverNonce] = [Buffer.from(words[1] ?? '', 'hex'), randomBytes(32)]
        const proof = (key: string) =>
          createHmac('sha256', key)
            .update(Buffer.concat([isImpostor ? randomBytes(32) : cookie, clientNonce, serverNonce]))
            .digest('hex')
            .toUpperCase()
        expected = proof('Tor safe cookie authentication controller-to-server hash')
        const hash = proof('Tor safe cookie authentication server-to-controller hash')
        return `250 AUTHCHALLENGE SERVERHASH=${hash} SERVERNONCE=${serverNonce.toString('hex').toUpperCase()}`
      }
      if (verb === 'AUTHENTICATE')
        return words.join(' ').toLowerCase() === expected.toLowerCase() ? '250 OK' : '515 Bad authentication'
      if (verb === 'GETINFO') {
        const phase = 'status/bootstrap-phase=NOTICE BOOTSTRAP PROGRESS=10 TAG=conn SUMMARY="Connecting"'
        return [`250-${phase}`, '250 OK', ...events.map((each) => `650 ${each}`)].join('\r\n')
      }
      return '250 OK'
    }
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      buffer += chunk
      const lines = buffer.split('\r\n')
      buffer = lines.pop() ?? ''
      for (const line of lines) {
        commands.push(line)
        socket.write(`${answerTo(line)}\r\n`)
      }
    })
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  })
  await once(server.listen(socketPath), 'listening')
  atEnd(() => void server.close())
  return {
    commands,
    drops: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}
