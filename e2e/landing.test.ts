import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { openContext } from './browser.ts'
import { test } from './people.ts'
import { looksFine } from './screen.ts'

const TEXT = 'Nobody else reads this.'

/** A stranger's browser that notes what it loads and complains of. */
async function stranger(): Promise<{ page: Page; loaded: string[]; sent: string[]; complaints: string[] }> {
  const page = await (await openContext()).newPage()
  const [loaded, sent, complaints]: [string[], string[], string[]] = [[], [], []]
  page.on('request', (request) => {
    loaded.push(new URL(request.url()).pathname)
    sent.push(`${request.url()} ${request.postData() ?? ''}`)
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) complaints.push(message.text())
  })
  return { page, loaded, sent, complaints }
}

test('A stranger reads the landing, has a text of their own sealed and opened in the page, and finds the form and the way back', async ({
  server,
}) => {
  const { page, loaded, sent, complaints } = await stranger()
  await page.goto(server.url)
  await page.getByRole('heading', { name: 'The room is closed. You hold the key.' }).waitFor()
  const title = await page.title()
  expect(title).toBe('Conclave, a private messenger')
  // The messenger's code does not come along.
  expect(loaded.filter((path) => /\/(start|first|libraries|Messenger)-/.test(path))).toEqual([])

  await page.getByText('You write').scrollIntoViewIfNeeded()
  await page.getByText(/^Sealed in .+ and opened in/).waitFor()
  await looksFine(page, 'landing')
  const [written, carried, read] = [page.locator('#written'), page.locator('#carried'), page.locator('#read')]
  const before = await carried.textContent()
  await written.fill(TEXT)
  await expect.poll(() => read.textContent()).toBe(TEXT)
  expect(await carried.textContent()).not.toBe(before)
  // The same text again is carried by other bytes.
  const first = await carried.textContent()
  await page.getByRole('button', { name: 'Seal it again' }).click()
  await expect.poll(() => carried.textContent()).not.toBe(first)
  expect(sent.filter((request) => request.includes('Nobody'))).toEqual([])

  await page.getByRole('link', { name: 'Start Secure Communications' }).first().click()
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  await page.goto(server.url)
  await page.getByRole('heading', { name: 'Create your account' }).waitFor()
  await page.getByRole('link', { name: 'Back to Home' }).click()
  await page.getByRole('link', { name: 'Sign In' }).first().click()
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
  expect(complaints).toEqual([])
})

test('Each claim of /security says how it is known, and measures it in this very page', async ({ server }) => {
  const { page, complaints } = await stranger()
  await page.goto(`${server.url}/security#layered-encryption`)
  const claim = page.locator('#layered-encryption')
  await claim.getByText('MLS_256_XWING_AES256GCM_SHA512_Ed25519').waitFor()
  await claim.getByText(/^refused: /).waitFor()
  await claim.getByText('An envelope whose parts are of two messages').waitFor()
  for (const summary of await page.locator('summary').all())
    if (!(await summary.evaluate((one) => one.closest('details')?.open))) await summary.click()
  await expect.poll(() => page.locator('.measured .waits').count()).toBe(0)
  await looksFine(page, 'security')
  await page.getByRole('link', { name: 'Start Secure Communications' }).click()
  await page.getByRole('heading', { name: 'The room is closed.' }).waitFor()
  await page.goto(`${server.url}/security/threat-model`)
  await page.getByRole('heading', { name: 'Threat model', level: 1 }).waitFor()
  await looksFine(page, 'threat model')
  await page.getByRole('link', { name: 'Notices' }).click()
  await page.getByRole('heading', { name: 'What others wrote' }).waitFor()
  await looksFine(page, 'notices')
  await page.getByRole('link', { name: 'copyright notices' }).click()
  await page.getByText('SIL OPEN FONT LICENSE').first().waitFor()
  expect(complaints).toEqual([])
})

test('Without JavaScript the pages are there to read; an address without a page says so, and an error stays an error for programs', async ({
  server,
}) => {
  const context = await openContext()
  const browser = context.browser()
  if (!browser) throw new Error('No browser')
  const bare = await browser.newContext({ javaScriptEnabled: false })
  const page = await bare.newPage()
  await page.goto(server.url)
  for (const words of ['You hold the key.', 'Zero central servers', 'that can read your messages.'])
    await page.getByText(words).first().waitFor()
  await page.locator('.no-script').waitFor()
  await page.goto(`${server.url}/security`)
  await page.getByText('How we know').first().click()
  await page.getByText('What it does not cover').first().waitFor()
  await bare.close()

  const { page: other } = await stranger()
  const answer = await other.goto(`${server.url}/nothing.png`)
  const [status, type] = [answer?.status(), answer?.headers()['content-type']]
  expect([status, type]).toEqual([404, expect.stringContaining('text/html')])
  await other.getByRole('heading', { name: 'There is nothing at this address.' }).waitFor()
  await looksFine(other, 'nowhere')
  for (const path of ['/api/nothing', '/nothing.png']) {
    const said = await fetch(server.url + path, { headers: path.startsWith('/api') ? { accept: 'text/html' } : {} })
    expect([said.status, await said.json()]).toMatchObject([404, { code: 'not_found' }])
  }
  await other.addInitScript(() => Reflect.deleteProperty(globalThis, 'WebSocket'))
  await other.goto(server.url)
  await other.getByRole('heading', { name: 'Your browser lacks WebSocket.' }).waitFor()
  await looksFine(other, 'lacks')
})
