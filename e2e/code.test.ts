import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { codeWords } from '../client/net/codewords.ts'
import { newSigner } from '../scripts/signing.ts'
import { openContext, takeUncaught, takeViolations } from './browser.ts'
import { endsLook, keepsCopy } from './copy.ts'
import { deletesData, pagesAt } from './lies.ts'
import { customer } from './people.ts'
import type { Person } from './person.ts'
import { type LyingProxy, startProxy } from './proxy.ts'
import { looksFine } from './screen.ts'
import { type RunningServer, startServer } from './server.ts'
import { markOf, type Update, updated } from './update.ts'

// A server whose operator signs its versions, and a proxy behind which it can be taken over.
const [operator, thief] = [newSigner(), newSigner()]
let proxy: LyingProxy
let server: RunningServer
let alice: Person

beforeAll(async () => {
  const releaseFolder = await mkdtemp(path.join(tmpdir(), 'conclave-release-'))
  const { id } = JSON.parse(readFileSync('dist/client/build.json', 'utf8'))
  mkdirSync(path.join(releaseFolder, 'conclave'))
  writeFileSync(path.join(releaseFolder, 'conclave/release.json'), JSON.stringify(operator.sign(id)))
  proxy = await startProxy()
  const real = await startServer({ TRUST_PROXY: '1', PUBLIC_URL: proxy.url, RELEASE_FOLDER: releaseFolder })
  proxy.leadsTo(real.url)
  server = { ...real, url: proxy.url }
  alice = await customer(server, 'Alice')
})
afterEach(async () => {
  await endsLook(alice.page)
  proxy.tellsTruth()
})
afterAll(async () => {
  expect(alice.complaints).toEqual([])
  await server.stop()
  await proxy.stop()
})

test('An exception and a rejection that no code of a page has caught are told', async () => {
  const page = await (await openContext()).newPage()
  await page.evaluate(() => {
    setTimeout(() => {
      throw new Error('thrown')
    })
    void Promise.reject(new Error('rejected'))
  })
  const told: string[] = []
  await expect.poll(() => told.push(...takeUncaught()) && told.toSorted()).toEqual(['rejected', 'thrown'])
  await page.context().close()
})

test('A script that somebody injects into the page does not run', async () => {
  // Begun while the proxy lies, her copy would not become whole.
  await keepsCopy(alice.page)
  const planted = '<script>globalThis.injected = 1</script><img src="/none.png" onerror="globalThis.injected = 2">'
  proxy.lies({ page: (html) => html.replace('<body>', `<body>${planted}`) })
  const context = await openContext()
  const page = await context.newPage()
  await page.goto(`${server.url}/auth`)
  await page.getByRole('button', { name: 'Create account' }).waitFor()
  await expect.poll(() => takeViolations().length, { timeout: 10_000 }).toBeGreaterThan(0)
  expect(await page.evaluate(() => Reflect.get(globalThis, 'injected'))).toBeUndefined()
  await context.close()
  takeViolations()
})

/** The server, as Alice's browser sees it, changes to another build. */
async function becomes(update: Update): Promise<void> {
  await endsLook(alice.page)
  proxy.tellsTruth()
  proxy.lies(await updated(server.url, update))
}
const openPart = async (page: Page) => {
  // From another page: a fragment alone loads nothing anew.
  await page.goto('about:blank')
  await page.goto(`${server.url}/settings?tab=security#code`)
  const part = page.locator('#code')
  await part.getByText(/^Version/).waitFor()
  return part
}
/** Waits until Alice's browser has a whole copy and knows the operator's key: each test begins and ends with that. */
async function knowsOperator(): Promise<void> {
  await keepsCopy(alice.page)
  const part = await openPart(alice.page)
  await part.getByText('Signed by the operator').waitFor()
  await part.getByText(codeWords(operator.key)).waitFor()
}
const toast = (page: Page, text: string) => page.locator('.toast', { hasText: text })

test('Once Alice’s browser has seen the operator’s key, it starts nothing that the key has not signed, and says why', async () => {
  const { page } = alice
  await knowsOperator()
  await looksFine(page, 'the code of this page')

  await becomes({})
  await page.reload()
  await toast(page, 'is not signed').waitFor()
  await (await openPart(page)).getByText('The server’s new version is not signed').waitFor()
  await page.reload()
  expect(await markOf(page)).toBeUndefined()

  await becomes({ signer: operator, version: '0.0.9' })
  await (await openPart(page)).getByText('The server has an older version').waitFor()
  await becomes({ signer: operator, mark: 'torn', isBroken: true })
  await (await openPart(page)).getByText('is not the one that was named').waitFor()
  await page.reload()
  expect(await markOf(page)).toBeUndefined()
})

