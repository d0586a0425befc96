import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { turnClient } from '../../testing/turnclient.ts'
import { makeCredentials } from './credentials.ts'
import { KIND, METHOD, writeStun } from './stun.ts'

const isInstalled = hasTurnserver()
const secret = 'a secret of this test'
const relay = isInstalled ? await startCoturn() : undefined

function hasTurnserver(): boolean {
  try {
    execFileSync('sh', ['-c', 'command -v turnserver'])
    return true
  } catch {
    process.stderr.write('skipped: turnserver is not installed (Debian: coturn)\n')
    return false
  }
}

async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  return port
}

async function answers(port: number): Promise<void> {
  const socket = createSocket('udp4')
  const request = writeStun({ method: METHOD.binding, kind: KIND.request, transactionId: randomBytes(12) }, [])
  const timer = setInterval(() => socket.send(request, port, '127.0.0.1'), 100)
  await once(socket, 'message', { signal: AbortSignal.timeout(30_000) })
  clearInterval(timer)
  socket.close()
}

/** Starts coturn with the file of `deploy/`, at a free port of this machine and without a certificate. */
async function startCoturn(): Promise<{ port: number }> {
  const [port, folder] = [await freePort(), await mkdtemp(path.join(tmpdir(), 'conclave-coturn-'))]
  const shipped = await readFile(path.resolve(import.meta.dirname, '../../../deploy/coturn/turnserver.conf'), 'utf8')
  const settings: [RegExp, string][] = [
    [/^static-auth-secret=.*$/m, `static-auth-secret=${secret}`],
    [/^realm=.*$/m, 'realm=relay.example.org'],
    [/^listening-port=.*$/m, `listening-port=${port}\nlistening-ip=127.0.0.1\nrelay-ip=127.0.0.1`],
    [/^tls-listening-port=.*$/m, 'no-tls\nno-dtls'],
    [/^(cert|pkey|external-ip)=.*$/gm, ''],
    [/^log-file=.*$/m, `log-file=stdout\nsimple-log\nuserdb=${folder}/turndb\npidfile=${folder}/turn.pid`],
    [/^no-stdout-log$/m, ''],
  ]
  for (const [setting] of settings) expect(shipped).toMatch(setting)
  const file = path.join(folder, 'turnserver.conf')
  await writeFile(
    file,
    settings.reduce((text, [setting, value]) => text.replace(setting, value), shipped),
  )
  const child = spawn('turnserver', ['-c', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  afterAll(() => void child.kill())
  let said = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (said += text))
  // It says nothing of its port in every version, so it is asked until it answers.
  await answers(port)
  expect(said).not.toMatch(/bad configuration|unknown argument|unrecognized|wrong format/i)
  return { port }
}

const client = async (seconds: number, by: string = secret) =>
  await turnClient(relay?.port ?? 0, makeCredentials(by, new Date(Date.now() + seconds * 1000)))

test.skipIf(!isInstalled)(
  'coturn with the shipped configuration takes what the server gives, and nothing that is expired or of another secret',
  async () => {
    const alice = await client(60)
    const { code, relayed } = await alice.allocates()
    expect(code).toBe(0)
    expect(relayed?.port).toBeGreaterThanOrEqual(49_160)
    expect(relayed?.port).toBeLessThanOrEqual(49_959)
    for (const eve of [await client(-60), await client(60, 'another secret')]) expect((await eve.allocates()).code).toBe(401)
  },
)

test.skipIf(!isInstalled)('coturn with the shipped configuration reaches no private network, and the internet', async () => {
  const alice = await client(60)
  expect((await alice.allocates()).code).toBe(0)
  const inner = [
    '127.0.0.1',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
  ]
  for (const address of [...inner, '192.0.2.1', '224.0.0.1', '255.255.255.255'])
    expect((await alice.permits(address)).code, address).toBe(403)
  expect((await alice.permits('8.8.8.8')).code).toBe(0)
})

test.skipIf(!isInstalled)('coturn with the shipped configuration gives one name twelve ports', async () => {
  const mine = makeCredentials(secret, new Date(Date.now() + 60_000))
  const codes: number[] = []
  for (let count = 0; count < 13; count++) codes.push((await (await turnClient(relay?.port ?? 0, mine)).allocates()).code)
  expect(codes).toEqual([...Array.from({ length: 12 }, () => 0), 486])
})
