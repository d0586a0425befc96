import { expect } from 'vitest'
import { givesTier, startChat, test } from './people.ts'
import type { Person } from './person.ts'
import { looksFine, opensNotices } from './screen.ts'

const button = ({ page }: Person, name: string | RegExp) => page.getByRole('button', { name })

test('Alice, on the free plan, buys Premium by a test card from the dialog, and sends; she cancels, keeps it, and is paid back', async ({
  server,
  alice,
  bob,
}) => {
  await startChat(alice, bob)
  await givesTier(server, alice, 'free')
  const chat = alice.page.url()
  await alice.page.getByText('Free Plan Active').waitFor()
  for (const way of ['Attach files', 'Record a voice message']) {
    await button(alice, way).click()
    await alice.page.getByRole('dialog', { name: 'Subscription Required' }).getByText('to share files').waitFor()
    await button(alice, 'Maybe Later').click()
  }
  await button(alice, 'View subscription plans').click()
  await button(alice, 'Maybe Later').click()
  const field = alice.page.getByLabel('Message', { exact: true })
  await field.click()
  await alice.page.keyboard.type('sent on a plan that was paid')
  await alice.page.keyboard.press('Enter')
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

  // The same chat, with the words that were kept: the next keys go behind them.
  await alice.page.getByText(/^Premium until [A-Z][a-z]+ \d+/).waitFor()
  expect(new URL(alice.page.url()).pathname).toBe(new URL(chat).pathname)
  await expect.poll(() => field.inputValue()).toBe('sent on a plan that was paid')
  await expect.poll(() => field.evaluate((shown) => shown === document.activeElement)).toBe(true)
  await looksFine(alice.page, 'a chat whose plan was just paid')
  await alice.page.keyboard.type(', at once')
  await alice.page.keyboard.press('Enter')
  await bob.reads('sent on a plan that was paid, at once')

  await alice.page.goto(new URL('/subscribe', chat).href)
  const own = alice.page.getByRole('region', { name: 'Current plan' })
  await own.getByRole('heading', { name: 'Premium' }).waitFor()
  await own.getByText(/^Renews /).waitFor()
  await looksFine(alice.page, 'the plans')

  await button(alice, 'Downgrade to Free').click()
  await own.getByText(/^Ends /).waitFor()
  await button(alice, 'Keep my plan').click()
  await own.getByText(/^Renews /).waitFor()
  await button(alice, 'Refund').click()
  await dialog.getByRole('button', { name: 'Refund $1,000' }).click()
  await own.getByRole('heading', { name: 'Free' }).waitFor()
  // The dialog that asked goes by itself.
  await expect.poll(() => button(alice, 'Refund').count()).toBe(0)
  // Nothing is waited for any more.
  expect(await alice.page.getByText('We wait for the card provider').count()).toBe(0)
  expect(await server.account('check-ledger')).toContain('what the ledger says')
}, 240_000)

test('Alice’s bank asks for 3-D Secure in an upgrade: what waits outlives the tab, and the plan counts once she confirms', async ({
  server,
  alice,
}) => {
  await givesTier(server, alice, 'free')
  const plans = new URL('/subscribe', alice.page.url()).href
  const own = alice.page.getByRole('region', { name: 'Current plan' })
  const confirms = () => button(alice, 'Complete authentication').click()
  await alice.page.goto(plans)
  await button(alice, 'Choose Test').click()
  await alice.page.getByLabel('Card number').fill('4000 0027 6000 3184')
  await button(alice, 'Pay $1.00').click()
  await confirms()
  await alice.page.getByText('Your payment is confirmed').waitFor()
  await own.getByRole('heading', { name: 'Test' }).waitFor()

  await button(alice, 'Choose Premium').click()
  await alice.page.getByRole('dialog').getByRole('button', { name: 'Pay $999' }).click()
  await alice.page.waitForURL(/\/sandbox\/invoice\//)
  await looksFine(alice.page, 'an invoice of the sandbox')
  // The tab is closed before the bank has asked; the app says what is left wherever it is opened.
  await alice.page.goto(new URL('/', plans).href)
  const reminder = await opensNotices(alice.page, 'One step is left')
  await looksFine(alice.page, 'the reminder of a payment')
  await reminder.getByRole('link', { name: 'Confirm payment' }).click()
  await own.getByRole('heading', { name: 'Test' }).waitFor()
  await looksFine(alice.page, 'a payment that waits')
  await button(alice, 'Confirm payment').click()
  await button(alice, 'Pay $999.00').click()
  await button(alice, 'Fail authentication').click()
  await alice.page.getByText('Your bank did not confirm').waitFor()
  await button(alice, 'Pay $999.00').click()
  await confirms()
  await alice.page.getByRole('heading', { name: 'Paid' }).waitFor()
  await alice.page.getByRole('link', { name: 'Back to Conclave' }).click()
  await own.getByRole('heading', { name: 'Premium' }).waitFor()
  await expect.poll(() => button(alice, 'Confirm payment').count()).toBe(0)

  // The next renewal is declined: the app says so, and it can be put off.
  await button(alice, 'Card and invoices').click()
  await alice.page.getByLabel('Card number').fill('4000 0000 0000 0002')
  await button(alice, 'Save the card').click()
  await button(alice, 'End the period now').click()
  await alice.page.getByText('past_due').waitFor()
  await alice.page.goto(new URL('/', plans).href)
  await (await opensNotices(alice.page, 'The last payment failed')).getByRole('button', { name: 'Later' }).click()
  await reminder.waitFor({ state: 'detached' })
  await alice.page.goto(plans)
  await button(alice, 'Pay $1,000').waitFor()
  expect(await server.account('check-ledger')).toContain('what the ledger says')
}, 240_000)
