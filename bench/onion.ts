import { appendFile, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { WebSocketServer } from 'ws'
import { madeAccount } from '../e2e/crowd.ts'
import { FIREFOX, NO_WEBASSEMBLY, SAFER, startFirefox } from '../e2e/firefox.ts'
import { openOnionBrowser, torPreferences } from '../e2e/onionbrowsers.ts'
import { type RunningServer, startServer } from '../e2e/server.ts'
import { startSocks } from '../e2e/socks.ts'
import { startTorNetwork, type TorNetwork, whyNoTor } from '../e2e/tornetwork.ts'
import type { Ground } from './ground.ts'
import { median } from './numbers.ts'
import { pause } from './program.ts'
import { absent, type Row, row } from './row.ts'
import { scratchFolder } from './scratch.ts'
import { meet, tap, watch } from './tap.ts'

const PATIENCE_MS = 180_000
/** One way through the relays of the world; those of a network on one machine take 1 ms or 2. */
const WAY_MS = 150
const TEXT_BYTES = 1000

/**
 * Measures what the onion service costs, in a Tor network on this machine: how soon it is reached, what a message takes beside a bare
 * WebSocket by another service of the same tor, and what a first visit brings. Where there is a Firefox, the sign-in of Tor Browser's safer level.
 */
export async function measureOnion({ isQuick }: Ground): Promise<Row[]> {
  const why = whyNoTor()
  if (why) return [absent('onion', 'the onion service', why)]
  const network = await startTorNetwork()
  const bare = await startBare(network)
  const server = await startServer({ TOR: 'auto', TOR_CONFIG: network.config, TRUST_PROXY: '1', LOG_LEVEL: 'info' })
  try {
    const url = await addressOf(server)
    await reached(network, url)
    const starts = await measureStarts(server, network, isQuick ? 1 : 3)
    const [address = ''] = (await readFile(join(bare.folder, 'hostname'), 'utf8')).split('\n')
    await reached(network, `http://${address}`)
    return [
      row('onion', 'start to reachable by the onion, warm', median(starts) / 1000, 's', { note: 'tor kept its consensus' }),
      ...(await measureMessages({ network, server, url, bareUrl: `ws://${address}`, isQuick })),
      ...(FIREFOX ? await measureSafer({ network, server, url, isQuick }) : []),
    ]
  } finally {
    await server.stop()
    await bare.stop()
    await network.stop()
  }
}

/** A WebSocket that sends back, by a service of its own of the server's tor. */
async function startBare(network: TorNetwork): Promise<{ folder: string; stop: () => Promise<void> }> {
  const http = createServer((_request, answer) => answer.end('<title>bare</title>'))
  new WebSocketServer({ server: http }).on('connection', (socket) => socket.on('message', (data) => socket.send(String(data))))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const folder = scratchFolder('bare')
  const { port } = http.address() as AddressInfo
  await appendFile(network.config, `HiddenServiceDir ${folder}\nHiddenServicePort 80 127.0.0.1:${port}\n`)
  return {
    folder,
    async stop() {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

const ADDRESS = /The onion service is published: (http:\/\/[a-z2-7]{56}\.onion)/

async function addressOf(server: RunningServer, from = 0): Promise<string> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline; await pause(20)) {
    const url = ADDRESS.exec(server.output().slice(from))?.[1]
    if (url) return url
  }
  throw new Error(`There is no onion service:\n${server.output()}`)
}

async function reached(network: TorNetwork, url: string): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; ) {
    try {
      return void (await network.client.dials(new URL(url).host, 80)).destroy()
    } catch (error) {
      if (Date.now() > deadline) throw error
      await pause(20)
    }
  }
}

async function measureStarts(server: RunningServer, network: TorNetwork, rounds: number): Promise<number[]> {
  const starts: number[] = []
  for (let round = 0; round < rounds; round++) {
    process.kill(server.pid(), 'SIGTERM')
    await server.ended()
    const from = server.output().length
    const startedAt = performance.now()
    await server.start()
    await reached(network, await addressOf(server, from))
    starts.push(performance.now() - startedAt)
  }
  return starts
}

interface Messages {
  network: TorNetwork
  server: RunningServer
  url: string
  bareUrl: string
  isQuick: boolean
}

