// @vitest-environment happy-dom
import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { accountApi } from '../../../contract/account/account.ts'
import { COIN_POLLS, type CoinPayment, coinsApi } from '../../../contract/money/coins.ts'
import type { Subscription } from '../../../contract/money/payments.ts'
import { connectionStore } from '../../net/status.ts'
import { makeAnswers, openScreen, refused, show, toasts } from '../../testing/screen.tsx'
import { plansStore } from '../plans/store.ts'
import { CoinDialog } from './CoinDialog.tsx'
import { CoinPart } from './CoinPart.tsx'
import type { Offer, Wish } from './coins.ts'
import { PaymentSheet } from './PaymentSheet.tsx'
import { paymentsStore } from './store.ts'

openScreen()
beforeEach(() => {
  paymentsStore.setState({ payments: [] })
  plansStore.setState(plansStore.getInitialState())
})

const ID = '7f6f4c36-9a1e-4b58-8f07-0b7f1b0f7f01'
const HASH = 'ab'.repeat(32)
const wish: Wish = { packageId: 'test', name: 'Premium', billingPeriod: 'monthly', cents: 100_000 }
const taken: Offer['currencies'] = ['bitcoin', 'usdc']
const offer: Offer = { currencies: taken, preferred: 'bitcoin', walletAddress: '', wishes: [wish] }
const PRICES = { prices: { bitcoin: 64_000, ethereum: 2_000, usdc: 1 }, timestamp: '2026-11-25T10:00:00.000Z', isStale: false }

const payment = (more: Partial<CoinPayment> = {}): CoinPayment => ({
  id: ID,
  packageId: 'test',
  billingPeriod: 'monthly',
  currency: 'bitcoin',
  amount: '0.015625',
  receivedAmount: '0',
  dueAmount: '0.015625',
  usdAmount: '1000.00',
  paymentAddress: 'bc1qexampleexampleexample',
  paymentUri: 'bitcoin:bc1qexampleexampleexample?amount=0.015625',
  status: 'pending',
  expiresAt: new Date(Date.now() + 30 * 60_000).toISOString(),
  createdAt: '2026-11-25T10:00:00.000Z',
  confirmedAt: null,
  transactionHash: null,
  refundTransaction: null,
  blockConfirmations: 0,
  ...more,
})

/** A server that takes coins at these prices. */
function market() {
  const answers = makeAnswers()
  answers.on(coinsApi.prices, () => PRICES)
  answers.on(coinsApi.checkPayment, () => payment())
  return answers
}

test('Alice chooses a coin, and sees the exact amount and address that the server names', async () => {
  const answers = market()
  answers.on(coinsApi.createPayment, ({ currency }) => payment({ currency, amount: '1000', dueAmount: '1000' }))
  answers.on(coinsApi.checkPayment, () => payment({ currency: 'usdc', amount: '1000', dueAmount: '1000' }))
  const { person } = show(<CoinDialog wish={wish} offer={offer} onClose={() => undefined} />, answers)
  expect(await screen.findByText('about 0.01562500 BTC · 3 confirmations')).toBeTruthy()
  await person.click(screen.getByRole('radio', { name: /USD Coin/ }))
  await person.type(screen.getByLabelText(/Refund address/), '0x52908400098527886E0F7030069857D2E4169EE7')
  await person.click(screen.getByRole('button', { name: 'Continue with USDC' }))
  expect(await screen.findByText('1000 USDC')).toBeTruthy()
  expect(screen.getByText('bc1qexampleexampleexample')).toBeTruthy()
  expect(answers.asked.find(({ path }) => path.startsWith('POST'))?.input).toEqual({
    packageId: 'test',
    billingPeriod: 'monthly',
    currency: 'usdc',
    walletAddress: '0x52908400098527886E0F7030069857D2E4169EE7',
  })
})

