import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { customer, person, test } from './people.ts'

/** The visible titles and main parts of the page: one of each, whatever it shows. */
const landmarks = (page: Page) =>
  page.evaluate(() =>
    ['h1', 'main, [role="main"]'].map(
      (selector) => [...document.querySelectorAll(selector)].filter((each) => each.checkVisibility()).length,
    ),
  )

test('On a phone a newcomer reads their own name and the one thing to do, and finds both again at Home', async ({ server }) => {
  const [alice, bob] = await Promise.all([person(server, 'Alice'), customer(server, 'Bob')])
  await alice.context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const { page } = alice
  await page.setViewportSize({ width: 360, height: 740 })
  await alice.signsUp()
  const name = page.getByText(`@${alice.username}`, { exact: true })
  await name.waitFor()
  expect(await landmarks(page)).toEqual([1, 1])
  await page.getByRole('button', { name: 'Copy', exact: true }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`@${alice.username}`)

  await page.getByRole('button', { name: 'Add someone', exact: true }).click()
  await page.getByLabel('Username or onion address').fill(bob.username)
  await page.keyboard.press('Enter')
  // With the first contact the list takes the place of the card.
  await page.locator('a.row', { hasText: bob.name }).waitFor()
  await name.waitFor({ state: 'hidden' })
  expect(await landmarks(page)).toEqual([1, 1])
  await page.getByRole('button', { name: /^You/ }).click()
  await page.getByRole('menuitem', { name: 'Home' }).click()
  await name.waitFor()
  await page.getByText('First contact added').waitFor()
  expect(await landmarks(page)).toEqual([1, 1])
  await page.getByRole('button', { name: 'Conversations' }).click()
  await alice.opens(bob)
  expect(await landmarks(page)).toEqual([1, 1])
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
  await alice.leaves()
  await bob.leaves()
})

test('A whole first day by keyboard alone: the kit is put off, Bob is added, written to, found again, and the day ends', async ({
  server,
}) => {
  const [alice, bob] = await Promise.all([person(server, 'Alice'), customer(server, 'Bob')])
  const { page } = alice
  const { keyboard } = page
  const focused = () =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent)
  await page.goto(server.url)
  await page.getByLabel(/^Username/).focus()
  await keyboard.type(alice.username)
  for (const text of [alice.name, alice.password, alice.password]) {
    await tabTo(page, 'input')
    await keyboard.type(text)
  }
  await keyboard.press('Enter')
  await tabTo(page, 'button:text-is("Skip for now")')
  await keyboard.press('Enter')
  await page.getByText('People find you as').waitFor()
  await server.account('set-tier', alice.username, 'premium')

  await tabTo(page, 'button:text-is("Add someone")')
  await keyboard.press('Enter')
  await page.getByLabel('Username or onion address').waitFor()
  await keyboard.type(bob.username)
  await keyboard.press('Enter')
  await page.locator('a.row', { hasText: bob.name }).waitFor()
  await page.getByText('Request sent').first().waitFor()

  // A few letters lead to him, and the words go where the focus is then.
  await keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  await keyboard.type('bo')
  await keyboard.press('Enter')
  await page.getByLabel('Message', { exact: true }).waitFor()
  await expect.poll(focused, { timeout: 5000 }).toBe('Message')
  await keyboard.type('good morning?')
  await keyboard.press('Enter')
  await alice.seesTick('good morning?', 'Sent')

  await bob.page.getByText('1 message waiting').waitFor()
  await bob.page.getByRole('button', { name: /^Ignore/ }).focus()
  await bob.page.keyboard.press('Enter')
  await bob.page.getByText('Request ignored').waitFor()
  expect(await bob.page.evaluate(() => document.activeElement?.matches('input[type="search"]'))).toBe(true)
  await bob.page.getByRole('button', { name: 'Undo' }).press('Enter')
  await bob.page.getByText('1 message waiting').waitFor()
  await bob.accepts(alice)

  await keyboard.press('Escape')
  await page.getByText('People find you as').waitFor()
  await keyboard.press('Alt+ArrowDown')
  await page.getByLabel('Message', { exact: true }).waitFor()
  await keyboard.press('Escape')
  await keyboard.press('Shift+?')
  await page.getByRole('dialog', { name: 'Keys' }).waitFor()
  await keyboard.press('Escape')
  await page.locator('a.row').focus()
  await keyboard.press('Shift+F10')
  await page.getByRole('menuitem', { name: 'Contact details' }).waitFor()
  await keyboard.press('Escape')
  await tabTo(page, '[type="search"]', 'Shift+Tab')
  await keyboard.type('morning')
  await page.getByText('good morning?').last().waitFor()

  await keyboard.press('Control+k')
  await keyboard.type('security')
  await keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Profile Settings' }).waitFor()
  await keyboard.press('Escape')
  await page.locator('a.row').waitFor()
  await keyboard.press('Control+k')
  await keyboard.type('logout')
  await keyboard.press('Enter')
  await page.getByRole('button', { name: 'Logout', exact: true }).last().press('Enter')
  await page.getByRole('heading', { name: /Welcome back|Create your account/ }).waitFor()
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
  await alice.leaves()
  await bob.leaves()
})

/** Presses Tab until the focus stands on what the selector names. */
async function tabTo(page: Page, selector: string, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await page.locator(selector).first().waitFor()
  for (let count = 0; count < 30; count++) {
    await page.keyboard.press(key)
    if (await page.locator(selector).and(page.locator(':focus')).count()) return
  }
  throw new Error(`Tab does not lead to ${selector}`)
}
