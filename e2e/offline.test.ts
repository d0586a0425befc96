import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { copiesOf, endsLook, keepsCopy, keepsShown, shownRow } from './copy.ts'
import { customer, customerWithProfile, startChat } from './people.ts'
import type { Person } from './person.ts'
import { type LyingProxy, startProxy } from './proxy.ts'
import { looksFine } from './screen.ts'
import { type RunningServer, startServer } from './server.ts'
import { markOf, updated } from './update.ts'

// All of them share the people and a proxy, behind which the server can go away or be updated.
let proxy: LyingProxy
let server: RunningServer
let realUrl: string
let alice: Person
let bob: Person

beforeAll(async () => {
  proxy = await startProxy()
  const real = await startServer({ TRUST_PROXY: '1', PUBLIC_URL: proxy.url })
  realUrl = real.url
  proxy.leadsTo(realUrl)
  server = { ...real, url: proxy.url }
  ;[alice, bob] = await Promise.all([customer(server, 'Alice'), customer(server, 'Bob')])
  await startChat(alice, bob)
  await bob.says('read me on the train')
  await alice.reads('read me on the train')
})
afterEach(() => {
  proxy.tellsTruth()
  proxy.leadsTo(realUrl)
})
afterAll(async () => {
  for (const one of [alice, bob]) expect(one.complaints).toEqual([])
  await server.stop()
  await proxy.stop()
})

/** The server is gone, for every browser. */
const serverGoes = () => proxy.leadsTo('http://127.0.0.1:9')
const serverComes = () => proxy.leadsTo(realUrl)

const unlock = (page: Page) => page.getByRole('button', { name: 'Unlock', exact: true })

const bubble = (page: Page) => page.locator('.bub', { hasText: 'read me on the train' }).last()

/** Opens a page that was started without the server. */
async function unlocks(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'No connection' }).waitFor()
  await page.getByLabel('Password', { exact: true }).pressSequentially(alice.password)
  await unlock(page).click()
}

test('Started without the server, Alice reads her last chats by her password; what she says waits, also when the page is loaded anew, and goes by itself', async () => {
  const { page, password } = alice
  const room = page.url()
  await page.goto(`${server.url}/settings?tab=security`)
  await page.getByRole('switch', { name: 'Open without a connection' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('nobody notices').waitFor()
  await dialog.getByLabel('Password of this account').pressSequentially(password)
  await dialog.getByRole('button', { name: 'Switch on' }).click()
  await page.getByRole('switch', { name: 'Open without a connection', checked: true }).waitFor()
  const before = await page.evaluate(shownRow)
  await page.goto(room)
  await alice.reads('read me on the train')
  await alice.drafts('half a sent')
  // What it shows is kept a moment later.
  await keepsShown(page, before)
  await keepsCopy(page)

  serverGoes()
  await page.goto('about:blank')
  await page.goto(room)
  await page.getByRole('heading', { name: 'No connection' }).waitFor()
  await looksFine(page, 'opened without the server')
  const other = await alice.context.newPage()
  await other.goto(room)
  await other.getByRole('heading', { name: 'No connection' }).waitFor()
  const field = page.getByLabel('Password', { exact: true })
  await field.pressSequentially('not hers')
  await unlock(page).click()
  await page.getByText('Wrong password').waitFor()
  await field.clear()
  await field.pressSequentially(password)
  await unlock(page).click()
  await alice.reads('read me on the train')
  // The tab beside it opens with it.
  await bubble(other).waitFor()
  await other.close()
  await page.locator('.row', { hasText: 'Bob' }).first().waitFor()
  const composer = page.getByLabel('Message', { exact: true })
  await expect.poll(() => composer.inputValue()).toBe('half a sent')
  await composer.pressSequentially('ence')
  await page.getByRole('button', { name: 'Send when connected' }).waitFor()
  await composer.press('Enter')
  await page.getByText('Goes by itself when the line is back.').waitFor()
  await composer.pressSequentially('a second thought')
  await composer.press('Enter')
  await looksFine(page, 'messages that wait for the line')
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await expect.poll(() => composer.inputValue()).toBe('a second thought')
  await composer.clear()
  await page.reload()
  await unlocks(page)
  await page.getByText('Goes by itself when the line is back.').waitFor()

  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }))
  serverComes()
  await bob.reads('half a sentence')
  await alice.says('and on')
  await bob.reads('and on')
  expect(await bob.page.locator('.bub', { hasText: 'half a sentence' }).count()).toBe(1)
  expect(await page.evaluate(() => Reflect.get(globalThis, 'isSamePage'))).toBe(true)
})