test('Beside a card that renews the form says until when it is paid, and that the coin ends it', async () => {
  const card = {
    tier: 'premium',
    packageId: null,
    billingPeriod: 'monthly',
    hasFailed: false,
    graceUntil: null,
    waiting: null,
  } as const
  const subscription: Subscription = {
    ...{ tier: 'premium', packageId: null, endDate: null, hasInvoices: true, refundableCents: null, cardProvider: 'stripe' },
    ...{
      card: { ...card, renews: true, periodEnd: '2026-12-25T10:00:00.000Z' },
      masterPrice: { monthlyCents: null, yearlyCents: null },
    },
  }
  plansStore.setState({ subscription })
  const answers = market()
  answers.on(coinsApi.createPayment, () => payment())
  const { person } = show(<CoinDialog wish={wish} offer={offer} onClose={() => undefined} />, answers)
  expect(await screen.findByText(/^Your card would be charged again on Dec 25, 2026/)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Continue with BTC' }))
  await screen.findByText('bc1qexampleexampleexample')
  expect(answers.asked.find(({ path }) => path.startsWith('POST'))?.input).toMatchObject({ endsCard: true })
})

test('The coin that Alice chose last is chosen again', async () => {
  show(<CoinDialog wish={wish} offer={{ ...offer, preferred: 'usdc' }} onClose={() => undefined} />, market())
  expect(await screen.findByRole('radio', { name: /USD Coin/ })).toHaveProperty('checked', true)
  expect(screen.getByRole('button', { name: 'Continue with USDC' })).toBeTruthy()
})

test('The code of a payment says how much goes where', async () => {
  show(<PaymentSheet first={payment()} onClose={() => undefined} />, market())
  expect(await screen.findByRole('img', { name: '0.015625 BTC to bc1qexampleexampleexample' })).toBeTruthy()
  expect(await screen.findByText(/left at this price/)).toBeTruthy()
})

test('At approximate rates nothing can be paid, and the toast says so', async () => {
  const answers = market()
  answers.on(coinsApi.prices, () => {
    throw refused(503, 'prices_unavailable', 'No price is known')
  })
  show(<CoinDialog wish={wish} offer={offer} onClose={() => undefined} />, answers)
  const action = await screen.findByRole('button', { name: 'Continue with BTC' })
  expect(action).toHaveProperty('disabled', true)
  expect(screen.getByText(/These are approximate rates/)).toBeTruthy()
  expect(toasts()).toEqual(['Price Update Failed: Using approximate exchange rates'])
})

test('A payment that the server refuses leaves the form with what was typed', async () => {
  const answers = market()
  answers.on(coinsApi.createPayment, () => {
    throw refused(429, 'too_many_requests', 'Too many payment requests')
  })
  const { person } = show(<CoinDialog wish={wish} offer={offer} onClose={() => undefined} />, answers)
  await person.type(await screen.findByLabelText(/Refund address/), 'bc1qmineminemineminemine')
  await person.click(screen.getByRole('button', { name: 'Continue with BTC' }))
  await waitFor(() => expect(toasts()).toEqual(['Payment Creation Failed: Failed to create crypto payment']))
  expect(screen.getByText(/^Too many payment requests/)).toBeTruthy()
  expect(screen.getByLabelText(/Refund address/)).toHaveProperty('value', 'bc1qmineminemineminemine')
  expect(screen.getByRole('button', { name: 'Continue with BTC' })).toHaveProperty('disabled', false)
})

test.each([
  [{ status: 'pending' }, 'Waiting for the payment'],
  [{ status: 'pending', receivedAmount: '0.01' }, '0.01 of 0.015625 BTC has come. Send the rest to the same address'],
  [{ status: 'confirming', blockConfirmations: 2 }, '2 of 3 confirmations'],
  [{ status: 'expired' }, 'Expired: nothing has come in time'],
  [{ status: 'needs_review' }, 'Money has come that a person looks at. It is not lost'],
  [{ status: 'refunded' }, 'Sent back'],
] as const)('A payment in the state %o says “%s”', async (state, words) => {
  const answers = market()
  answers.on(coinsApi.checkPayment, () => payment(state))
  show(<PaymentSheet first={payment(state)} onClose={() => undefined} />, answers)
  expect(await screen.findByText(words)).toBeTruthy()
})

test('Once the time is over nothing asks for money any more, though the server does not know yet what has come', async () => {
  const over = { expiresAt: new Date(Date.now() - 1000).toISOString() }
  const answers = market()
  answers.on(coinsApi.checkPayment, () => payment(over))
  show(<PaymentSheet first={payment(over)} onClose={() => undefined} />, answers)
  expect(await screen.findByText('The time is over. Looking for what was sent in time...')).toBeTruthy()
  expect(screen.getByText('Send nothing more to this address.')).toBeTruthy()
  expect(screen.queryByRole('img')).toBeNull()
  expect(screen.queryByText('0.015625 BTC')).toBeNull()
  expect(screen.queryByRole('link', { name: 'Open in a wallet' })).toBeNull()
  // Who has sent it may say so.
  expect(screen.getByText('Sent already?')).toBeTruthy()
})

test('A payment that is seen as paid says so once, asks for the plan and closes', async () => {
  const answers = market()
  answers.on(coinsApi.checkPayment, () => payment({ status: 'confirmed', confirmedAt: '2026-11-25T10:20:00.000Z' }))
  answers.on(accountApi.user, () => {
    throw refused(0, 'offline', 'You are offline')
  })
  const onClose = vi.fn()
  show(<PaymentSheet first={payment()} onClose={onClose} />, answers)
  await waitFor(() => expect(toasts()).toHaveLength(1))
  expect(onClose).toHaveBeenCalledOnce()
  expect(toasts()).toEqual(['Payment Confirmed: Your plan counts from now on'])
  expect(answers.asked.filter(({ path }) => path === 'GET /api/user')).toHaveLength(1)
})

test('Without the server the sheet keeps what it knows, and takes the news once it is back', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  try {
    const answers = market()
    answers.on(coinsApi.checkPayment, () => {
      throw refused(0, 'offline', 'You are offline')
    })
    show(<PaymentSheet first={payment()} onClose={() => undefined} />, answers)
    expect(await screen.findByText(/There is no connection to the server/)).toBeTruthy()
    expect(screen.getByText('0.015625 BTC')).toBeTruthy()
    answers.on(coinsApi.checkPayment, () => payment({ status: 'confirming', blockConfirmations: 1 }))
    await act(() => vi.advanceTimersByTimeAsync(COIN_POLLS.paymentMs))
    expect(await screen.findByText('1 of 3 confirmations')).toBeTruthy()
    expect(screen.queryByText(/There is no connection to the server/)).toBeNull()
  } finally {
    vi.useRealTimers()
  }
})

