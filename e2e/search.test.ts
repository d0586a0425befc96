import { expect } from 'vitest'
import { chatters, conversation, test } from './people.ts'

test('Alice finds an old message by a word, opens it where it stands, and again after a reload', async ({ alice, bob }) => {
  await conversation(alice, bob)
  await alice.says('We hid the key under the Café bridge')
  await bob.reads('We hid the key under the Café bridge')
  await chatters(
    bob,
    Array.from({ length: 150 }, (_, at) => `line ${at}`),
  )
  await alice.reads('line 149')

  const { page } = alice
  const field = page.getByPlaceholder('Search')
  const result = page.getByRole('region', { name: 'Messages' }).getByRole('link', { name: /Café bridge/ })
  const found = page.locator('.found .bub', { hasText: 'Café bridge' })
  await field.fill('cafe BRI')
  await expect.poll(() => result.locator('mark').allInnerTexts()).toEqual(['Café', 'bri'])
  await field.press('ArrowDown')
  await page.keyboard.press('Enter')
  await found.waitFor()
  expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('log')

  await page.goto(new URL('/', page.url()).href)
  await field.fill('cafe')
  await result.click()
  await found.waitFor()
  expect(page.url()).not.toContain('cafe')

  await field.fill('nobody said this')
  await page.getByText('No messages found', { exact: true }).first().waitFor()
  await field.press('Escape')
  expect(await field.inputValue()).toBe('')
})
