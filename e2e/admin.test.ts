import { expect } from 'vitest'
import { givesTier, startChat, testAtOwnServer as test } from './people.ts'
import type { Person } from './person.ts'
import { looksFine, putsAway } from './screen.ts'

const said = ({ page }: Person, title: string) => putsAway(page, title)

test('Ada acts on Bob’s account and sells him a package: each act says so, reaches his open page, leaves its row, and stands in the revenue', async ({
  server,
  pair: [ada, bob],
}) => {
  const { page } = ada
  await startChat(ada, bob)
  await givesTier(server, bob, 'free')
  const panel = bob.page.getByRole('button', { name: 'Admin Panel' })
  expect(server.output()).toContain(`no administrator yet: sign up, then open ${server.url}/admin`)
  // Whoever opens the dashboard of a server without any administrator reads how the first one is made, and needs the server's machine.
  await page.goto(`${server.url}/admin`)
  const first = page.getByRole('dialog', { name: 'No administrator yet' })
  const command = await first.locator('[data-command]').textContent()
  expect(command).toBe(`npm run account -- make-admin ${ada.username}`)
  await looksFine(page, 'first administrator')
  await server.account(...(command ?? '').split(' ').slice(4))
  await page.getByRole('heading', { name: 'Admin Dashboard' }).waitFor()
  await first.waitFor({ state: 'detached' })
  await page.goto(`${server.url}/`)
  const asked = bob.page.waitForResponse('**/api/admin/first')
  await bob.page.goto(`${server.url}/admin`)
  // Who is no administrator sees the chats, and from now on nothing of that.
  await asked
  await bob.page.getByRole('button', { name: 'Add by Username/Onion' }).waitFor()
  expect(await bob.page.getByRole('dialog').count()).toBe(0)
  await page.getByRole('button', { name: 'Admin Panel' }).click()
  await page.getByRole('heading', { name: 'Admin Dashboard' }).waitFor()
  await page.getByPlaceholder('Search users...').fill(bob.username.toUpperCase())
  const row = page.locator('.user', { hasText: bob.username })
  await row.waitFor()
  await expect.poll(() => page.locator('.user').count()).toBe(1)
  await looksFine(page, 'users')
  const reset = row.getByRole('button', { name: /^Reset/ })
  await reset.press('Enter')
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset' }).press('Enter')
  await page.locator('.toast', { hasText: 'Usage reset' }).waitFor()
  // Whoever works by keyboard goes on where they were.
  await expect.poll(() => reset.evaluate((button) => button === document.activeElement)).toBe(true)
  await said(ada, 'Usage reset')
  // Rights, blocks and plans ask who is there, once.
  await row.getByRole('button', { name: /^[+]Admin/ }).click()
  const dialog = page.getByRole('dialog')
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

  // What she sells, and what becomes of it.
  await page.getByRole('tab', { name: 'Packages' }).click()
  await page.getByRole('button', { name: 'Create Package' }).click()
  const making = page.getByRole('dialog', { name: 'Create New Package' })
  await looksFine(page, 'the dialog of a package')
  await making.getByLabel('Package Name').fill('Chambers')
  await making.getByLabel('Tier').selectOption('premium')
  await making.getByLabel('Description').fill('For legal teams')
  await making.getByLabel('Monthly Price (cents)').fill('120000')
  await making.getByRole('switch', { name: 'API Access' }).check()
  await making.getByRole('button', { name: 'Create Package' }).click()
  await said(ada, 'Package created')
  const card = page.getByRole('article', { name: 'Chambers' })
  for (const text of ['PREMIUM', '$1,200', 'API Access']) await card.getByText(text).waitFor()
  await looksFine(page, 'packages')

  await bob.page.goto(`${server.url}/subscribe`)
  await bob.page.getByRole('button', { name: 'Choose Chambers' }).click()
  await bob.page.waitForURL(/\/sandbox\/checkout\//)
  await bob.page.getByLabel('Card number').fill('4242 4242 4242 4242')
  await bob.page.getByRole('button', { name: 'Pay $1,200.00' }).click()
  await bob.page.getByText('Your payment is confirmed').waitFor()
  await page.reload()
  await card.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click()
  await said(ada, 'Package deleted')
  await page.getByText('Archived (1)').waitFor()
  await page.getByRole('tab', { name: 'Revenue' }).click()
  for (const text of ['Monthly recurring revenue', '$14,400', 'Payment provider connected.'])
    await page.getByText(text).first().waitFor()
  await looksFine(page, 'revenue')

  await bob.page.goto(server.url)
  await bob.opens(ada)
  await page.getByRole('tab', { name: 'Users' }).click()
  await page.getByPlaceholder('Search users...').fill(bob.username)

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
      ...[
        'reactivate',
        'deactivate',
        'delete-package',
        'create-package',
        'remove-admin',
        'make-admin',
        'reset-usage',
        'make-admin',
      ],
      ...['subscription', 'subscription', 'subscription'],
    ])
  await page.getByRole('button', { name: 'Check the chain' }).click()
  await page.getByText('The trail is whole.').waitFor()
  await looksFine(page, 'audit trail')
  for (const tab of ['Subscriptions', 'Analytics', 'Reports', 'System']) {
    await page.getByRole('tab', { name: tab }).click()
    await page.locator('.admin .stats, .admin .none, .admin .part').first().waitFor()
    await looksFine(page, tab)
  }
  // On a phone the tabs are one line, which shows the chosen one.
  await page.setViewportSize({ width: 360, height: 780 })
  const tabs = page.getByRole('tab')
  for (const key of ['Home', 'End']) {
    await page.getByRole('tab', { selected: true }).press(key)
    const chosen = tabs.nth(key === 'Home' ? 0 : 8)
    await expect
      .poll(() =>
        chosen.evaluate((tab) => tab.getBoundingClientRect().left >= 0 && tab.getBoundingClientRect().right <= innerWidth),
      )
      .toBe(true)
  }
  expect(new Set(await tabs.evaluateAll((all) => all.map((tab) => tab.getBoundingClientRect().top))).size).toBe(1)
})