test('A new version is taken at the next start, whole; a tab beside it goes on with the old one', async () => {
  const { page } = alice
  await keepsCopy(page)
  const [first] = await copiesOf(page)
  proxy.lies(await updated(server.url))
  const other = await alice.context.newPage()
  await other.goto(server.url)
  expect(await markOf(other)).toBeUndefined()
  await expect.poll(async () => (await copiesOf(other)).length).toBe(2)
  await other.reload()
  expect(await markOf(other)).toBe('second')
  await other.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  expect(await markOf(page)).toBeUndefined()
  // A part of its own build that it has not loaded before.
  await page.keyboard.press('Control+k')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Escape')
  await alice.says('from the old tab')
  await bob.reads('from the old tab')
  expect((await copiesOf(page))[0]).toEqual(first)

  // Without the server the newest one starts, and the tab with the old one is read on in.
  serverGoes()
  await other.goto(page.url())
  expect(await markOf(other)).toBe('second')
  await unlocks(other)
  await bubble(other).waitFor()
  await bubble(page).waitFor()
  await other.close()
})

test('A version that was a lie is undone by Alice, once it is told no more: she clears nothing, and what the server has next comes by itself', async () => {
  const { page } = alice
  const room = page.url()
  await keepsCopy(page)
  await endsLook(page)
  proxy.lies(await updated(server.url, { version: '1.9.9', mark: 'a lie' }))
  await page.goto(server.url)
  await expect.poll(async () => (await copiesOf(page)).at(-1)?.version).toBe('1.9.9')
  await endsLook(page)
  proxy.tellsTruth()
  await page.goto(`${server.url}/version`)
  await page.getByRole('heading', { name: 'This version is older' }).waitFor()
  await looksFine(page, 'an older version')
  await page.getByRole('button', { name: 'Start the copy of before' }).click()
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  expect(await markOf(page)).not.toBe('a lie')
  await endsLook(page)
  proxy.lies(await updated(server.url, { version: '99.0.0', mark: 'a greater lie' }))
  await page.reload()
  await page.locator('.toast', { hasText: 'far ahead' }).waitFor()
  expect(await markOf(page)).not.toBe('a greater lie')
  proxy.tellsTruth()
  await page.goto(room)
  await alice.reads('read me on the train')
})

test('A browser that installs apps finds nothing missing in this one, and its offer stands in the settings', async () => {
  const words = ['--bypass-app-banner-engagement-checks']
  const carol = await customerWithProfile(server, 'Carol', { words, isFree: true })
  const { page } = carol
  const devtools = await carol.context.newCDPSession(page)
  const { errors, data } = await devtools.send('Page.getAppManifest')
  expect([errors, JSON.parse(data ?? '').display]).toEqual([[], 'standalone'])
  expect((await devtools.send('Page.getInstallabilityErrors')).installabilityErrors).toEqual([])
  await page.goto(`${server.url}/settings`)
  await page.getByRole('button', { name: 'Install', exact: true }).waitFor()
  await looksFine(page, 'the offer to install')
  await carol.leaves()
  expect(carol.complaints).toEqual([])
})

test('The browser has thrown its copy away: without the server it says so, and goes on as soon as there is one', async () => {
  const { page } = alice
  await page.evaluate(async () => {
    for (const name of await caches.keys()) await caches.delete(name)
  })
  serverGoes()
  const other = await alice.context.newPage()
  await other.goto(server.url)
  await other.getByText('no longer has the files of Conclave').waitFor()
  serverComes()
  await other.getByRole('link', { name: 'Try now' }).click()
  await other.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  await keepsCopy(other)
  await other.close()
})

