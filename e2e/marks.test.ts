import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { anotherBrowser, customer, test } from './people.ts'
import { looksFine } from './screen.ts'

const names = (page: Page) => page.locator('.rows .name').allTextContents()

async function marks(page: Page, name: string, item: string): Promise<void> {
  await page.getByRole('link', { name: new RegExp(name) }).click({ button: 'right' })
  await page.getByRole('menuitem', { name: item }).click()
}

test('Alice pins, archives and marks chats as unread: her other browser shows the same, a message brings the chat back', async ({
  alice,
  bob,
  server,
}) => {
  const carol = await customer(server, 'Carol')
  await alice.adds(bob)
  await bob.accepts(alice)
  await alice.adds(carol)
  await carol.accepts(alice)
  await bob.opens(alice)
  await bob.says('First')
  await alice.page.locator('.rows').getByText('First').waitFor()
  await carol.opens(alice)
  await carol.says('Second')
  const { page } = alice
  const laptop = await anotherBrowser(server, alice)
  const screens = [page, laptop.page]
  const allShow = async (...shown: string[]) => {
    for (const screen of screens) await expect.poll(() => names(screen)).toEqual(shown)
  }
  await page.goto(server.url)
  await allShow('Carol', 'Bob')

  await marks(page, 'Bob', 'Pin')
  await allShow('Bob', 'Carol')
  await page.getByRole('link', { name: /Bob.*Pinned/ }).waitFor()
  await looksFine(page, 'A pinned chat')

  await marks(laptop.page, 'Carol', 'Archive')
  // By itself the toast goes after a while.
  await laptop.page.getByText('Carol is archived', { exact: true }).waitFor()
  await allShow('Bob')
  await page.getByRole('button', { name: /Archived 1/ }).click()
  await expect.poll(() => names(page)).toEqual(['Carol'])
  await looksFine(page, 'The archive')
  await page.keyboard.press('Escape')
  await expect.poll(() => names(page)).toEqual(['Bob'])
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Filter the chats')
  await carol.says('Third')
  await allShow('Bob', 'Carol')

  // The page is left soon: by then the server knows that she has read it.
  const isRead = page.waitForResponse((answer) => answer.url().endsWith('/mark-read'))
  await page.getByRole('link', { name: /Bob/ }).click()
  await alice.reads('First')
  await isRead
  await expect.poll(() => page.getByRole('link', { name: /Bob.*unread/ }).count()).toBe(0)
  await page.goto(server.url)
  await marks(page, 'Bob', 'Mark as unread')
  for (const screen of screens) await screen.getByRole('link', { name: /Bob.*Marked as unread/ }).waitFor()
  await page.getByRole('button', { name: 'Filter the chats' }).click()
  await expect.poll(() => names(page)).toEqual(['Bob', 'Carol'])
  await looksFine(page, 'Unread chats')
  await page.getByRole('button', { name: 'Show all chats' }).click()

  const phone = await anotherBrowser(server, alice)
  screens.push(phone.page)
  await phone.page.getByRole('link', { name: /Bob.*Pinned.*Marked as unread/ }).waitFor()
  await laptop.page.getByRole('link', { name: /Bob/ }).click()
  for (const screen of screens) {
    await expect.poll(() => screen.getByText('Marked as unread').count()).toBe(0)
  }

  // By a finger on a phone.
  const { page: small } = phone
  const devtools = await small.context().newCDPSession(small)
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true })
  await small.setViewportSize({ width: 360, height: 740 })
  await small.reload()
  const row = small.getByRole('link', { name: /Carol/ })
  await row.waitFor()
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', x = 0, y = 0) =>
    devtools.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] })
  // The part that follows a finger is loaded.
  await expect.poll(() => row.evaluate((one) => getComputedStyle(one).touchAction)).toMatch(/pan-y/)
  async function swipes(right: number): Promise<void> {
    const { x, y, width, height } = (await row.boundingBox()) ?? expect.fail()
    const [from, middle] = [x + width / 2 - right / 3, y + height / 2]
    await touch('touchStart', from, middle)
    for (let step = 1; step <= 8; step++) await touch('touchMove', from + (step * right) / 8, middle)
    await touch('touchEnd')
  }
  await swipes(-120)
  await small.getByRole('button', { name: 'Mute' }).waitFor()
  await looksFine(small, 'A row that was swiped')
  await small.getByRole('button', { name: 'Archive', exact: true }).click()
  await expect.poll(() => names(small)).toEqual(['Bob'])
  await small.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => names(small)).toEqual(['Bob', 'Carol'])
  await swipes(110)
  for (const screen of screens) await expect.poll(() => screen.getByRole('link', { name: /Carol.*unread/ }).count()).toBe(0)
})
