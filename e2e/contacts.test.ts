import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { anotherBrowser, startChat, test } from './people.ts'
import { behind, looksFine, putsAway } from './screen.ts'

test('By the screen alone Alice names Bob, reports and blocks him, unblocks him, clears the chat and deletes it; her other browser follows', async ({
  server,
  alice,
  bob,
}) => {
  await startChat(alice, bob)
  await bob.says('this is meant to hurt')
  await alice.reads('this is meant to hurt')
  const second = await anotherBrowser(server, alice)
  await second.opens(bob)
  await second.reads('this is meant to hurt')

  const { page } = alice
  const row = page.locator('a.row', { has: page.locator('.name') }).first()
  const choose = async (item: string) => {
    await row.click({ button: 'right' })
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  const told = (text: string) => putsAway(page, text)

  // On a phone and key by key, as hands type, also behind a slow connection: no letter is lost, and the focus goes back.
  const reports: unknown[] = []
  page.on('request', (request) => request.url().endsWith('/report') && reports.push(request.postDataJSON()))
  const focused = () => page.evaluate(() => document.activeElement?.textContent)
  const asksInPanel = async (what: string) => {
    await page.locator('[data-chat-title] button').click()
    await page.getByRole('button', { name: what, exact: true }).click()
  }
  const leavesPanel = async (what: string, name: string, toast?: string) => {
    if (toast) await page.locator('.toast', { hasText: toast }).waitFor()
    await expect.poll(focused).toBe(what)
    await page.keyboard.press('Escape')
    await expect.poll(focused).toBe(name)
  }
  await page.setViewportSize({ width: 360, height: 740 })
  for (const [latencyMs, name] of [
    [0, 'Bobby'],
    [800, 'Robert from work'],
  ] as const)
    await behind(latencyMs, page, async () => {
      await asksInPanel('Change the name')
      await page.locator('input:focus').waitFor()
      await page.keyboard.press('Control+a')
      await page.keyboard.type(`${name}\n`, { delay: 15 })
      await leavesPanel('Change the name', name)
      await page.locator('[data-chat-title]', { hasText: name }).waitFor()

      await asksInPanel('Report')
      await page.getByRole('radio', { name: 'Harassment' }).check()
      await page.getByLabel(/^What happened/).focus()
      await page.keyboard.type(`He wrote this ${name}`, { delay: 15 })
      await page.getByRole('checkbox', { name: 'this is meant to hurt' }).check()
      if (latencyMs === 0) await looksFine(page, 'report')
      await page.getByRole('button', { name: 'Send report' }).click()
      await leavesPanel('Report', name, 'Report sent')
    })
  expect(reports).toMatchObject([{ text: 'He wrote this Bobby' }, { text: 'He wrote this Robert from work' }])
  await page.setViewportSize({ width: 1280, height: 800 })
  for (const { page: each } of [alice, second]) {
    await each.locator('.whom', { hasText: 'Robert from work' }).waitFor()
    await each.getByLabel('Search contacts and messages').fill('robert')
    await each.locator('a.row', { hasText: 'Robert from work' }).waitFor()
    await each.getByRole('button', { name: 'Clear the search' }).click()
  }

  // In the panel, by keyboard.
  await page.locator('[data-chat-title] button').click()
  await page.getByRole('button', { name: 'Close contact details' }).waitFor()
  await looksFine(page, 'contact panel')
  await page.getByRole('button', { name: 'Block', exact: true }).press('Enter')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Block' }).press('Enter')
  await page.getByText('You have blocked').waitFor()
  await page.getByRole('button', { name: 'Close contact details' }).click()
  await bob.says('can you hear me')
  await bob.says('hello?')
  for (const browser of [alice, second]) await browser.page.getByText('You have blocked').waitFor()
  await bob.seesTick('hello?', 'Sent')
  expect(await second.page.getByText('can you hear me').count()).toBe(0)

  // The settings list whom she blocks, in each browser, and follow.
  const settings = second.page.getByRole('list', { name: 'Blocked people' })
  await second.page.getByRole('button', { name: 'Profile Settings' }).click()
  await second.page.getByRole('link', { name: 'Privacy' }).click()
  await settings.getByText('Robert from work').waitFor()

  await page.getByRole('button', { name: 'Unblock' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Unblock' }).click()
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message')
  await settings.waitFor({ state: 'detached' })
  await second.page.getByRole('button', { name: 'Back to chat' }).click()
  await bob.says('and now')
  for (const browser of [alice, second]) {
    await browser.reads('and now')
    await browser.page.getByText('Messages while blocked are not kept').waitFor()
    expect(await browser.page.getByText('can you hear me').count()).toBe(0)
    expect(await browser.page.getByText('dropped or reordered').count()).toBe(0)
  }

  // By the palette, and at once taken back.
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').waitFor()
  await page.keyboard.type('block rob\n')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Block' }).click()
  await page.getByRole('button', { name: 'Unblock' }).click()
  await page.getByRole('alertdialog').waitFor()
  await page.keyboard.press('Escape')
  await expect.poll(focused).toBe('Unblock')
  // In the settings the button goes with its line; whoever pressed it by key goes on from there.
  await second.page.getByRole('button', { name: 'Profile Settings' }).click()
  await second.page.getByRole('link', { name: 'Privacy' }).click()
  await settings.getByRole('button', { name: 'Unblock Robert from work' }).press('Enter')
  await second.page.getByRole('alertdialog').getByRole('button', { name: 'Unblock' }).press('Enter')
  await settings.waitFor({ state: 'detached' })
  await expect.poll(() => second.page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Nobody[.] You block/)
  await second.page.getByRole('button', { name: 'Back to chat' }).click()
  await page.getByRole('button', { name: 'Unblock' }).waitFor({ state: 'detached' })

  await choose('Clear chat')
  await page.getByText('This cannot be undone.').waitFor()
  await page.getByRole('button', { name: 'Clear chat' }).click()
  await told('Chat Cleared')
  for (const { page: each } of [alice, second]) {
    await each.getByText('Start a secure conversation').waitFor()
    expect(await each.locator('.bub').count()).toBe(0)
  }
  await bob.reads('this is meant to hurt')
  await bob.says('a new start')
  for (const browser of [alice, second]) await browser.reads('a new start')

  await choose('Delete chat')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete chat' }).click()
  await told('Chat deleted')
  const rows = (each: Page) => each.locator('[data-room]').filter({ hasText: 'Robert from work' })
  await expect.poll(() => rows(page).count()).toBe(0)
  // Where it is open it stays until it is left.
  await rows(second.page).waitFor()
  await second.page.goto(`${server.url}/`)
  await second.page.locator('.find input').waitFor()
  await expect.poll(() => rows(second.page).count()).toBe(0)
  // A search finds it, and to open it brings it back.
  await page.locator('.find input').fill('robert')
  await rows(page).click()
  await page.getByText('Start a secure conversation').waitFor()
  await page.locator('.find input').fill('')
  for (const { page: each } of [alice, second]) await expect.poll(() => rows(each).count()).toBe(1)
  await choose('Delete chat')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete chat' }).click()
  await expect.poll(() => rows(page).count()).toBe(0)
  await bob.reads('a new start')
  await bob.says('are you there?')
  for (const { page: each } of [alice, second]) await expect.poll(() => rows(each).count()).toBe(1)
  // Once it is opened it has come back for good: without a message in it too.
  await rows(page).click()
  await alice.reads('are you there?')
  await choose('Clear chat')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Clear chat' }).click()
  await told('Chat Cleared')
  await page.goto(`${server.url}/`)
  for (const { page: each } of [alice, second]) {
    await expect.poll(() => rows(each).filter({ hasText: 'are you there?' }).count()).toBe(0)
    await expect.poll(() => rows(each).count()).toBe(1)
  }
  for (const one of [alice, second, bob]) expect(one.complaints).toEqual([])
  await second.leaves()
})