test('By a passkey Alice opens without the server, and by nothing else where she chose it alone', async () => {
  const { page } = alice
  const room = page.url()
  const devtools = await alice.context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const kind = { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasPrf: true } as const
  const options = { ...kind, hasResidentKey: true, hasUserVerification: true, isUserVerified: true }
  await devtools.send('WebAuthn.addVirtualAuthenticator', { options })
  const dialog = page.getByRole('dialog')
  await page.goto(`${server.url}/settings?tab=security`)
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await dialog.getByLabel('Password', { exact: true }).pressSequentially(alice.password)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Make the passkey' }).click()
  await page.getByText('The passkey is added').first().waitFor()
  const choice = page.getByRole('switch', { name: 'Open without a connection' })
  await choice.click()
  await expect.poll(() => choice.isChecked()).toBe(false)
  await choice.click()
  await dialog.getByLabel('Passkey', { exact: true }).check()
  await looksFine(page, 'open without a connection by a passkey')
  await dialog.getByRole('button', { name: 'Switch on' }).click()
  await expect.poll(() => choice.isChecked()).toBe(true)
  const before = await page.evaluate(shownRow)
  await page.goto(room)
  await alice.reads('read me on the train')
  await keepsShown(page, before)
  await keepsCopy(page)

  serverGoes()
  await page.goto('about:blank')
  await page.goto(room)
  await page.getByRole('button', { name: 'Unlock with a passkey' }).waitFor()
  expect(await page.getByLabel('Password', { exact: true }).count()).toBe(0)
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Unlock with a passkey' }).press('Enter')
  await alice.reads('read me on the train')
  serverComes()
  await expect.poll(() => page.getByLabel('Message', { exact: true }).isEnabled()).toBe(true)
  // By the password again, for whoever comes next.
  await page.goto(`${server.url}/settings?tab=security`)
  await choice.click()
  await expect.poll(() => choice.isChecked()).toBe(false)
  await choice.click()
  await dialog.getByLabel('Password of this account').pressSequentially(alice.password)
  await dialog.getByRole('button', { name: 'Switch on' }).click()
  await expect.poll(() => choice.isChecked()).toBe(true)
  await devtools.detach()
  const unlike = await page.evaluate(shownRow)
  await page.goto(room)
  await alice.reads('read me on the train')
  await keepsShown(page, unlike)
  await keepsCopy(page)
})

test('The disk is full: the version that is here goes on, the chats are readable without the server, and nobody believes that what they type is kept', async () => {
  const { page } = alice
  const room = page.url()
  const before = await copiesOf(page)
  // Without a connection an empty field is closed.
  await alice.drafts('half a ')
  const devtools = await alice.context.newCDPSession(page)
  await devtools.send('Storage.overrideQuotaForOrigin', { origin: server.url, quotaSize: 1 })
  onTestFinished(async () => void (await devtools.send('Storage.overrideQuotaForOrigin', { origin: server.url })))
  proxy.lies(await updated(server.url, { mark: 'third' }))
  await page.reload()
  await alice.reads('read me on the train')
  const outcome = await page.evaluate(askForNewest)
  expect([outcome, await copiesOf(page)]).toEqual(['full', before])

  serverGoes()
  await page.goto('about:blank')
  await page.goto(room)
  await unlocks(page)
  await alice.reads('read me on the train')
  const [vault] = page.workers()
  await vault?.evaluate(() => {
    const { put } = IDBObjectStore.prototype
    IDBObjectStore.prototype.put = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    Object.assign(globalThis, { makeRoom: () => Object.assign(IDBObjectStore.prototype, { put }) })
  })
  await page.getByLabel('Message', { exact: true }).pressSequentially('not kept')
  await page.getByText('This browser has no room left: what you type is lost').waitFor()
  await looksFine(page, 'full, without the server')
  await devtools.send('Storage.overrideQuotaForOrigin', { origin: server.url })
  await vault?.evaluate(() => (globalThis as unknown as { makeRoom: () => void }).makeRoom())
  await page.getByLabel('Message', { exact: true }).clear()
  await page.getByText('This browser has no room left').waitFor({ state: 'detached' })
})

/** Runs in the page: what its service worker says of the server's version. */
const askForNewest = () =>
  new Promise<string>((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => resolve(data.outcome)
    navigator.serviceWorker.controller?.postMessage({ kind: 'update' }, [port2])
  })

test('A session that was ended while Alice was away leads to the sign-in, with nothing shown', async () => {
  const { page } = alice
  const cookies = await alice.context.cookies()
  serverGoes()
  await page.goto('about:blank')
  await page.goto(server.url)
  await page.getByText('This browser opens all the same').waitFor()
  await unlocks(page)
  await page.locator('.row', { hasText: 'Bob' }).first().waitFor()
  const session = cookies.find(({ name }) => name.endsWith('conclave_session'))
  await fetch(`${realUrl}/api/logout`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie: `${session?.name}=${session?.value}`, origin: server.url },
    body: '{}',
  })
  serverComes()
  await page.getByText('Your session has ended.').waitFor()
  expect(await page.locator('.row').count()).toBe(0)
  expect(await page.content()).not.toContain('train')
})
