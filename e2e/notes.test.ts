import pg from 'pg'
import { expect } from 'vitest'
import { NOTES_LIMITS } from '../contract/chat/messages.ts'
import { runningUrl } from '../server/ground/db/embedded.ts'
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
  await page.getByLabel('Clear the search').click()

  const client = new pg.Client(await runningUrl(server.dataFolder, 'conclave'))
  await client.connect()
  await client.query('update chat_participants set received_count = $2 where chat_room_id = $1', [
    page.url().split('/chat/')[1],
    NOTES_LIMITS.aMonth,
  ])
  await client.end()
  await field.click()
  await page.keyboard.type('One more')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Subscription Required' }).waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(() => field.inputValue()).toBe('One more')
})