test('A server that speaks another contract and is not trusted: the page stops, and says why', async () => {
  const { page } = alice
  await knowsOperator()
  await endsLook(page)
  const unsigned = await updated(server.url)
  proxy.lies({
    ...unsigned,
    frame: (frame) => (frame.type === 'hello' ? { ...frame, data: { ...frame.data, contractVersion: 99 } } : frame),
  })
  await page.goto(server.url)
  await page.getByText('Stopped: the server’s version is not trusted').first().waitFor()
  await page.getByRole('link', { name: 'Why' }).first().click()
  await page.locator('#code').getByText('The server’s new version is not signed').waitFor()
})

test('Whatever address a link names, no page of the server’s own starts, and what it says makes no key count', async () => {
  const { page } = alice
  await knowsOperator()
  const addresses = ['/x.html', '/api/contacts', '/objects/uploads/x', '/.well-known/x', '/manifest.webmanifest']
  const stolen = '<title>Stolen</title><script>document.title = Object.keys(localStorage).join()</script>'
  proxy.lies({ ...pagesAt(addresses, stolen), ...(await updated(server.url, { signer: thief, mark: 'by a thief' })) })
  for (const address of addresses) {
    const answer = await page.goto(server.url + address)
    expect([await page.content()].join().includes('Stolen'), address).toBe(false)
    expect(answer?.status(), address).toBe(address === '/manifest.webmanifest' ? 200 : 404)
  }
  await page.goto(`${server.url}/x.html`)
  await looksFine(page, 'nothing is here')
  // A page of this origin that would make a key count.
  await page.goto(server.url)
  await page.evaluate(
    async (key) => (await navigator.serviceWorker.ready).active?.postMessage({ kind: 'accept', key }),
    thief.key,
  )
  await endsLook(page)
  await page.reload()
  expect(await markOf(page)).toBeUndefined()
})

test('Another key is taken once Alice has accepted it, after a warning, and the version that it signs starts, also where her copy is gone', async () => {
  const { page } = alice
  await knowsOperator()
  await becomes({ signer: thief, mark: 'by another key' })
  await (await openPart(page)).getByRole('link', { name: 'What you can do' }).click()
  await page.getByRole('heading', { name: 'This version is signed by another key' }).waitFor()
  for (const key of [codeWords(thief.key), thief.key]) await page.getByText(key).waitFor()
  await looksFine(page, 'another key')
  await page.getByRole('link', { name: 'Go on with version' }).click()
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  expect(await markOf(page)).toBeUndefined()
  await (await openPart(page)).getByRole('link', { name: 'What you can do' }).click()
  await page.getByRole('button', { name: 'Accept this key' }).click()
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  expect(await markOf(page)).toBe('by another key')

  await endsLook(page)
  proxy.tellsTruth()
  await page.evaluate(async () => {
    for (const name of await caches.keys()) await caches.delete(name)
  })
  // The true server signs by the key of before.
  await page.goto(server.url)
  await page.getByRole('heading', { name: 'This version is signed by another key' }).waitFor()
  await page.getByText(operator.key).waitFor()
  await page.getByRole('button', { name: 'Accept this key' }).click()
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  expect(await markOf(page)).toBeUndefined()
})

test('A header of the server deletes all that Alice’s browser keeps: the page says so, and the operator’s key still counts', async () => {
  const { page } = alice
  await knowsOperator()
  await endsLook(page)
  proxy.lies(deletesData('GET /api/user'))
  await page.evaluate(() => fetch('/api/user').then(() => undefined))
  await page.getByText('This browser’s data was deleted by the server or by you').waitFor()
  proxy.lies(await updated(server.url, { signer: thief, mark: 'after the deletion' }))
  // `ready` may still answer with the worker that was deleted.
  await expect.poll(() => page.evaluate(standsThere)).toBe('activated')
  await page.goto(server.url)
  await page.getByRole('heading', { name: 'This version is signed by another key' }).waitFor()
})

const standsThere = async () => (await navigator.serviceWorker.getRegistration())?.active?.state
