import { expect } from 'vitest'
import { conversation, test } from './people.ts'
import type { Person } from './person.ts'
import { looksFine } from './screen.ts'

const button = ({ page }: Person, name: string | RegExp) => page.getByRole('button', { name })

test('Alice, on the free plan, buys Premium by a test card from the dialog, and sends; she cancels, keeps it, and is paid back', async ({
  server,
  alice,
  bob,
}) => {
  await conversation(alice, bob)
  await server.account('set-tier', alice.username, 'free')
  const chat = alice.page.url()
  await alice.page.getByText('Free Plan Active').waitFor()
  await button(alice, 'View subscription plans').click()
  const dialog = alice.page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Choose Premium' }).waitFor()
  await dialog.getByText('Sandbox, no real money').waitFor()
  await looksFine(alice.page, 'the upgrade dialog')
  await dialog.getByRole('button', { name: 'Choose Premium' }).click()

  // The provider's page, which has no script and no session.
  await alice.page.waitForURL(/\/sandbox\/checkout\//)
  await looksFine(alice.page, 'the checkout of the sandbox')
  await alice.page.getByLabel('Card number').fill('4000 0000 0000 0002')
  await button(alice, 'Pay $1,000.00').click()
  await alice.page.getByText('Your card was declined.').waitFor()
  await alice.page.getByLabel('Card number').fill('4242 4242 4242 4242')
  await button(alice, 'Pay $1,000.00').click()

  await alice.page.waitForURL(/\/subscribe\?paid=yes/)
  await alice.page.getByText('Your payment is confirmed').waitFor()
  const own = alice.page.getByRole('region', { name: 'Current plan' })
  await own.getByRole('heading', { name: 'Premium' }).waitFor()
  await own.getByText(/^Renews /).waitFor()
  await looksFine(alice.page, 'the plans')
  await alice.page.goto(chat)
  await alice.says('sent on a plan that was paid')
  await bob.reads('sent on a plan that was paid')

  await alice.page.goto(new URL('/subscribe', chat).href)
  await button(alice, 'Downgrade to Free').click()
  await own.getByText(/^Ends /).waitFor()
  await button(alice, 'Keep my plan').click()
  await own.getByText(/^Renews /).waitFor()
  await button(alice, 'Refund').click()
  await dialog.getByRole('button', { name: 'Refund $1,000' }).click()
  await own.getByRole('heading', { name: 'Free' }).waitFor()
  expect(await button(alice, 'Refund').count()).toBe(0)
  expect(await server.account('check-ledger')).toContain('what the ledger says')
})
