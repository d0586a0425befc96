import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { PAGES } from '../contract/site/pages.ts'
import {
  ask,
  expectOnlyOnion,
  opensSocket,
  publishedBy,
  onionTest as test,
  torOf,
  watchScreens,
  whyNoOnion,
} from './onionscene.ts'
import { anotherBrowser, givesTier, startChat } from './people.ts'
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
  await startChat(alice, bob)
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

test('When tor dies both are told, what is typed stays, and the chat goes on with nothing lost or doubled', async ({
  server,
  network,
  pair: [alice, bob],
}) => {
  await alice.says('on its way')
  // Without a connection an empty field without the focus is shut.
  await Promise.all([alice.types('typed by Alice'), bob.drafts('typed by Bob')])
  const [killedAt, from] = [performance.now(), server.output().length]
  process.kill(torOf(server), 'SIGKILL')
  await Promise.all([alice, bob].map((one) => one.isNotConnected(VIA_TOR)))
  process.stdout.write(`onion: both are told after ${((performance.now() - killedAt) / 1000).toFixed(1)} s\n`)

  await publishedBy(server, network, from)
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

test('A browser that came by the onion asks nobody else, looks for no way of a call and sends no datagram: where calls, files, plans and pushes begin, in the settings, and on public pages', async ({
  onionUrl,
  firefox,
  pair: [alice, bob],
}) => {
  const { page } = bob
  const looks = watchScreens(page)
  for (const kind of ['Voice call', 'Video call']) {
    await page.getByRole('button', { name: kind, exact: true }).click()
    await page.getByText('A call would leave Tor').waitFor()
    await looks(kind)
    await page.getByRole('button', { name: 'Do not call' }).click()
  }
  await page.getByRole('button', { name: 'Attach files' }).click()
  await page.getByRole('menuitem', { name: 'Send directly, up to 100 MB' }).click()
  await page.getByRole('dialog').waitFor()
  await looks('a direct transfer')
  await page.goto(`${onionUrl}/settings?tab=privacy`)
  await page.getByRole('button', { name: 'Test my connection' }).click()
  await page.getByRole('dialog', { name: 'Test my connection' }).getByText('A call does not go through Tor').waitFor()
  await looks('the test of a connection')
  await page.goto(`${onionUrl}/subscribe`)
  await page.getByRole('heading').first().waitFor()
  await looks('the plans')
  const settings = ['profile', 'notifications', 'storage', 'about', 'plan', 'security', 'privacy', 'devices'].map(
    (tab) => `/settings?tab=${tab}`,
  )
  const pages = Object.keys(PAGES).filter((each) => PAGES[each] !== null)
  for (const place of [...settings, ...pages, '/home', '/register', '/nowhere']) {
    await page.goto(onionUrl + place)
    await looks(place)
  }
  await bob.leaves()
  await expectOnlyOnion(onionUrl, bob, firefox.asked())
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

  // What a page loads while the server is away stays unloaded there, and hers is not looked at before it is back.
  await eve.page.goto('about:blank')
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
      ['POST', '/api/login'],
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