test('A transaction that is none is refused at its field and stays; a right one is looked for', async () => {
  const answers = market()
  answers.on(coinsApi.submitTransaction, () => payment({ transactionHash: HASH }))
  const { person } = show(<PaymentSheet first={payment()} onClose={() => undefined} />, answers)
  await person.click(screen.getByText('Sent already?'))
  const field = screen.getByLabelText('Transaction')
  await person.type(field, 'abc')
  await person.click(screen.getByRole('button', { name: 'Look for it' }))
  expect(screen.getByText('A transaction has 64 characters of 0-9 and a-f')).toBeTruthy()
  expect(field).toHaveProperty('value', 'abc')
  expect(answers.asked.filter(({ path }) => path.startsWith('POST'))).toEqual([])
  await person.clear(field)
  await person.type(field, HASH)
  await person.click(screen.getByRole('button', { name: 'Look for it' }))
  expect(await screen.findByText(/The server looks for it every 30 seconds/)).toBeTruthy()
})

test('An expired payment offers to start again', async () => {
  const answers = market()
  answers.on(coinsApi.checkPayment, () => payment({ status: 'expired' }))
  const onAgain = vi.fn()
  const { person } = show(
    <PaymentSheet first={payment({ status: 'expired' })} onClose={() => undefined} onAgain={onAgain} />,
    answers,
  )
  await person.click(screen.getByRole('button', { name: 'Start again' }))
  expect(onAgain).toHaveBeenCalledOnce()
})

test('The plan tab lists what can be bought by coin and what was asked for, and opens it again', async () => {
  const answers = market()
  answers.on(coinsApi.currencies, () => ({
    currencies: taken,
    preferred: 'bitcoin' as const,
    walletAddress: null,
    packages: [{ id: 'test', name: 'Premium', monthlyPrice: 100_000, yearlyPrice: 1_000_000 }],
  }))
  answers.on(coinsApi.payments, () => [payment({ status: 'expired' })])
  answers.on(coinsApi.checkPayment, () => payment({ status: 'expired' }))
  const { person } = show(<CoinPart />, answers)
  expect(await screen.findByText('$1,000.00 for one month')).toBeTruthy()
  expect(screen.getByText('$10,000.00 for one year')).toBeTruthy()
  expect(screen.getByText(/This server takes Bitcoin, USD Coin[.]/)).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Show the payment of 0.015625 BTC' }))
  const dialog = await screen.findByRole('dialog')
  expect(within(dialog).getByText('Expired: nothing has come in time')).toBeTruthy()
})

test('Where the server takes no coin and none was asked for, nothing is shown', async () => {
  const answers = market()
  answers.on(coinsApi.currencies, () => ({ currencies: [], preferred: 'bitcoin' as const, walletAddress: null, packages: [] }))
  answers.on(coinsApi.payments, () => [])
  show(<CoinPart />, answers)
  await waitFor(() => expect(answers.asked).toHaveLength(2))
  expect(screen.queryByText('Pay by coin')).toBeNull()
  expect(connectionStore.getState().phase).toBe('open')
})

