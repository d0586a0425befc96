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
