import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { talking as test } from './people.ts'
import { looksFine } from './screen.ts'

const FILE = 'SECURITY.md'
const messageOf = (page: Page, text: string) => page.locator('.msg').filter({ hasText: text }).last()
const bar = (page: Page) => page.getByRole('toolbar', { name: 'Selected messages' })
test('Alice selects by X, Shift and a press, copies who said what, and deletes two for everyone', async ({ alice, bob }) => {
  const { page } = alice
  for (const text of ['The archive has one door', 'It is marked', 'Hinge side left']) await alice.says(text)
  await bob.reads('Hinge side left')
  await bob.says('I will wait there')
  await alice.reads('I will wait there')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const place = await messageOf(page, 'It is marked').boundingBox()
  await messageOf(page, 'The archive has one door').focus()
  await page.keyboard.press('x')
  await bar(page).getByText('1 selected').waitFor()
  await page.keyboard.press('Escape')
  await bar(page).waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message')
  await messageOf(page, 'The archive has one door').focus()
  await page.keyboard.press('x')
  await bar(page).getByText('1 selected').waitFor()
  await page.keyboard.press('ArrowDown')
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain('It is marked')
  await page.keyboard.press('Space')
  await messageOf(page, 'I will wait there').click({ modifiers: ['Shift'] })
  await bar(page).getByText('4 selected').waitFor()
  expect(await messageOf(page, 'It is marked').boundingBox()).toEqual(place)
  await looksFine(page, 'Selected messages')
  // One of them is Bob's.
  await page.keyboard.press('Delete')
  const asked = page.getByRole('alertdialog', { name: 'Delete 4 messages?' })
  await asked.getByRole('button', { name: 'Delete for me' }).waitFor()
  expect(await asked.getByRole('button', { name: 'Delete for everyone' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  await asked.waitFor({ state: 'detached' })
  await page.keyboard.press('ControlOrMeta+c')
  await bar(page).waitFor({ state: 'detached' })
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  expect(copied.split('\n').map((line) => line.replace(/, .*[AP]M: /, ': '))).toEqual([
    'You: The archive has one door',
    'You: It is marked',
    'You: Hinge side left',
    'Bob: I will wait there',
  ])
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message')

  await messageOf(page, 'It is marked').focus()
  await page.keyboard.press('x')
  await messageOf(page, 'Hinge side left').click()
  await page.keyboard.press('Delete')
  await page.getByRole('button', { name: 'Delete for everyone' }).click()
  await expect.poll(() => bob.page.locator('.bub.deleted').count()).toBe(2)
})

test('Alice forwards a text and a file to herself and to Bob: it says so, and is a file of that chat', async ({ alice, bob }) => {
  const { page } = alice
  await bob.says('Keep the Geneva line open')
  await bob.sends(FILE)
  await alice.reads(FILE)
  await page.getByLabel('Message', { exact: true }).fill('Begun and not sent')
  await messageOf(page, 'Keep the Geneva line open').focus()
  await page.keyboard.press('x')
  await messageOf(page, FILE).click()
  await bar(page).getByText('2 selected').waitFor()
  await page.keyboard.press('f')
  const dialog = page.getByRole('dialog', { name: 'Forward' })
  await dialog.getByText('1 message, 1 file').waitFor()
  await dialog.getByText('Note to self').click()
  await dialog.getByText('Bob', { exact: true }).click()
  await looksFine(page, 'Forward')
  await dialog.getByRole('button', { name: 'Send to 2' }).click()
  await dialog.waitFor({ state: 'detached' })
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Message')
  await page.keyboard.type(' yet')
  await expect.poll(() => bob.page.locator('.msg', { hasText: 'Forwarded' }).count()).toBe(2)
  const forwarded = await bob.page.locator('.line .msg', { hasText: 'Forwarded' }).all()
  const isFile = await Promise.all(forwarded.map(async (one) => ((await one.textContent()) ?? '').includes(FILE)))
  expect(isFile).toEqual([false, true])
  const saving = bob.page.waitForEvent('download')
  await bob.page
    .getByRole('button', { name: `Save ${FILE}` })
    .last()
    .click()
  expect(await readFile(await (await saving).path(), 'utf8')).toBe(await readFile(FILE, 'utf8'))
  expect(await page.getByLabel('Message', { exact: true }).inputValue()).toBe('Begun and not sent yet')
  await page.getByRole('link', { name: /Note to self/ }).click()
  await messageOf(page, 'Keep the Geneva line open').getByText('Forwarded').waitFor()
  await messageOf(page, FILE).getByText('Forwarded').waitFor()
})

test('Alice stars messages by S and by the selection, finds them in the panel and in her notes, and Bob sees none', async ({
  alice,
  bob,
}) => {
  const { page } = alice
  await alice.opens(bob)
  await bob.says('The code of the gate is in the vault')
  await alice.reads('The code of the gate is in the vault')
  await alice.says('I will fetch it at nine')
  await bob.reads('I will fetch it at nine')
  const starOf = (text: string) => messageOf(page, text).locator('.meta .lucide-star')
  await messageOf(page, 'The code of the gate is in the vault').focus()
  await page.keyboard.press('s')
  await starOf('The code of the gate is in the vault').waitFor()
  await messageOf(page, 'I will fetch it at nine').focus()
  await page.keyboard.press('x')
  await bar(page).getByRole('button', { name: 'Star' }).click()
  await starOf('I will fetch it at nine').waitFor()
  await page.reload()
  await starOf('The code of the gate is in the vault').waitFor()

  await page.getByRole('button', { name: bob.name, exact: true }).click()
  await page.getByRole('button', { name: 'Starred messages' }).click()
  const dialog = page.getByRole('dialog', { name: 'Starred messages' })
  const lines = dialog.locator('.starred-words')
  await expect.poll(() => lines.allTextContents()).toEqual(['I will fetch it at nine', 'The code of the gate is in the vault'])
  await looksFine(page, 'Starred messages')
  await dialog.getByRole('button', { name: 'Take the star away' }).first().click()
  await expect.poll(() => lines.allTextContents()).toEqual(['The code of the gate is in the vault'])
  await starOf('I will fetch it at nine').waitFor({ state: 'detached' })
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('link', { name: /Note to self/ }).click()
  await page.getByRole('button', { name: 'Starred messages' }).click()
  await dialog.getByText('The code of the gate is in the vault').click()
  await page.locator('.line.found', { hasText: 'The code of the gate is in the vault' }).waitFor()
  expect(await bob.page.locator('.lucide-star').count()).toBe(0)
})