const CHAT = '/chat/dm_1_2'
const address = () => location.pathname + location.search

/** A server where Alice, whom a chat has led to the plans, can ask for one payment; `at.status` is what the chain shows. */
function paying() {
  const answers = market()
  const at: { status: CoinPayment['status'] } = { status: 'pending' }
  answers.on(coinsApi.currencies, () => ({
    currencies: taken,
    preferred: 'bitcoin' as const,
    walletAddress: null,
    packages: [{ id: 'test', name: 'Premium', monthlyPrice: 100_000, yearlyPrice: 0 }],
  }))
  let isAsked = false
  answers.on(coinsApi.createPayment, () => {
    isAsked = true
    return payment()
  })
  answers.on(coinsApi.payments, () => (isAsked ? [payment({ status: at.status })] : []))
  answers.on(coinsApi.checkPayment, () => payment({ status: at.status }))
  answers.on(accountApi.user, () => {
    throw refused(0, 'offline', 'You are offline')
  })
  sessionStorage.clear()
  history.replaceState({ askedIn: CHAT }, '', '/subscribe')
  return { answers, at }
}

type Person = ReturnType<typeof show>['person']
async function asks(person: Person) {
  await person.click(await screen.findByRole('button', { name: /^Pay by coin: Premium/ }))
  await person.click(await screen.findByRole('button', { name: 'Continue with BTC' }))
  await screen.findByText('bc1qexampleexampleexample')
}
const isShownIn = async (look: () => void) => waitFor(look, { timeout: 30_000 })

test('Whoever looks at the payment as it is confirmed is in the chat that asked for the plan, and is told there', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  try {
    const { answers, at } = paying()
    const { person } = show(<CoinPart />, answers)
    await asks(person)
    at.status = 'confirmed'
    await act(() => vi.advanceTimersByTimeAsync(COIN_POLLS.paymentMs))
    await isShownIn(() => expect(address()).toBe(CHAT))
    expect(history.state).toMatchObject({ paid: 'yes' })
    expect(toasts()).toEqual(['Payment Confirmed: Your plan counts from now on'])
  } finally {
    vi.useRealTimers()
  }
})

test('A closed payment leads back too: after a reload, and from a page that no chat has led to by a link alone', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  try {
    const { answers, at } = paying()
    const { person, again } = show(<CoinPart />, answers)
    await asks(person)
    await person.click(screen.getAllByRole('button', { name: 'Close' })[0] as HTMLElement)
    // The page knows of the payment anew, and whoever types is left where they are.
    paymentsStore.setState({ payments: [] })
    again(<CoinPart key="reloaded" />)
    await screen.findByRole('button', { name: /^Show the payment/ })
    at.status = 'confirmed'
    await act(() => vi.advanceTimersByTimeAsync(COIN_POLLS.submittedMs))
    await isShownIn(() => expect(address()).toBe(CHAT))

    at.status = 'pending'
    history.replaceState({ askedIn: CHAT }, '', '/subscribe')
    again(<CoinPart key="other" />)
    await asks(person)
    await person.click(screen.getAllByRole('button', { name: 'Close' })[0] as HTMLElement)
    history.replaceState(null, '', '/settings?tab=plan')
    at.status = 'confirmed'
    await act(() => vi.advanceTimersByTimeAsync(COIN_POLLS.submittedMs))
    await isShownIn(() => expect(history.state).toMatchObject({ paid: 'yes', askedIn: CHAT }))
    expect(address()).toBe('/settings?tab=plan')
  } finally {
    vi.useRealTimers()
  }
})

test('Nobody who has another question open is taken to the chat', async () => {
  show(<CoinPart />, paying().answers)
  await screen.findByRole('button', { name: /^Pay by coin: Premium/ })
  paymentsStore.setState({ payments: [payment()] })
  await screen.findByRole('button', { name: /^Show the payment/ })
  const other = document.body.appendChild(document.createElement('div'))
  other.role = 'dialog'
  act(() => paymentsStore.setState({ payments: [payment({ status: 'confirmed' })] }))
  await isShownIn(() => expect(history.state).toMatchObject({ paid: 'yes', askedIn: CHAT }))
  expect(address()).toBe('/subscribe')
  other.remove()
})
