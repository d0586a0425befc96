import { expect, test } from 'vitest'
import { COIN_POLLS } from '../contract/money/coins.ts'
import { accountKeys, startBitcoin, startEthereum, startPriceSources } from '../server/testing/chain.ts'
import { customer, startChat } from './people.ts'
import { looksFine } from './screen.ts'
import { startServer } from './server.ts'

const keys = accountKeys(5)
const clock = () => new Date()
const bitcoin = await startBitcoin(clock, keys.bitcoin)
const ethereum = await startEthereum(clock, keys.ethereum)
const sources = await startPriceSources()

test('Alice, led to the plans by a chat, pays a month of Premium in Bitcoin: the code, the amount and the address, and then the chat with her words', async () => {
  const coins = { ...bitcoin.variables, ...ethereum.variables, ...sources.variables }
  const server = await startServer({ TRUST_PROXY: '1', OUTBOUND_GUARD: 'off', ...coins })
  const [alice, bob] = await Promise.all([customer(server, 'Alice', { isFree: true }), customer(server, 'Bob')])
  const { page } = alice
  await startChat(bob, alice)
  await alice.opens(bob)
  const chat = page.url()
  const field = page.getByLabel('Message', { exact: true })
  await field.click()
  await page.keyboard.type('paid by a coin')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'View All Plans' }).click()
  const part = page.locator('section', { has: page.getByRole('heading', { name: 'Pay by coin' }) })
  await part.getByText('This server takes Bitcoin, Ethereum, USD Coin').waitFor()
  await looksFine(page, 'plans by coin')

  const begin = part.getByRole('button', { name: 'Pay by coin: Premium, $1,000.00 for one month' })
  const dialog = page.getByRole('dialog', { name: 'Pay Premium by coin' })
  await begin.click()
  await dialog.getByText('about 0.01562500 BTC').waitFor()
  await looksFine(page, 'the choice of a coin')
  await dialog.getByRole('button', { name: 'Continue with BTC' }).click()
  const address = (await dialog.getByText(/^bcrt1/).textContent()) ?? ''
  await dialog.getByRole('img', { name: /^0.01562500 BTC to bcrt1/ }).waitFor()
  await dialog.getByText(/left at this price/).waitFor()
  await looksFine(page, 'a payment that waits')

  const hash = await bitcoin.pay(address, 2_000_000n)
  await bitcoin.mine(3)
  // A reload in the middle: the payment goes on, and the list shows it. From here on the page's clock is the test's.
  await page.clock.install()
  await page.reload()
  await part.getByRole('button', { name: 'Show the payment of 0.01562500 BTC' }).click()
  const shown = page.getByRole('dialog', { name: 'Pay by coin' })
  await shown.waitFor()
  await looksFine(page, 'a payment on its way')
  // It asks each ten seconds, and closes by itself once the month is paid: the next keys go behind the words that were kept.
  await expect
    .poll(
      async () => {
        await page.clock.fastForward(COIN_POLLS.paymentMs)
        return shown.count()
      },
      { interval: 250 },
    )
    .toBe(0)
  await page.getByText(/^Premium until [A-Z][a-z]+ \d+/).waitFor()
  expect(new URL(page.url()).pathname).toBe(new URL(chat).pathname)
  await expect.poll(() => field.inputValue()).toBe('paid by a coin')
  await expect.poll(() => field.evaluate((shown) => shown === document.activeElement)).toBe(true)
  await page.keyboard.type(', at once')
  await page.keyboard.press('Enter')
  await bob.reads('paid by a coin, at once')
  await page.goto(`${server.url}/settings?tab=plan`)
  await part.getByText('Paid').waitFor()
  await page.getByRole('region', { name: 'Current plan' }).getByRole('heading', { name: 'Premium' }).waitFor()

  // What came beyond the price waits for a person, who sends it back.
  await server.account('make-admin', alice.username)
  await page.goto(`${server.url}/admin?tab=payments`)
  const review = page.getByRole('list', { name: 'Payments that need review' }).getByRole('listitem')
  await review.getByText('Too much').waitFor()
  await review.getByText('0.00437500 BTC').waitFor()
  await looksFine(page, 'a payment that needs review')
  await review.getByRole('button', { name: /^Note a refund/ }).click()
  const refund = page.getByRole('dialog', { name: 'Note a refund' })
  await refund.getByLabel('Transaction of the refund').fill('ab'.repeat(32))
  await refund.getByRole('button', { name: 'Note the refund' }).click()
  const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await confirm.getByLabel(/^Password/).fill(alice.password)
  await confirm.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Nothing waits for you.').waitFor()
  await page.getByLabel('Address or transaction of the payment').fill(hash)
  await page.getByRole('button', { name: 'Find' }).click()
  await page.getByRole('list', { name: 'Payments found' }).getByRole('listitem').waitFor()
  await looksFine(page, 'a payment that was found')
  await Promise.all([alice, bob].map((one) => one.leaves()))
  expect([...alice.complaints, ...bob.complaints]).toEqual([])
  await server.stop()
}, 240_000)
