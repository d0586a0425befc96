import type { Person } from './person.ts'

/** The words that the page shows, once it does. */
export async function wordsOn({ page }: Person): Promise<string[]> {
  const words = page.getByRole('list', { name: 'Words of the kit' }).locator('.mono')
  await words.last().waitFor()
  return await words.allTextContents()
}

/** Types the three words that the page asks for, after a look at the page. */
export async function confirms({ page }: Person, words: string[], look?: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'I have written it down' }).click()
  await page.getByRole('heading', { name: 'Type three of the words' }).waitFor()
  await look?.()
  for (const label of await page.locator('.kit-check label').allTextContents()) {
    const place = Number(label.replace(/\D/g, ''))
    await page.getByLabel(label.trim(), { exact: true }).fill(words[place - 1] ?? '')
  }
  await page.getByRole('button', { name: 'Check' }).click()
}

/** Makes a recovery kit in the settings. Returns its words. */
export async function makesKit(one: Person): Promise<string[]> {
  await one.page.goto(`${new URL(one.page.url()).origin}/settings?tab=security`)
  await one.page.getByRole('button', { name: 'Make a recovery kit' }).click()
  const words = await wordsOn(one)
  await confirms(one, words)
  await one.page.getByRole('dialog').getByLabel('Password', { exact: true }).fill(one.password)
  await one.page.getByRole('dialog').getByRole('button', { name: /kit/i }).click()
  await one.page.getByText(/^Made /).waitFor()
  return words
}
