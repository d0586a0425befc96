import { expect } from 'vitest'
import { anotherBrowser, customer, talking as test } from './people.ts'
import { looksFine } from './screen.ts'

test('A newcomer without a plan writes to herself, offline too; another browser reads it, edits it, and finds it', async ({
  server,
}) => {
  const alice = await customer(server, 'Alice', { isFree: true })
  const { page } = alice
  await page.getByRole('button', { name: 'Note to self' }).click()
  await page.getByRole('heading', { name: 'Note to self' }).waitFor()
  await looksFine(page, 'Notes, empty')
  const field = page.getByLabel('Message', { exact: true })
  await field.click()
  await page.keyboard.type('Ask about the second hearing')
  await page.keyboard.press('Enter')
  await page
    .locator('.msg')
    .filter({ hasText: 'Ask about the second hearing' })
    .and(page.getByRole('group', { name: /, sent$/ }))
    .waitFor()
  await alice.goesOffline()
  await page.keyboard.type('Written without a line')
  await page.keyboard.press('Enter')
  await page.locator('.msg').filter({ hasText: 'Written without a line' }).waitFor()
  await alice.comesBack()
  await page
    .locator('.msg')
    .filter({ hasText: 'Written without a line' })
    .and(page.getByRole('group', { name: /, sent$/ }))
    .waitFor()
  await alice.reloads()
  await expect.poll(() => alice.shows()).toEqual(['Ask about the second hearing', 'Written without a line'])
  await looksFine(page, 'Notes')

  const laptop = await anotherBrowser(server, alice)
  await laptop.page.getByRole('link', { name: /Note to self/ }).click()
  await expect.poll(() => laptop.shows()).toEqual(['Ask about the second hearing', 'Written without a line'])
  await laptop.page.getByLabel('Message', { exact: true }).press('ArrowUp')
  const edit = laptop.page.getByRole('textbox', { name: 'Edit message' })
  await edit.fill('Written with a line')
  await edit.press('Enter')
  await expect.poll(() => alice.shows()).toEqual(['Ask about the second hearing', 'Written with a line'])
  await page.getByLabel('Search contacts and messages').fill('second hear')
  await page.locator('.list .found, .list').getByText('second hear').first().waitFor()
})
