import type { Route } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { startSmtp } from '../server/testing/smtp.ts'
import { customer, givesTier, person, startChat } from './people.ts'
import { looksFine } from './screen.ts'
import { startServer } from './server.ts'

const smtp = await startSmtp()
const server = await startServer({ TRUST_PROXY: '1', SMTP_URL: smtp.url, SMTP_FROM: 'chat@conclave.example' })
afterAll(async () => {
  await server.stop()
  await smtp.stop()
})

test('Mia mails an invitation, which fails and then goes out; Bob joins by its link, and his rights go with her plan', async () => {
  const [mia, bob] = await Promise.all([customer(server, 'Mia'), customer(server, 'Bob')])
  const { page } = mia
  await startChat(mia, bob)
  await Promise.all([givesTier(server, mia, 'master'), givesTier(server, bob, 'free')])
  await bob.page.getByText('Free Plan Active').waitFor()
  await page.goto(`${server.url}/settings?tab=plan`)
  await page.getByRole('link', { name: 'Open your family circle' }).click()
  await page.getByRole('heading', { name: 'MASTER PLAN' }).waitFor()
  await page.getByText('No family members yet. Send your first invitation!').waitFor()
  smtp.mood = 'refuses'
  await page.getByLabel('Email Address').fill('bob@example.org')
  await page.getByLabel('Preferred Username').fill('bob')
  await page.getByRole('button', { name: 'Send Invitation' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('The mail to bob@example.org did not go out').waitFor()
  await page.locator('.toast', { hasText: 'Invitation Created' }).waitFor()
  smtp.mood = 'takes'
  await dialog.getByRole('button', { name: 'Send the mail again' }).click()
  await dialog.getByText('It was mailed to bob@example.org.').waitFor()
  await looksFine(page, 'invitation link')
  const link = (await dialog.locator('[data-link]').textContent()) ?? ''
  expect(smtp.mails).toEqual([{ to: ['bob@example.org'], lines: expect.arrayContaining([link]) }])
  await bob.page.goto(link)
  await bob.page.getByRole('heading', { name: `${mia.name} invites you to their family circle` }).waitFor()
  await bob.page.getByText(`You join as @${bob.username}`).waitFor()
  await looksFine(bob.page, 'invitation')
  await bob.page.getByRole('button', { name: 'Join' }).click()
  await bob.page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  await bob.opens(mia)
  await bob.page.getByText('Free Plan Active').waitFor({ state: 'detached' })
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('1/5').waitFor()
  await page.getByText('ACCEPTED').waitFor()
  await looksFine(page, 'family circle')

  // A stranger reads who invites, signs up with the words that the form took before its code was here, and joins.
  await page.getByLabel('Email Address').fill('carol@example.org')
  await page.getByLabel('Preferred Username').fill('carol')
  await page.getByRole('button', { name: 'Send Invitation' }).click()
  await page.locator('.toast', { hasText: 'Invitation Sent' }).waitFor()
  const second = (await dialog.locator('[data-link]').textContent()) ?? ''
  const carol = await person(server, 'Carol')
  const used = carol.page
  const typesFirst = async (route: Route) => {
    await used.getByLabel(/^Display name/).fill('Carol')
    await route.continue()
  }
  await used.route(/\/assets\/start-.*\.js$/, typesFirst, { times: 1 })
  await used.goto(second)
  await used.getByText(`${mia.name} invites you to their family circle. Create an account, or sign in, and join.`).waitFor()
  expect(await used.getByLabel(/^Display name/).inputValue()).toBe('Carol')
  await looksFine(used, 'invited stranger')
  await expect.poll(() => used.getByLabel(/^Username/).inputValue()).toBe('carol')
  await used.getByLabel(/^Username/).fill(carol.username)
  await used.getByLabel(/^Password/).fill(carol.password)
  await used.getByLabel(/^Repeat password/).fill(carol.password)
  await used.getByRole('button', { name: 'Create account' }).click()
  await used.getByRole('button', { name: 'Skip for now' }).click()
  await used.getByRole('heading', { name: `${mia.name} invites you to their family circle` }).waitFor()
  await used.getByRole('button', { name: 'Join' }).click()
  await used.getByText('People find you as').waitFor()
  await page.getByText('2/5').waitFor({ state: 'attached' })
  await givesTier(server, mia, 'premium')
  await bob.page.getByText('Free Plan Active').waitFor()
  // Whose plan has no family circle sees the chats at its address.
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor({ state: 'attached' })
  for (const one of [mia, bob, carol]) await one.leaves()
  for (const { complaints } of [mia, bob]) expect(complaints).toEqual([])
})
