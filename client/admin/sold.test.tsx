// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { type AdminPackage, adminPackagesApi } from '../../contract/admin/adminpackages.ts'
import { cardPaymentsApi } from '../../contract/money/cardpayments.ts'
import { coinAddressesApi } from '../../contract/money/coinaddresses.ts'
import {
  coinReviewsApi,
  type PaidPayment,
  type CoinReview as Review,
  type ReviewOutcome,
} from '../../contract/money/coinreviews.ts'
import { ApiError } from '../net/api.ts'
import { held, lineOf, makeAnswers, openScreen, refused, show, toasts } from '../testing/screen.tsx'
import { PackagesTab } from './PackagesTab.tsx'
import { PaymentsTab } from './PaymentsTab.tsx'

openScreen()

const ID = '7f6f4c36-9a1e-4b58-8f07-0b7f1b0f7f01'
const HASH = `0x${'ab'.repeat(32)}`

const PREMIUM: AdminPackage = {
  ...{ id: ID, name: 'Chambers', description: 'For legal teams', tier: 'premium', isActive: true, isBought: false },
  ...{ monthlyPrice: 120_050, yearlyPrice: 0, messagesLimit: -1, fileStorageGB: 5, voiceCallMinutes: -1, videoCallMinutes: 30 },
  ...{ advancedEncryption: false, prioritySupport: false, customBranding: false, apiAccess: true, displayOrder: 4 },
  ...{ stripePriceIdMonthly: 'price_1', stripePriceIdYearly: null, archivedAt: null },
  ...{ createdAt: '2026-01-01T00:00:00.000Z', updatedAt: '2026-01-01T00:00:00.000Z' },
}

function shop(packages: AdminPackage[] = [PREMIUM]) {
  const answers = makeAnswers()
  answers.on(adminPackagesApi.list, () => packages)
  return answers
}

const offline = () => {
  throw refused(0, 'offline', 'You are offline')
}
const button = (name: string | RegExp) => screen.findByRole('button', { name })
const calls = ({ asked }: ReturnType<typeof makeAnswers>) => asked.filter(({ path }) => !path.startsWith('GET'))
const asks = ({ asked }: ReturnType<typeof makeAnswers>, named: string) => asked.filter(({ path }) => path === named).length

test('A card shows what is stored of a package: prices, limits, features, and why it is not sold', async () => {
  const free = {
    ...PREMIUM,
    id: ID.replace('01', '02'),
    name: 'Guests',
    tier: 'free' as const,
    monthlyPrice: 0,
    apiAccess: false,
  }
  show(<PackagesTab />, shop([PREMIUM, { ...free, isActive: true }]))
  const card = within(await screen.findByRole('article', { name: 'Chambers' }))
  for (const words of ['PREMIUM', '$1,200.50', '$0/year', '5 GB', '30 min', 'API Access', 'price_1', 'Not set'])
    card.getByText(words)
  card.getByText('Sold by the month alone.')
  const other = within(screen.getByRole('article', { name: 'Guests' }))
  for (const words of ['FREE', 'No extra features', /Free is what every account has/]) other.getByText(words)
})

test('Packages that cannot be loaded say why, none yet says how to begin, and the archived ones are folded away', async () => {
  const answers = shop([])
  answers.on(adminPackagesApi.list, offline)
  const { person } = show(<PackagesTab />, answers)
  expect((await screen.findByRole('alert')).textContent).toBe('The packages could not be loaded. You are offline')
  answers.on(adminPackagesApi.list, () => [{ ...PREMIUM, archivedAt: '2026-02-01T00:00:00.000Z' }])
  await person.click(await button('Try again'))
  expect(await screen.findByText('No packages yet')).toBeTruthy()
  expect(screen.getByText(/^Archived [(]1[)]/)).toBeTruthy()
  // One that is archived is read only.
  expect(screen.queryByRole('button', { name: /Chambers/ })).toBeNull()
})

