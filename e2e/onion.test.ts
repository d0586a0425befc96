import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { PAGES } from '../contract/site/pages.ts'
import { readNetLog } from './netlog.ts'
import { ask, opensSocket, publishedBy, onionTest as test, torOf, whyNoOnion } from './onionscene.ts'
import { anotherBrowser, givesTier } from './people.ts'
import { looksFine } from './screen.ts'

if (whyNoOnion) process.stderr.write(`skipped: browsers over a Tor network, because ${whyNoOnion}; other tests play tor\n`)

const VIA_TOR = 'Connected via Tor'

test('Alice in Firefox and Bob in Chromium register, talk and share a file over the onion service, and are told that they are there; the same account past Tor is told that it is not', async ({
  server,
  onionUrl,
  pair: [alice, bob],
}) => {
  await Promise.all([alice.signsUp(), bob.signsUp()])
  for (const one of [alice, bob]) await givesTier(server, one, 'premium')
  await Promise.all([alice, bob].map((one) => one.hasPlan()))
  await alice.adds(bob)
  await bob.accepts(alice)
  await alice.opens(bob)
  await bob.opens(alice)
  await Promise.all([alice, bob].map((one) => one.isConnected(VIA_TOR)))

  await alice.says('hello from Firefox')
  await bob.reads('hello from Firefox')
  await bob.says('hello from Chromium')
  await alice.reads('hello from Chromium')
  await bob.seesTick('hello from Chromium', 'Read')

  const path = join(await mkdtemp(join(tmpdir(), 'conclave-chosen-')), 'plan.bin')
  const bytes = randomBytes(5_000_000)
  await writeFile(path, bytes)
  await bob.sends(path)
  expect((await alice.saves('plan.bin')).equals(bytes)).toBe(true)

  const direct = await anotherBrowser(server, bob)
  await direct.isConnected('not via Tor')
  await direct.page.getByRole('button', { name: 'Copy the server’s onion address' }).first().waitFor()
  expect((await ask(server.url)).headers['onion-location']).toBe(`${onionUrl}/`)
  await direct.leaves()
})

test('When tor dies both are told within ten seconds, what is typed stays, and the chat goes on with nothing lost or doubled', async ({
  server,
  pair: [alice, bob],
}) => {
  await alice.says('on its way')
  const killedAt = performance.now()
  process.kill(torOf(server), 'SIGKILL')
  await Promise.all([alice, bob].map((one) => one.isNotConnected(VIA_TOR)))
  expect(performance.now() - killedAt).toBeLessThan(10_000)
  await Promise.all([alice.types('typed by Alice'), bob.drafts('typed by Bob')])

  // Tor starts again and publishes the service anew, and the browsers' tor must find it.
  await Promise.all([alice, bob].map((one) => one.isConnected(VIA_TOR)))
  await alice.sendsTyped('typed by Alice')
  await bob.sendsTyped('typed by Bob')
  await bob.reads('typed by Alice')
  await alice.reads('typed by Bob')
  for (const one of [alice, bob]) {
    const shown = await one.shows()
    for (const text of ['on its way', 'typed by Alice', 'typed by Bob'])
      expect([one.name, text, shown.filter((each) => each.trim() === text)]).toEqual([one.name, text, [text]])
  }
})

