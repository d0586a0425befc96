import { execFileSync } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page, Request } from 'playwright-core'
import { test as base, expect } from 'vitest'
import WebSocket from 'ws'
import { DEVICE_WORDS } from './browser.ts'
import { FIREFOX, type Firefox, startFirefox } from './firefox.ts'
import { netLogWords, OF_CHROMIUM, readNetLog } from './netlog.ts'
import { openOnionBrowser, torPreferences } from './onionbrowsers.ts'
import { givesTier, newAccount, startChat } from './people.ts'
import { type Person, visitor } from './person.ts'
import { type RunningServer, startServer } from './server.ts'
import { type Socks, startSocks } from './socks.ts'
import { startTorNetwork, type TorNetwork, whyNoTor } from './tornetwork.ts'
import type { Visitor } from './visitor.ts'

/** Why no browser comes over Tor here; undefined: they do. */
export const whyNoOnion = whyNoTor() ?? (FIREFOX ? undefined : 'there is no firefox-esr')

/** As long as a page over Tor is waited for: a service may have to be published and found first. */
export const PATIENCE_MS = 90_000

export interface Scene {
  network: TorNetwork
  server: RunningServer
  onionUrl: string
  firefox: Firefox & { asked: Socks['asked'] }
  /** Alice sits at a Firefox, Bob at a Chromium; both come by the onion and have the open chat before them. */
  pair: [Visitor, Person & Onion]
  /** The pair, signed up, with a plan and their chat before them. */
  talking: Scene['pair']
}

/** A Chromium that comes by the onion alone. */
export interface Onion {
  socks: Socks
  /** What the browser itself has noted. */
  netLog: string
}

/** The network and all that uses it serve the tests of a file, in their order. */
export const onionTest = base
  .extend<Scene>({
    network: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixture's needs from this pattern
      async ({}, use) => {
        const network = await startTorNetwork()
        await use(network)
        await network.stop()
      },
      { scope: 'file' },
    ],
    server: [
      async ({ network }, use) => {
        const server = await startServer({ TOR: 'auto', TOR_CONFIG: network.config, TRUST_PROXY: '1' })
        await use(server)
        await server.stop()
      },
      { scope: 'file' },
    ],
    onionUrl: [async ({ network, server }, use) => use(await publishedBy(server, network)), { scope: 'file' }],
    firefox: [
      async ({ network }, use) => {
        const socks = await startSocks(network.client.dials)
        const firefox = await startFirefox(FIREFOX ?? '', { preferences: torPreferences(socks.port), patienceMs: PATIENCE_MS })
        await use({ ...firefox, asked: socks.asked })
        await firefox.close()
        await socks.stop()
      },
      { scope: 'file' },
    ],
    pair: [
      async ({ network, server, onionUrl, firefox }, use) => {
        const at = { ...server, url: onionUrl }
        const alice = await firefox.person(at, { ...newAccount('Alice'), name: 'Alice' })
        const folder = await mkdtemp(join(tmpdir(), 'conclave-onion-'))
        const socks = await startSocks(network.client.dials)
        const netLog = join(folder, 'netlog.json')
        const context = await openOnionBrowser(join(folder, 'profile'), socks.port, onionUrl, [
          ...DEVICE_WORDS,
          ...netLogWords(netLog),
        ])
        const bob = await visitor(at, context, { ...newAccount('Bob'), name: 'Bob' }, PATIENCE_MS)
        await use([alice, { ...bob, socks, netLog }])
        await socks.stop()
      },
      { scope: 'file' },
    ],
    talking: [
      async ({ server, pair }, use) => {
        const [alice, bob] = pair
        await Promise.all([alice.signsUp(), bob.signsUp()])
        for (const one of pair) await givesTier(server, one, 'premium')
        await startChat(alice, bob)
        await use(pair)
      },
      { scope: 'file' },
    ],
  })
  .skipIf(whyNoOnion)

const PUBLISHED = /The onion service is published: (http:\/\/[a-z2-7]{56}\.onion)/

