import { expect } from 'vitest'
import { startChat, test } from './people.ts'
import { holdsToast, looksFine } from './screen.ts'

test('A session that ended leads to /auth, which says why, and signing in again to where Alice was', async ({
  server,
  alice,
  bob,
}) => {
  await startChat(alice, bob)
  await alice.says('before')
  const { page } = alice
  const chat = new URL(page.url()).pathname
  let asked = 0
  await page.route(/\/api\/rooms\?/, (route) => {
    asked += 1
    return route.fulfill({ status: 401, json: { error: 'Not signed in', code: 'not_signed_in' } })
  })
  // After a lost connection a page reads its contacts first.
  await alice.goesOffline()
  await alice.comesBack()
  await page.waitForURL(`${server.url}/auth`)
  await page.getByText('Your session has ended. Sign in again').waitFor()
  expect(asked).toBe(1)
  await page.unroute(/\/api\/rooms\?/)
  await page.reload()
  await page.waitForURL(server.url + chat)
  await alice.reads('before')

  // A session that ends elsewhere leads to /auth too, and that address does not reveal which chat was open.
  await server.account('end-sessions', alice.username)
  await page.waitForURL(`${server.url}/auth`)
  // The page learns it from the socket or from a refused call, whichever comes first.
  await page.getByText(/You were signed out|Your session has ended/).waitFor()
  await page.getByLabel(/^Username/).fill(alice.username)
  await page.getByLabel(/^Password/).fill(alice.password)
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await page.waitForURL(server.url + chat)
  await alice.reads('before')
  await alice.says('after')
  await bob.reads('after')
})

test('A toast goes when something new begins, and an error that has a field stands there alone', async ({ alice, bob }) => {
  const { page } = alice
  const toast = page.locator('.toast')
  await page.getByRole('button', { name: 'Add by Username/Onion' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Username or onion address').fill(alice.username)
  await dialog.getByRole('button', { name: 'Add Contact' }).click()
  await dialog.getByText('You cannot add yourself').waitFor()
  expect(await toast.count()).toBe(0)
  await dialog.getByLabel('Username or onion address').fill(bob.username)
  await dialog.getByRole('button', { name: 'Add Contact' }).click()
  await toast.getByText('Contact added').waitFor()
  await holdsToast(page)
  await page.locator('a.row', { hasText: bob.name }).first().click()
  await toast.waitFor({ state: 'detached' })

  // A refusal stands in the column of the list, away from every bubble, and goes with the next attempt.
  await page.getByLabel('Message', { exact: true }).fill('hello')
  await page.keyboard.press('Enter')
  await alice.seesTick('hello', 'Sent')
  const code = 'message_limit_reached'
  await page.route('**/api/messages', (route) => route.fulfill({ status: 403, json: { error: 'Message limit reached', code } }))
  await page.keyboard.type('one too many')
  await page.keyboard.press('Enter')
  await toast.getByRole('alert').getByText('Message Limit Reached').waitFor()
  await holdsToast(page)
  // The refused words are in the field again, and no line of theirs is left.
  const field = page.getByLabel('Message', { exact: true })
  await expect.poll(() => field.inputValue()).toBe('one too many')
  const [low, high] = await Promise.all([toast.boundingBox(), page.locator('.bub').last().boundingBox()])
  expect((low?.x ?? 0) + (low?.width ?? 0)).toBeLessThan(high?.x ?? 0)
  await looksFine(page, 'toast')
  await page.unroute('**/api/messages')
  await page.keyboard.press('Enter')
  await toast.waitFor({ state: 'detached' })
  await alice.seesTick('one too many', 'Sent')

  // Who types on keeps both: the refused words stay as a line that was not sent.
  let answer: () => void = () => undefined
  const answered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route('**/api/messages', async (route) => {
    await answered
    await route.fulfill({ status: 403, json: { error: 'Message limit reached', code } })
  })
  await page.keyboard.type('refused\nand on')
  answer()
  await page.getByText('Not sent.').first().waitFor()
  await page.getByRole('button', { name: 'Retry' }).waitFor()
  expect(await field.inputValue()).toBe('and on')
  await page.unroute('**/api/messages')
  await page.getByRole('button', { name: 'Retry' }).click()
  await alice.seesTick('refused', 'Sent')
})