test('A package without a name is not sent; the first wrong field has the focus, and each says what is wrong', async () => {
  const answers = shop([])
  const { person } = show(<PackagesTab />, answers)
  await person.click(await button('Create Package'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Create New Package' }))
  expect(dialog.queryByText('Package name is required')).toBeNull()
  const price = dialog.getByLabelText('Monthly Price (cents)')
  await person.clear(price)
  await person.type(price, '-5')
  await person.click(dialog.getByRole('button', { name: 'Create Package' }))
  for (const words of ['Package name is required', 'Description is required', 'Monthly price must be non-negative'])
    dialog.getByText(words)
  expect(document.activeElement).toBe(dialog.getByLabelText('Package Name'))
  await person.type(dialog.getByLabelText('Package Name'), 'C')
  expect(dialog.queryByText('Package name is required')).toBeNull()
  expect([calls(answers), toasts()]).toEqual([[], []])
})

test('A price that the card provider does not know is said at its field, which has the focus, until something is typed', async () => {
  const answers = shop([PREMIUM])
  const message = 'The card provider knows no price with this ID'
  answers.on(adminPackagesApi.update, () => {
    throw new ApiError(400, 'wrong_price_id', message, { details: [{ path: 'stripePriceIdYearly', message }] })
  })
  const { person } = show(<PackagesTab />, answers)
  await person.click(await button(/Edit.*Chambers/))
  const dialog = within(await screen.findByRole('dialog'))
  await person.click(dialog.getByRole('button', { name: 'Update Package' }))
  await waitFor(() => expect(toasts()).toEqual([`Failed to update package: ${message}`]))
  const field = dialog.getByLabelText('Stripe Yearly Price ID')
  expect(dialog.getByText(message)).toBeTruthy()
  expect(field.getAttribute('aria-invalid')).toBe('true')
  expect(document.activeElement).toBe(field)
  await person.type(field, 'x')
  expect(dialog.queryByText(message)).toBeNull()
})

test('A new package is sent once as it was typed, and a refused one leaves the form with it', async () => {
  const answers = shop([])
  answers.on(adminPackagesApi.create, () => {
    throw refused(409, 'too_many_packages', 'There are too many packages. Delete one first')
  })
  const { person } = show(<PackagesTab />, answers)
  await person.click(await button('Create Package'))
  const dialog = within(await screen.findByRole('dialog'))
  const types = async (label: string, text: string) => {
    await person.clear(dialog.getByLabelText(label))
    await person.click(dialog.getByLabelText(label))
    await person.paste(text)
  }
  await types('Package Name', 'Chambers')
  await person.selectOptions(dialog.getByLabelText('Tier'), 'Premium')
  await types('Description', 'For legal teams')
  await types('Monthly Price (cents)', '120050')
  expect(dialog.getByText('$1,200.50')).toBeTruthy()
  await types('Yearly Price (cents)', '')
  await types('Messages Limit', '0')
  expect(dialog.getByText('0, and so it is not sold')).toBeTruthy()
  await types('Storage (GB)', '')
  await types('Video Minutes', '30')
  expect(dialog.getByText('30 min')).toBeTruthy()
  await person.click(dialog.getByRole('switch', { name: 'API Access' }))
  await person.click(dialog.getByRole('button', { name: 'Create Package' }))
  await waitFor(() => expect(toasts()).toHaveLength(1))
  expect(toasts()).toEqual(['Failed to create package: There are too many packages. Delete one first'])
  expect(dialog.getByLabelText('Package Name')).toHaveProperty('value', 'Chambers')

  const slow = held<AdminPackage>()
  answers.on(adminPackagesApi.create, () => slow.promise)
  answers.on(adminPackagesApi.list, () => [PREMIUM])
  await person.click(dialog.getByRole('button', { name: 'Create Package' }))
  // Neither a second press nor Enter nor a cancellation comes in between.
  expect(dialog.getByRole('button', { name: 'Creating...' })).toHaveProperty('disabled', true)
  await person.type(dialog.getByLabelText('Package Name'), '{Enter}')
  await person.keyboard('{Escape}')
  expect(dialog.getByLabelText('Package Name')).toHaveProperty('value', 'Chambers')
  slow.answer(PREMIUM)
  expect(await screen.findByRole('article', { name: 'Chambers' })).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(toasts()).toContain('Package created: Chambers stands in the list.')
  const [, sent, ...rest] = calls(answers)
  expect(rest).toEqual([])
  expect(sent?.input).toEqual({
    ...{ name: 'Chambers', tier: 'premium', description: 'For legal teams', monthlyPrice: 120_050, yearlyPrice: 0 },
    ...{ messagesLimit: 0, fileStorageGB: -1, videoCallMinutes: 30, displayOrder: 0 },
    ...{ advancedEncryption: false, prioritySupport: false, customBranding: false, apiAccess: true },
    ...{ stripePriceIdMonthly: null, stripePriceIdYearly: null },
  })
})

test('Of a package that was bought the tier stays; a stored limit of 0 says that saving makes it unlimited', async () => {
  const stored = { ...PREMIUM, isBought: true, messagesLimit: 0 }
  const answers = shop([stored])
  answers.on(adminPackagesApi.update, () => ({ ...stored, messagesLimit: -1 }))
  const { person } = show(<PackagesTab />, answers)
  await person.click(await button('Edit Chambers'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit Package' }))
  expect(dialog.getByText(/People have paid for this package/)).toBeTruthy()
  expect(dialog.getByLabelText('Tier')).toHaveProperty('disabled', true)
  expect(dialog.getByLabelText('Messages Limit')).toHaveProperty('value', '-1')
  expect(dialog.getByText('The stored value was 0; saving makes it unlimited')).toBeTruthy()
  await person.click(dialog.getByRole('button', { name: 'Update Package' }))
  await waitFor(() => expect(toasts()).toEqual(['Package updated: Chambers is as you have written it.']))
  expect(calls(answers)).toMatchObject([{ path: 'PUT /api/admin/packages/:id', input: { id: ID, messagesLimit: -1 } }])
  expect(asks(answers, 'GET /api/admin/packages')).toBe(2)
})

test('A package is hidden and shown, once a press, and a failure says why', async () => {
  const answers = shop()
  const hidden = { ...PREMIUM, isActive: false }
  const slow = held<AdminPackage>()
  answers.on(adminPackagesApi.toggle, () => slow.promise)
  const { person } = show(<PackagesTab />, answers)
  await person.dblClick(await button('Hide Chambers'))
  answers.on(adminPackagesApi.list, () => [hidden])
  slow.answer(hidden)
  expect(await screen.findByText('INACTIVE')).toBeTruthy()
  expect(toasts()).toEqual(['Package status updated: Chambers is hidden. Who has it keeps it.'])
  expect(calls(answers).map(({ input }) => input)).toEqual([{ id: ID, isActive: false }])
  answers.on(adminPackagesApi.toggle, offline)
  await person.click(await button('Show Chambers'))
  await waitFor(() => expect(toasts()).toContain('Failed to update package status: You are offline'))
})

test.each([
  [false, 'Nobody has bought Chambers. This cannot be undone.', 'Chambers is gone.'],
  [true, 'it is archived, not sold any more, and renewed', 'Chambers was bought before, so it is archived. Who has it keeps it.'],
])('A package that was bought (%s) is deleted only once asked: %s', async (isBought, asked, said) => {
  const answers = shop([{ ...PREMIUM, isBought }])
  answers.on(adminPackagesApi.remove, () => ({ isArchived: isBought }))
  const { person } = show(<PackagesTab />, answers)
  await person.click(await button('Delete Chambers'))
  const question = within(await screen.findByRole('alertdialog', { name: 'Are you sure you want to delete this package?' }))
  expect(question.getByText(asked, { exact: false })).toBeTruthy()
  await person.click(question.getByRole('button', { name: 'Cancel' }))
  expect(calls(answers)).toEqual([])
  answers.on(adminPackagesApi.list, () => [])
  await person.click(await button('Delete Chambers'))
  await person.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }))
  expect(await screen.findByText('No packages yet')).toBeTruthy()
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull())
  expect(toasts()).toEqual([`Package deleted: ${said}`])
})