/** Waits until the service is found from the network. `from`: where in its output the server has begun. Returns its address. */
export async function publishedBy(server: RunningServer, network: TorNetwork, from = 0): Promise<string> {
  const said = () => server.output().slice(from)
  await expect.poll(said, { timeout: PATIENCE_MS }).toMatch(PUBLISHED)
  // Relays may keep what is left of a service that was killed: whoever dials it by that waits for two minutes.
  await network.client.forgets()
  const url = PUBLISHED.exec(said())?.[1] ?? ''
  const status = async () => (await ask(`${url}/api/health`, { network })).status
  await expect.poll(() => status().catch(String), { timeout: PATIENCE_MS }).toBe(200)
  return url
}

interface Asking {
  method?: string
  headers?: Record<string, string>
  /** By this network, where the address is an onion's. */
  network?: TorNetwork
}

export interface Answered {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Asks with whatever headers, as no browser would let a page. */
export async function ask(url: string, { method = 'GET', headers = {}, network }: Asking = {}): Promise<Answered> {
  const { hostname } = new URL(url)
  const socket = hostname.endsWith('.onion') ? await network?.client.dials(hostname, 80) : undefined
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers, ...(socket && { createConnection: () => socket }) }, (answer) => {
      let body = ''
      answer.on('data', (chunk) => (body += String(chunk)))
      answer.once('end', () => {
        socket?.destroy()
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body })
      })
    })
    asking.once('error', reject).end()
    socket?.once('close', () => reject(new Error('The circuit has ended')))
  })
}

/** The status with which a socket is refused; 101: it opens. */
export const opensSocket = (url: string, headers: Record<string, string>): Promise<number> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws`, { headers })
    socket.once('unexpected-response', (asking, { statusCode = 0 }) => {
      asking.destroy()
      resolve(statusCode)
    })
    socket.once('open', () => {
      socket.close()
      resolve(101)
    })
    socket.on('error', reject)
  })

export const torOf = (server: RunningServer): number => Number(execFileSync('pgrep', ['-P', `${server.pid()}`, '-x', 'tor']))

/** Firefox asks its maker for its own settings there. */
const OF_FIREFOX = 'firefox.settings.services.mozilla.com'

/** Waits, screen by screen, until the page has all that it asked for. Fails where it has looked for a way of a call by then. */
export function watchScreens(page: Page): (screen: string) => Promise<void> {
  const underWay = new Set<Request>()
  page.on('request', (request) => underWay.add(request))
  page.on('requestfinished', (request) => underWay.delete(request))
  page.on('requestfailed', (request) => underWay.delete(request))
  // A refusal whose body nobody reads never finishes.
  page.on('response', (response) => response.ok() || underWay.delete(response.request()))
  // What the page before had asked for may never be told of.
  page.on('framenavigated', (frame) => frame === page.mainFrame() && underWay.clear())
  return async (screen) => {
    await expect.poll(() => [...underWay].map((request) => request.url()), { message: screen }).toEqual([])
    const ways = await page.evaluate(() => [globalThis.watched?.peers.length, globalThis.watched?.found])
    expect([screen, ...ways]).toEqual([screen, 0, []])
  }
}

/** Fails where this browser, which is closed, or what it was asked beside it went anywhere but to the onion service. */
export async function expectOnlyOnion(onionUrl: string, { socks, netLog }: Onion, more: string[] = []): Promise<void> {
  const { host } = new URL(onionUrl)
  const { connections, datagrams, ports, hosts } = await readNetLog(netLog)
  expect(connections).toEqual([`127.0.0.1:${socks.port}`])
  expect([...datagrams, ...ports]).toEqual([])
  expect(hosts).toEqual([host])
  const asked = new Set([...socks.asked(), ...more].map((each) => each.split(':')[0] ?? ''))
  // The log has told whether a page has asked the one; the policy of a page lets it ask none of them.
  expect([...asked].filter((each) => !OF_CHROMIUM.test(each) && each !== OF_FIREFOX)).toEqual([host])
}
