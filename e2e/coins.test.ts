import { HDKey } from '@scure/bip32'
import { expect, test } from 'vitest'
import { startBitcoin, startEthereum, startPriceSources } from '../server/testing/chain.ts'
import { person } from './people.ts'
import { looksFine } from './screen.ts'
import { startServer } from './server.ts'

const master = HDKey.fromMasterSeed(new Uint8Array(32).fill(5))
const clock = () => new Date()
const bitcoin = await startBitcoin(clock, master.derive("m/84'/0'/0'").publicExtendedKey)
const ethereum = await startEthereum(clock, master.derive("m/44'/60'/0'").publicExtendedKey)
const sources = await startPriceSources()

test('Alice pays a month of Premium in Bitcoin: the code, the amount and the address, each confirmation, and then she may write', async () => {
  const coins = { ...bitcoin.variables, ...ethereum.variables, ...sources.variables }
  const server = await startServer({ TRUST_PROXY: '1', OUTBOUND_GUARD: 'off', ...coins })
  const alice = await person(server, 'Alice')
  await alice.signsUp()
  const { page } = alice
  await page.goto(`${server.url}/settings?tab=plan`)
  const part = page.locator('section', { has: page.getByRole('heading', { name: 'Pay by coin' }) })
  await part.getByText('This server takes Bitcoin, Ethereum, USD Coin').waitFor()
  await looksFine(page, 'plans by coin')

  // Without prices the rates are approximate, and no payment begins.
  await page.route('**/api/crypto/prices', (route) =>
    route.fulfill({ status: 503, json: { code: 'prices_unavailable', error: '' } }),
  )
  const begin = part.getByRole('button', { name: 'Pay by coin: Premium, $1,000.00 for one month' })
  await begin.click()
  const dialog = page.getByRole('dialog', { name: 'Pay Premium by coin' })
  await page.getByText('Price Update Failed', { exact: true }).waitFor()
  await dialog.getByText('about 0.02222222 BTC').waitFor()
  expect(await dialog.getByRole('button', { name: 'Continue with BTC' }).isDisabled()).toBe(true)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await page.unroute('**/api/crypto/prices')

  await begin.click()
  await dialog.getByText('about 0.01562500 BTC').waitFor()
  await looksFine(page, 'the choice of a coin')
  await dialog.getByRole('radio', { name: /Ethereum/ }).check()
  await dialog.getByRole('button', { name: 'Continue with ETH' }).click()
  await dialog.getByRole('img', { name: /^0.312500 ETH to 0x/ }).waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()

  // What was chosen last is chosen again, and the request of before waits in the list.
  await part.getByText('0.312500 ETH').waitFor()
  await page.reload()
  await begin.click()
  await expect.poll(() => dialog.getByRole('radio', { name: /Ethereum/ }).isChecked()).toBe(true)
  await dialog.getByRole('radio', { name: /Bitcoin/ }).check()
  await dialog.getByRole('button', { name: 'Continue with BTC' }).click()
  const address = (await dialog.getByText(/^bcrt1/).textContent()) ?? ''
  await dialog.getByText('0.01562500 BTC').waitFor()
  await dialog.getByText(/left at this price/).waitFor()
  await looksFine(page, 'a payment that waits')

  const hash = await bitcoin.pay(address, 2_000_000n)
  await bitcoin.mine()
  // A reload in the middle: the payment goes on, and the list shows it.
  await page.reload()
  await part.getByRole('button', { name: 'Show the payment of 0.01562500 BTC' }).click()
  const shown = page.getByRole('dialog', { name: 'Pay by coin' })
  await shown.getByText('1 of 3 confirmations').waitFor()
  await looksFine(page, 'a payment that is confirmed block by block')
  await bitcoin.mine(2)
  await page.getByText('Payment Confirmed', { exact: true }).waitFor()
  await shown.waitFor({ state: 'detached' })
  await expect.poll(() => part.getByText('Paid').count()).toBe(1)
  await page.getByRole('region', { name: 'Current plan' }).getByRole('heading', { name: 'Premium' }).waitFor()

  // What came beyond the price waits for a person, who sends it back, and then the whole payment.
  await server.account('make-admin', alice.username)
  await page.goto(`${server.url}/admin?tab=payments`)
  const review = page.getByRole('list', { name: 'Payments that need review' }).getByRole('listitem')
  await review.getByText('Too much').waitFor()
  await review.getByText('0.00437500 BTC').waitFor()
  await looksFine(page, 'a payment that needs review')
  await review.getByRole('button', { name: /^Note a refund/ }).click()
  const refund = page.getByRole('dialog', { name: 'Note a refund' })
  await refund.getByLabel('Transaction of the refund').fill('ab')
  await refund.getByRole('button', { name: 'Note the refund' }).click()
  await refund.getByText('A transaction has 64 characters').waitFor()
  await refund.getByLabel('Transaction of the refund').fill('ab'.repeat(32))
  await refund.getByRole('button', { name: 'Note the refund' }).click()
  const confirm = page.getByRole('dialog', { name: 'Confirm that it is you' })
  await confirm.getByLabel(/^Password/).fill(alice.password)
  await confirm.getByRole('button', { name: 'Confirm' }).click()
  await page.getByText('Nothing waits for you.').waitFor()
  await page.getByLabel('Address or transaction of the payment').fill(hash)
  await page.getByRole('button', { name: 'Find' }).click()
  const found = page.getByRole('list', { name: 'Payments found' }).getByRole('listitem')
  await found.getByRole('button', { name: 'Note a refund' }).click()
  await page.getByRole('textbox', { name: 'Transaction of the refund' }).fill('cd'.repeat(32))
  await page.getByRole('button', { name: 'Note the refund' }).click()
  await found.getByText('cd'.repeat(32)).waitFor()
  await looksFine(page, 'a payment that was sent back')
  await page.goto(`${server.url}/settings?tab=plan`)
  await part.getByText('Sent back').waitFor()
  await page.getByRole('region', { name: 'Current plan' }).getByRole('heading', { name: 'Free' }).waitFor()
  await alice.leaves()
  expect(alice.complaints).toEqual([])
  await server.stop()
}, 240_000)