const review = (more: Partial<Review> = {}): Review => ({
  id: ID,
  reason: 'late',
  payer: { id: ID.replace('01', '09'), username: 'Bob' },
  paymentId: ID.replace('01', '03'),
  currency: 'bitcoin',
  amount: '0.015625',
  usdCents: 100_000,
  paymentAddress: 'bc1qexampleexampleexample',
  addressIndex: 137,
  walletAddress: null,
  status: 'needs_review',
  createdAt: '2026-11-20T10:00:00.000Z',
  noticedAt: '2026-11-20T11:00:00.000Z',
  asset: 'bitcoin',
  assetAmount: '0.01',
  assetCents: 64_050,
  transactions: ['ab'.repeat(32)],
  outcomes: ['credited', 'refunded', 'kept'],
  ...more,
})

function desk(reviews: Review[], total = reviews.length) {
  const answers = makeAnswers()
  answers.on(coinReviewsApi.list, () => ({ reviews, total }))
  answers.on(cardPaymentsApi.list, () => ({ payments: [], hasMore: false }))
  answers.on(coinAddressesApi.list, () => ({ addresses: [], hasMore: false }))
  answers.on(coinAddressesApi.wallets, () => ({ wallets: [], readAt: PREMIUM.createdAt }))
  return answers
}

