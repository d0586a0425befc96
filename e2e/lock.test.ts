import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { keepsCopy } from './copy.ts'
import { startChat, test } from './people.ts'
import type { Person } from './person.ts'
import { looksFine } from './screen.ts'

/** Loads a page and opens its lock. */
async function unlocks(page: Page, password: string): Promise<void> {
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Unlock', exact: true }).click()
  await page.getByRole('heading', { name: 'Locked' }).waitFor({ state: 'detached' })
}

const isLocked = (page: Page) => page.getByRole('heading', { name: 'Locked' }).waitFor()

/** Switches the lock on, from the settings. */
async function switchesOn({ page, password }: Person, url: string, time: string): Promise<void> {
  await page.goto(`${url}/settings?tab=security`)
  await page.getByLabel(time, { exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Password of this account/).fill(password)
  await dialog.getByRole('button', { name: 'Switch on' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

test('Alice goes away: both her tabs lock, what Bob writes is counted and not shown, and her password brings both back', async ({
  server,
  alice,
  bob,
}) => {
  await startChat(alice, bob)
  await bob.says('before she went')
  await alice.reads('before she went')
  const room = alice.page.url()
  await switchesOn(alice, server.url, '5 minutes')

  // From here on her clock is the test's.
  await alice.context.clock.install()
  const other = await alice.context.newPage()
  for (const page of [alice.page, other]) {
    await page.goto(room)
    await isLocked(page)
    await unlocks(page, alice.password)
    await page.getByLabel('Message', { exact: true }).waitFor()
  }
  // Somebody at one tab keeps both open.
  /** The last input in any tab, as this tab reads it: what one tab writes to the storage reaches the process of the other later. */
  const lastInput = () => alice.page.evaluate(() => Number(localStorage.getItem('lock-input')))
  const before = await lastInput()
  await alice.context.clock.fastForward('04:00')
  await other.mouse.move(40, 40)
  await other.mouse.move(60, 60)
  await expect.poll(lastInput).toBeGreaterThan(before)
  await alice.context.clock.fastForward('04:00')
  await alice.page.getByLabel('Message', { exact: true }).fill('Half a sent')
  await alice.context.clock.fastForward('05:01')
  await Promise.all([alice.page, other].map(isLocked))
  // Whoever sits there asks by the console.
  const asks = (path: string) => alice.page.evaluate(async (address) => (await fetch(address)).status, path)
  await expect.poll(() => asks('/api/contacts')).toBe(403)
  expect(await asks('/api/user')).toBe(200)

  await bob.says('while she was away')
  await Promise.all([alice.page, other].map((page) => page.getByText('1 unread message.').waitFor()))
  expect(await alice.page.title()).toBe('Conclave')
  expect(await alice.page.content()).not.toContain('while she was away')
  expect(await alice.page.content()).not.toContain('before she went')

  await alice.page.getByLabel('Password', { exact: true }).fill('not hers')
  await alice.page.getByRole('button', { name: 'Unlock', exact: true }).click()
  await alice.page.getByText('Wrong password').waitFor()
  await alice.context.clock.fastForward(2000)
  await unlocks(alice.page, alice.password)
  await alice.reads('while she was away')
  await expect.poll(() => alice.page.getByLabel('Message', { exact: true }).inputValue()).toBe('Half a sent')
  // Her other tab asks no second time. A page that is loaded asks.
  await other.locator('.bub', { hasText: 'while she was away' }).waitFor()
  await other.reload()
  await isLocked(other)
})

test('Alice looks at something else: her browser locks at once, and not before the last of its tabs is hidden', async ({
  server,
  alice,
}) => {
  await switchesOn(alice, server.url, 'When hidden')
  const other = await alice.context.newPage()
  await other.goto(server.url)
  await isLocked(other)
  await unlocks(other, alice.password)
  /** What the browser does when another window covers the page. */
  const hides = (page: Page) =>
    page.evaluate(() => {
      Object.defineProperty(document, 'visibilityState', { get: () => 'hidden', configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    })
  await hides(alice.page)
  await other.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  await keepsCopy(other)
  await alice.goesOffline()
  await hides(other)
  // Without the network the lock is not an error page of the browser's, and it goes on by itself.
  await Promise.all([alice.page, other].map(isLocked))
  await Promise.all([alice.page, other].map((page) => page.getByText('You cannot open this browser now').waitFor()))
  await alice.comesBack()
  await Promise.all([alice.page, other].map((page) => page.getByRole('button', { name: 'Unlock', exact: true }).waitFor()))

  await looksFine(other, 'lock')

  // A copy of the page's storage, or the lock screen itself, gives nothing away; logging out works from here.
  await other.getByRole('button', { name: 'Logout', exact: true }).click()
  await other.getByRole('dialog').getByRole('button', { name: 'Logout' }).click()
  await other.getByRole('heading', { name: 'Welcome back' }).waitFor()
})
