import { expect } from 'vitest'
import { givesTier, testAtOwnServer as test } from './people.ts'
import { looksFine } from './screen.ts'

test('Ada buys a plan, opens its receipt by the keyboard and prints it alone; as an administrator she finds it by its number', async ({
  server,
  pair: [ada],
}) => {
  const { page } = ada
  await givesTier(server, ada, 'free')
  await page.goto(`${server.url}/subscribe`)
  await page.getByText('Nothing was paid yet.').waitFor()
  await looksFine(page, 'no receipts')
  await page.getByLabel('Name of the business').fill('Ada Lovelace Analytical Engines')
  await page.getByLabel('Address').fill('12 St James’s Square\nLondon')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Remove' }).waitFor()
  await page
    .getByRole('button', { name: /^Choose Premium/ })
    .first()
    .click()
  await page.waitForURL(/\/sandbox\/checkout\//)
  await page.getByLabel('Card number').fill('4242 4242 4242 4242')
  await page.getByRole('button', { name: /^Pay \$/ }).click()
  await page.waitForURL(/\/(subscribe|settings)/)
  await page.goto(`${server.url}/settings?tab=plan`)
  const link = page.getByRole('list', { name: 'Receipts' }).getByRole('link')
  await link.waitFor()
  await looksFine(page, 'receipts')
  await link.press('Enter')
  const paper = page.getByRole('article', { name: 'The page that is printed' })
  await paper.getByText('Ada Lovelace Analytical Engines').waitFor()
  await looksFine(page, 'a receipt')
  const number = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  expect(number).toMatch(/^TEST-\d{4}-000001$/)
  await page.reload()
  await paper.waitFor()
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  const sheet = page.locator('.receipt-sheet')
  expect(await sheet.evaluate((shown) => getComputedStyle(shown).colorScheme + getComputedStyle(shown).color)).toBe(
    'lightrgb(0, 0, 0)',
  )
  expect(await paper.isVisible()).toBe(false)
  await page.emulateMedia({ media: null, colorScheme: null })
  await page.getByRole('button', { name: 'Back to your plan' }).click()
  await link.waitFor()

  await server.account('make-admin', ada.username)
  await page.goto(`${server.url}/admin?tab=receipts`)
  await page.getByLabel('Receipt number').fill(number.toLowerCase())
  await page.keyboard.press('Enter')
  const row = page.getByRole('list', { name: 'Receipts' }).getByRole('link', { name: number })
  await row.waitFor()
  await looksFine(page, 'receipts of everybody')
  await row.press('Enter')
  await paper.waitFor()
  await looksFine(page, 'a receipt in the dashboard')
  await page.goto(`${server.url}/admin?tab=revenue`)
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download ledger' }).click()
  expect((await saved).suggestedFilename()).toMatch(/^ledger-.*\.csv$/)
  await page.getByText(/^\d+ entr(y|ies)$/).waitFor()
  await looksFine(page, 'the revenue')
})
