import { expect } from 'vitest'
import { conversation, test } from './people.ts'
import type { Person } from './person.ts'
import { looksFine } from './screen.ts'

const said = async ({ page }: Person, title: string) => {
  const toast = page.locator('.toast', { hasText: title })
  await toast.waitFor()
  await toast.getByRole('button', { name: 'Dismiss' }).click()
  await toast.waitFor({ state: 'detached' })
}

test('Ada acts on Bob’s account: each act says so, reaches his open page, and leaves its row', async ({
  server,
  pair: [ada, bob],
}) => {
  const { page } = ada
  await conversation(ada, bob)
  const panel = bob.page.getByRole('button', { name: 'Admin Panel' })
  await bob.page.goto(`${server.url}/admin`)
  // Who is no administrator sees the chats.
  await bob.page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  await server.account('make-admin', ada.username)
  await page.getByRole('button', { name: 'Admin Panel' }).click()
  await page.getByRole('heading', { name: 'Admin Dashboard' }).waitFor()
  await page.getByPlaceholder('Search users...').fill('nobody_is_called_this')
  await page.getByText('No users found').waitFor()
  await page.getByPlaceholder('Search users...').fill(bob.username.toUpperCase())
  const row = page.locator('.user', { hasText: bob.username })
  await row.waitFor()
  await expect.poll(() => page.locator('.user').count()).toBe(1)
  await looksFine(page, 'users')

  await row.getByRole('button', { name: /^Reset/ }).click()
  await said(ada, 'Usage reset')
  // Rights and plans ask who is there, once.
  await row.getByRole('button', { name: /^[+]Admin/ }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Password/).fill('not the password')
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await dialog.getByText('The password is wrong').waitFor()
  await dialog.getByLabel(/^Password/).fill(ada.password)
  await dialog.getByRole('button', { name: 'Confirm' }).click()
  await said(ada, 'Admin privileges granted')
  // He has asked for the dashboard already.
  await bob.page.getByRole('heading', { name: 'Admin Dashboard' }).waitFor()

  await row.getByRole('button', { name: /^-Admin/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Take the rights' }).click()
  await said(ada, 'Admin privileges removed')
  await bob.page.getByText('Access Denied').waitFor()
  await bob.page.getByText('You need administrator privileges to access this page.').waitFor()
  await looksFine(bob.page, 'access denied')
  await bob.page.getByRole('button', { name: 'Go Back' }).click()
  await bob.page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  await panel.waitFor({ state: 'detached' })
  await bob.opens(ada)

  await row.getByLabel(/^Tier of/).selectOption('free')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Change the plan' }).click()
  await said(ada, 'Subscription updated')
  await bob.page.getByText('Free Plan Active').waitFor()
  await row.getByLabel(/^Tier of/).selectOption('premium')
  await said(ada, 'Subscription updated')
  await bob.page.getByText('Free Plan Active').waitFor({ state: 'detached' })

  await row.getByRole('button', { name: /^Block/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Block' }).click()
  await said(ada, 'User deactivated')
  await bob.page.getByText(/An administrator has blocked this account/).waitFor()
  await row.getByText('Inactive').waitFor()
  await row.getByRole('button', { name: /^Unblock/ }).click()
  await said(ada, 'User reactivated')
  await row.getByText('Active', { exact: true }).waitFor()

  await page.getByRole('tab', { name: 'Audit trail' }).click()
  const trail = page.getByRole('list', { name: 'Audit trail' }).getByRole('listitem')
  await expect
    .poll(() => trail.locator('.badge').allTextContents())
    .toEqual([
      ...['reactivate', 'deactivate', 'subscription', 'subscription', 'remove-admin', 'make-admin', 'reset-usage'],
      ...['make-admin', 'subscription', 'subscription'],
    ])
  await page.getByRole('button', { name: 'Check the chain' }).click()
  await page.getByText('The trail is whole.').waitFor()
  await looksFine(page, 'audit trail')
  for (const tab of ['Subscriptions', 'Analytics', 'Reports', 'System']) {
    await page.getByRole('tab', { name: tab }).click()
    await page.locator('.admin .stats, .admin .none, .admin .part').first().waitFor()
    await looksFine(page, tab)
  }
  await bob.signsIn()
  await bob.page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
})

test('Mia passes an invitation on, Bob joins by its link, and his rights go with her plan', async ({
  server,
  pair: [mia, bob],
}) => {
  const { page } = mia
  await conversation(mia, bob)
  await Promise.all([server.account('set-tier', mia.username, 'master'), server.account('set-tier', bob.username, 'free')])
  await bob.page.getByText('Free Plan Active').waitFor()
  await page.goto(`${server.url}/settings?tab=plan`)
  await page.getByRole('link', { name: 'Open your family circle' }).click()
  await page.getByRole('heading', { name: 'MASTER PLAN' }).waitFor()
  await page.getByText('No family members yet. Send your first invitation!').waitFor()
  await page.getByRole('button', { name: 'Send Invitation' }).click()
  await said(mia, 'Missing Information')
  await page.getByLabel('Email Address').fill('bob@example.org')
  await page.getByLabel('Preferred Username').fill('bob')
  await page.getByRole('button', { name: 'Send Invitation' }).click()
  const link = page.locator('[data-link]')
  await link.waitFor()
  await looksFine(page, 'invitation link')
  await bob.page.goto((await link.textContent()) ?? '')
  await bob.page.getByRole('heading', { name: `${mia.name} invites you to their family circle` }).waitFor()
  await looksFine(bob.page, 'invitation')
  await bob.page.getByRole('button', { name: 'Join' }).click()
  await bob.page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  await bob.opens(mia)
  expect(await bob.page.getByText('Free Plan Active').count()).toBe(0)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('1/5').waitFor()
  await page.getByText('ACCEPTED').waitFor()
  await looksFine(page, 'family circle')
  await server.account('set-tier', mia.username, 'premium')
  await bob.page.getByText('Free Plan Active').waitFor()
  // Whose plan has no family circle sees the chats at its address.
  await page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
})