async function measureMessages({ network, server, url, bareUrl, isQuick }: Messages): Promise<Row[]> {
  const [far, near] = [await startSocks(network.client.dials, { latencyMs: WAY_MS }), await startSocks(network.client.dials)]
  const open = (port: number) =>
    openOnionBrowser(scratchFolder('browser'), port, url, [
      `--unsafely-treat-insecure-origin-as-secure=${url},${bareUrl.replace('ws', 'http')}`,
    ])
  const browsers = [await open(far.port), await open(far.port)]
  const visitor = await open(near.port)
  try {
    const [from, to] = browsers.map((browser) => browser.pages()[0]) as [Page, Page]
    const beside = await browsers[0]?.newPage()
    await beside?.goto(bareUrl.replace('ws', 'http'))
    await meet({ ...server, url }, from, to, PATIENCE_MS)
    for (const page of [from, to]) await watch(page)
    const [ours, bares] = [[] as number[], [] as number[]]
    for (let round = 0; round < (isQuick ? 2 : 12); round++) {
      const { other } = await tap(from, to, `round ${round}.`)
      const echo = (await beside?.evaluate(echoOf, { address: bareUrl, sizeBytes: TEXT_BYTES })) ?? Number.NaN
      // The first message makes the room.
      if (round === 0) continue
      ours.push(other)
      bares.push(echo)
    }
    const [first] = visitor.pages()
    await first?.goto(`${url}/auth`, { waitUntil: 'networkidle' })
    return [
      row(
        'onion',
        'Send to the bubble on the other screen, against a bare WebSocket there and back',
        median(ours) / median(bares),
        'x',
        {
          atMost: 1.3,
          note: `${median(ours).toFixed(0)} ms beside ${median(bares).toFixed(0)} ms, with ${WAY_MS} ms more each way`,
        },
      ),
      row('onion', 'first visit to the form by the onion', near.receivedBytes() / 1000, 'kB', { note: 'with headers' }),
    ]
  } finally {
    await Promise.all([...browsers, visitor].map((browser) => browser.close()))
    await far.stop()
    await near.stop()
  }
}

/** Runs in the page: the time until a text has come back on a WebSocket that stays open. */
async function echoOf({ address, sizeBytes }: { address: string; sizeBytes: number }): Promise<number> {
  const kept: { bare?: WebSocket } = globalThis as never
  if (!kept.bare) {
    const opening = new WebSocket(address)
    await new Promise((resolve) => opening.addEventListener('open', resolve, { once: true }))
    kept.bare = opening
  }
  const socket = kept.bare
  const sentAt = performance.now()
  socket.send('x'.repeat(sizeBytes))
  await new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }))
  return performance.now() - sentAt
}

type Signing = Omit<Messages, 'bareUrl'>

async function measureSafer({ network, server, url, isQuick }: Signing): Promise<Row[]> {
  const socks = await startSocks(network.client.dials)
  const account = { username: `safer_${Date.now() % 100_000}`, password: crypto.randomUUID() }
  await madeAccount(server.url, { ...account, displayName: 'Alice', address: '10.3.0.1' })
  const signIns = async (preferences: Record<string, unknown>, rounds: number): Promise<number> => {
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const firefox = await startFirefox(FIREFOX ?? '', {
        preferences: { ...torPreferences(socks.port), ...preferences },
        patienceMs: PATIENCE_MS,
      })
      const alice = await firefox.person({ url }, { ...account, name: 'Alice' })
      const { driver } = alice
      await driver.open(`${url}/auth`)
      await driver.press({ role: 'tab', name: 'Sign In' })
      await driver.type('Username', account.username)
      await driver.type('Password', account.password)
      const pressedAt = performance.now()
      await driver.press({ role: 'button', name: 'Sign In' })
      await driver.sees({ role: 'button', name: 'Add this browser' })
      times.push(performance.now() - pressedAt)
      await firefox.close()
    }
    return median(times) / 1000
  }
  try {
    const name = 'sign-in of the safer level, press to the question for this browser'
    return [
      row('onion', name, await signIns(SAFER, isQuick ? 1 : 3), 's', { note: 'without JIT and WebAssembly' }),
      row('onion', `${name}, with the JIT`, await signIns(NO_WEBASSEMBLY, isQuick ? 1 : 3), 's'),
      row('onion', `${name}, with WebAssembly`, await signIns({}, isQuick ? 1 : 3), 's'),
    ]
  } finally {
    await socks.stop()
  }
}