test.each<[ReviewOutcome, string, string, string, string]>([
  [
    'credited',
    'Give the plan',
    'Give @bob the plan?',
    'The plan of $1,000.00 begins now',
    'Plan given: @bob has the plan that was asked for.',
  ],
  [
    'withdrawn',
    'End the plan',
    'End the plan of @bob?',
    'the chain does not show it',
    'Plan ended: The payment of @bob counts as paid back.',
  ],
  ['kept', 'Dismiss', 'Dismiss this?', '0.01 BTC stays in your wallet', 'Dismissed: It stands in the audit trail.'],
])('Money that waits is settled as %s once “%s” is confirmed: %s', async (outcome, label, title, text, said) => {
  const answers = desk([review({ outcomes: [outcome] })])
  const slow = held<Record<string, never>>()
  answers.on(coinReviewsApi.settle, () => slow.promise)
  const { person } = show(<PaymentsTab />, answers)
  await person.click(await button(`${label}, 0.01 BTC of @bob`))
  const question = within(await screen.findByRole('alertdialog', { name: title }))
  expect(question.getByText(text, { exact: false })).toBeTruthy()
  expect(calls(answers)).toEqual([])
  answers.on(coinReviewsApi.list, () => ({ reviews: [], total: 0 }))
  await person.dblClick(question.getByRole('button', { name: label }))
  slow.answer({})
  expect(await screen.findByText('Nothing waits for you.')).toBeTruthy()
  expect(toasts()).toEqual([said])
  expect(calls(answers).map(({ input }) => input)).toEqual([{ reviewId: ID, outcome }])
})

test('Money says what it is worth at the price of the request, and another token only how much of it came', async () => {
  const token = `0x${'cd'.repeat(20)}`
  const other = review({ id: ID.replace('01', '02'), reason: 'wrong_token', asset: token, assetAmount: '1500', assetCents: null })
  const answers = desk([review({ reason: 'overpaid', walletAddress: 'bc1qback' }), other], 21)
  const { person } = show(<PaymentsTab />, answers)
  await screen.findByText('Too much')
  for (const words of ['· $640.50', '0.015625 BTC · $1,000.00', 'bc1qback']) lineOf('Too much').getByText(words)
  const unknown = lineOf('Another token')
  expect(unknown.getByText(`1500 units of the token ${token}`)).toBeTruthy()
  expect(unknown.queryByText(/^· [$]/)).toBeNull()
  expect(unknown.queryByText('Refund to')).toBeNull()
  await person.click(await button('Next'))
  await waitFor(() => expect(answers.asked.at(-1)?.input).toEqual({ page: 2 }))
})

test('A refund is noted by a whole transaction; a part of one stays at its field, and so does what the server refuses', async () => {
  const answers = desk([review()])
  answers.on(coinReviewsApi.settle, () => {
    throw refused(409, 'review_closed', 'Somebody has closed this already')
  })
  const { person } = show(<PaymentsTab />, answers)
  await person.click(await button('Note a refund, 0.01 BTC of @bob'))
  const dialog = within(await screen.findByRole('dialog', { name: 'Note a refund' }))
  const field = dialog.getByLabelText('Transaction of the refund')
  await person.type(field, 'abc')
  await person.click(dialog.getByRole('button', { name: 'Note the refund' }))
  expect(dialog.getByText('A transaction has 64 characters of 0-9 and a-f')).toBeTruthy()
  expect(calls(answers)).toEqual([])
  await person.clear(field)
  await person.click(field)
  await person.paste(` ${HASH} `)
  await person.click(dialog.getByRole('button', { name: 'Note the refund' }))
  await waitFor(() => expect(toasts()).toEqual(['Nothing was changed: Somebody has closed this already']))
  // The list is asked for again: somebody else was first. What was typed stays.
  await waitFor(() => expect(asks(answers, 'GET /api/admin/coin-reviews')).toBe(2))
  expect(field).toHaveProperty('value', ` ${HASH} `)
  answers.on(coinReviewsApi.settle, () => ({}))
  answers.on(coinReviewsApi.list, () => ({ reviews: [], total: 0 }))
  await person.click(dialog.getByRole('button', { name: 'Note the refund' }))
  expect(await screen.findByText('Nothing waits for you.')).toBeTruthy()
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(calls(answers).at(-1)?.input).toEqual({ reviewId: ID, outcome: 'refunded', transactionHash: HASH })
})