test('On no screen does a browser that came by the onion ask anybody else, look for a way of a call, or send a datagram', async ({
  onionUrl,
  firefox,
  pair: [alice, bob],
}) => {
  const { page } = bob
  const screens: string[] = []
  const isQuiet = countRequests(page)
  /** Waits for all that a screen asks for. No way of a call may have been looked for by then. */
  const looks = async (screen: string) => {
    await expect.poll(isQuiet, { message: screen }).toBe(true)
    const ways = await page.evaluate(() => [globalThis.watched?.peers.length, globalThis.watched?.found])
    expect([screen, ...ways]).toEqual([screen, 0, []])
    screens.push(screen)
  }
  const chat = page.url()
  const entries = page.getByRole('listbox', { name: 'Found' }).getByRole('option')
  const goesTo = async (name: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Chats, settings and actions' }).fill(name)
    await entries.filter({ has: page.getByText(name, { exact: true }) }).first().click()
  }

  // Where people go stands in the palette, whatever the messenger has.
  await page.keyboard.press('Control+k')
  await entries.first().waitFor()
  const names = await entries.locator('.cut:first-of-type').allTextContents()
  await page.keyboard.press('Escape')
  expect(names.length).toBeGreaterThan(20)
  for (const name of names.filter((each) => each !== 'Logout')) {
    // Some of them are about the open chat.
    if (page.url() !== chat) await goesTo('Alice')
    await goesTo(name)
    await looks(name)
    await page.keyboard.press('Escape')
  }

  // What leaves Tor is refused, and says so.
  await page.goto(chat)
  for (const kind of ['Voice call', 'Video call']) {
    await page.getByRole('button', { name: kind, exact: true }).click()
    await page.getByText('A call would leave Tor').waitFor()
    await looks(kind)
    await page.getByRole('button', { name: 'Do not call' }).click()
  }
  await page.getByRole('button', { name: 'Attach files' }).click()
  await page.getByRole('menuitem', { name: 'Send directly, up to 100 MB' }).click()
  await looks('a direct transfer')
  await page.goto(`${onionUrl}/settings?tab=security`)
  await page.getByRole('button', { name: 'Test my connection' }).click()
  await page.getByRole('dialog', { name: 'Test my connection' }).waitFor()
  await looks('the test of a connection')
  await page.goto(`${onionUrl}/subscribe`)
  await looks('the plans')
  await page.goto(`${onionUrl}/subscribe?paid=yes`)
  await looks('a payment')

  for (const place of [...Object.keys(PAGES).filter((each) => PAGES[each] !== null), '/auth', '/register', '/nowhere']) {
    await page.goto(onionUrl + place)
    await looks(place)
  }
  const { host } = new URL(onionUrl)
  await bob.leaves()
  const opened = await readNetLog(bob.netLog)
  expect(opened.connections).toEqual([`127.0.0.1:${bob.socks.port}`])
  expect(opened.datagrams).toEqual([])
  expect(opened.hosts.filter((each) => !OF_CHROMIUM.test(each))).toEqual([host])
  const asked = [...bob.socks.asked(), ...firefox.asked()].map((each) => each.split(':')[0] ?? '')
  expect([...new Set(asked)].filter((each) => !OF_CHROMIUM.test(each))).toEqual([host])
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
})

test('Where Tor is required, whoever comes past it finds the public pages and a door, by no header and no cookie anything else, and the address outlives a restart from a backup', async ({
  server,
  network,
  onionUrl,
  pair: [alice],
}) => {
  const { host } = new URL(onionUrl)
  const eve = await anotherBrowser(server, alice)
  const headersOf = async () => {
    const [cookie] = (await eve.context.cookies()).filter(({ name }) => name.endsWith('session'))
    return { cookie: `${cookie?.name}=${cookie?.value}; conclave_onion_session=${cookie?.value}` }
  }
  const cookies = await headersOf()
  const forged = {
    ...cookies,
    host,
    origin: onionUrl,
    'x-forwarded-host': host,
    'x-forwarded-for': '127.0.0.1',
    'x-forwarded-proto': 'http',
  }
  expect((await ask(`${server.url}/api/user`, { headers: cookies })).status).toBe(200)
  expect((await ask(`${onionUrl}/api/user`, { headers: cookies, network })).status).toBe(401)

  process.kill(server.pid(), 'SIGTERM')
  await server.ended()
  const [kept, backup] = [join(server.dataFolder, 'onion'), join(await mkdtemp(join(tmpdir(), 'conclave-backup-')), 'onion')]
  execFileSync('cp', ['-a', kept, backup])
  for (const name of ['onion', 'tor']) await rm(join(server.dataFolder, name), { recursive: true })
  execFileSync('cp', ['-a', backup, kept])
  const from = server.output().length
  await server.start({ TOR: 'required' })
  expect(await publishedBy(server, network, from)).toBe(onionUrl)

  for (const headers of [{}, cookies, forged]) {
    for (const [method, place] of [
      ['GET', '/api/user'],
      ['POST', '/api/messages'],
      ['POST', '/api/auth/login'],
    ] as const) {
      const { status, body } = await ask(server.url + place, { method, headers })
      expect([place, status, JSON.parse(body)]).toEqual([place, 403, expect.objectContaining({ code: 'tor_required' })])
    }
    expect(await opensSocket(server.url, headers)).toBe(403)
  }
  for (const place of ['/', '/security', '/api/health']) expect((await ask(server.url + place)).status).toBe(200)
  await eve.page.goto(server.url)
  await eve.page.getByRole('heading', { name: 'This room opens from Tor alone.' }).waitFor()
  await eve.page.getByText(host).first().waitFor()
  await looksFine(eve.page, 'the door')
  // What the page asks for is refused, which the browser logs.
  await eve.leaves()

  await alice.isConnected('Connected via Tor')
  await alice.says('still here')
  await alice.seesTick('still here', 'Sent')
})

/** Chromium asks its maker for these by itself. The page does not: the browser's own log names whoever has asked. */
const OF_CHROMIUM = /^(accounts\.google|update\.googleapis)\.com$/

/** Follows what a page asks for. Returns whether everything has been answered. */
function countRequests(page: Page): () => boolean {
  let under = 0
  page.on('request', () => under++)
  for (const end of ['requestfinished', 'requestfailed'] as const) page.on(end as 'requestfinished', () => under--)
  return () => under === 0
}