test('Payments that cannot be loaded say why, and those that are shown stay beside the failure', async () => {
  const answers = desk([review()])
  answers.on(coinReviewsApi.list, offline)
  const { person } = show(<PaymentsTab />, answers)
  expect((await screen.findByRole('alert')).textContent).toBe('The payments could not be loaded. You are offline')
  answers.on(coinReviewsApi.list, () => ({ reviews: [review()], total: 30 }))
  await person.click(await button('Try again'))
  expect(await screen.findByText('Too late')).toBeTruthy()
  answers.on(coinReviewsApi.list, offline)
  await person.click(await button('Next'))
  expect((await screen.findByRole('alert')).textContent).toBe('The payments may be out of date. You are offline')
  expect(screen.getByText('Too late')).toBeTruthy()
})

const paid: PaidPayment = {
  ...{ payer: review().payer, paymentId: ID, currency: 'bitcoin', amount: '0.015625', usdCents: 100_000 },
  ...{ paymentAddress: 'bc1qexampleexampleexample', addressIndex: null, walletAddress: null, status: 'confirmed' },
  ...{ createdAt: '2026-11-20T10:00:00.000Z', transactionHash: 'ab'.repeat(32), refundTransaction: null, isRefundable: true },
}

test('A payment is found by its whole address, and its refund is noted: it says so, and cannot be noted twice', async () => {
  const answers = desk([])
  answers.on(coinReviewsApi.find, () => [])
  const { person } = show(<PaymentsTab />, answers)
  const field = screen.getByLabelText('Address or transaction of the payment')
  await person.type(field, 'bc1q')
  await person.click(await button('Find'))
  expect(screen.getByText('Type the whole address or the whole transaction')).toBeTruthy()
  await person.clear(field)
  await person.click(field)
  await person.paste(paid.paymentAddress)
  await person.click(await button('Find'))
  expect(await screen.findByText('No payment has this address or transaction.')).toBeTruthy()
  answers.on(coinReviewsApi.find, () => {
    throw refused(429, 'too_many_requests', 'Too many attempts')
  })
  await person.click(await button('Find'))
  expect(await screen.findByText('Too many attempts')).toBeTruthy()
  answers.on(coinReviewsApi.find, () => [paid])
  await person.click(await button('Find'))
  const found = within(await screen.findByRole('list', { name: 'Payments found' }))
  for (const words of ['Paid', 'by @bob', '· $1,000.00']) found.getByText(words)
  await person.click(found.getByRole('button', { name: 'Note a refund' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Note a refund to @bob' }))
  expect(dialog.getByText(/^Send 0[.]015625 BTC back from your own wallet first/)).toBeTruthy()
  await person.click(dialog.getByLabelText('Transaction of the refund'))
  await person.paste(HASH)
  const noted = { ...paid, status: 'refunded' as const, isRefundable: false, refundTransaction: HASH }
  answers.on(coinReviewsApi.refund, () => noted)
  await person.click(dialog.getByRole('button', { name: 'Note the refund' }))
  expect(await found.findByText('Sent back by')).toBeTruthy()
  expect(found.getByText('Sent back')).toBeTruthy()
  expect(found.queryByRole('button', { name: 'Note a refund' })).toBeNull()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(toasts()).toEqual(['Refund noted: The plan that @bob paid for has ended.'])
  expect(calls(answers).map(({ input }) => input)).toEqual([{ id: ID, transactionHash: HASH }])
})
