// @vitest-environment happy-dom
import { act, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { coinsApi } from '../../../contract/money/coins.ts'
import { paymentsApi, type Subscription } from '../../../contract/money/payments.ts'
import { held, makeAnswers, openScreen, refused, show, toasts } from '../../testing/screen.tsx'
import { CoinDialog } from '../coins/CoinDialog.tsx'
import { ChangeDialog } from './ChangeDialog.tsx'
import { PlanTab } from './PlanTab.tsx'
import { plansStore } from './store.ts'
import { UpgradeDialog } from './UpgradeDialog.tsx'

openScreen()
beforeEach(() => {
  history.replaceState(null, '', '/subscribe')
  plansStore.setState(plansStore.getInitialState())
})

const TERMS = { url: 'https://example.org/terms', version: '2026-11', asksWithdrawal: true }
const CHANGED = 'The terms of this server have changed. Read them again before you agree. Nothing was paid'

/** A server whose terms can change while a page is open. */
function server() {
  const answers = makeAnswers()
  const at = { terms: TERMS as Subscription['terms'], hasGuarantee: false }
  answers.on(paymentsApi.subscription, () => ({
    ...{ tier: 'free' as const, packageId: null, endDate: null, card: null, hasInvoices: false, refundableCents: null },
    ...{ cardProvider: 'sandbox' as const, masterPrice: { monthlyCents: null, yearlyCents: null } },
    ...(at.terms && { terms: at.terms }),
    hasGuarantee: at.hasGuarantee,
  }))
  answers.on(paymentsApi.packages, () => [])
  const none = { messagesUsed: 0, fileStorageUsedMB: 0, videoCallMinutesUsed: 0 }
  answers.on(paymentsApi.usage, () => ({ ...none, messagesLimit: 100, fileStorageLimitMB: 50, videoCallMinutesLimit: 30 }))
  answers.on(paymentsApi.upgrade, ({ consent }) => {
    if (at.terms && consent?.termsVersion !== at.terms.version) throw refused(409, 'terms_changed', CHANGED)
    return { clientSecret: 'cs', frameUrl: 'https://pay.example.org/' }
  })
  const consents = () => answers.asked.filter(({ path }) => path.startsWith('POST')).map(({ input }) => Object(input).consent)
  return { answers, at, consents }
}

const box = (name: RegExp) => screen.findByRole<HTMLInputElement>('checkbox', { name })
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name })

test.each([true, false])('The plans say that there is a guarantee where the server offers it: %s', async (hasGuarantee) => {
  const { answers, at } = server()
  at.hasGuarantee = hasGuarantee
  show(<PlanTab tier="free" />, answers)
  await screen.findByRole('button', { name: 'Choose Test' })
  expect(screen.queryByText(/30-day guarantee: what was paid by card comes back/) !== null).toBe(hasGuarantee)
  if (!hasGuarantee) expect(document.body.textContent).not.toMatch(/guarantee/i)
})

test('Before a checkout Alice reads what she agrees to, and ticks both boxes by the keyboard; what she agreed to is sent', async () => {
  const { answers, consents } = server()
  const { person } = show(<PlanTab tier="free" />, answers)
  await person.click(await screen.findByRole('button', { name: 'Choose Test' }))
  const terms = await box(/^I agree to the terms of this server.*version 2026-11$/)
  expect(screen.getByText('$1 are charged now, and again each month until you end it.')).toBeTruthy()
  const link = screen.getByRole('link', { name: /^terms of this server/ })
  expect([link.getAttribute('href'), link.getAttribute('rel')]).toEqual([TERMS.url, 'noopener noreferrer'])
  expect(button('Continue to payment').disabled).toBe(true)
  terms.focus()
  await person.keyboard(' ')
  expect(button('Continue to payment').disabled).toBe(true)
  await person.tab()
  expect(document.activeElement).toBe(link)
  await person.tab()
  expect(document.activeElement).toBe(await box(/^I want the plan to begin at once/))
  await person.keyboard(' ')
  // Cancel stands between.
  await person.tab()
  await person.tab()
  expect(document.activeElement).toBe(button('Continue to payment'))
  await person.keyboard('{Enter}')
  await screen.findByTitle('Payment by card')
  expect(consents()).toEqual([{ termsVersion: '2026-11', withdrawal: true }])
})

test('A tab with the terms of before is told that they have changed, shows the new ones, and asks again', async () => {
  const { answers, at, consents } = server()
  const { person } = show(<PlanTab tier="free" />, answers)
  await person.click(await screen.findByRole('button', { name: 'Choose Test' }))
  await person.click(await box(/^I agree/))
  await person.click(await box(/^I want the plan/))
  at.terms = { url: 'https://example.org/terms/2', version: '2027-01', asksWithdrawal: false }
  await person.click(button('Continue to payment'))
  const terms = await box(/version 2027-01$/)
  expect(toasts()).toEqual([`Upgrade Failed: ${CHANGED}`])
  expect(terms.checked).toBe(false)
  expect(screen.getByRole('link', { name: /^terms of this server/ }).getAttribute('href')).toBe('https://example.org/terms/2')
  expect(screen.queryByRole('checkbox', { name: /^I want the plan/ })).toBeNull()
  await waitFor(() => expect(button('Continue to payment').disabled).toBe(true))
  await person.click(terms)
  await person.click(button('Continue to payment'))
  await screen.findByTitle('Payment by card')
  expect(consents()).toEqual([
    { termsVersion: '2026-11', withdrawal: true },
    { termsVersion: '2027-01', withdrawal: false },
  ])
})

test('The dialog that a chat opens, and a change of a running plan, ask for the same', async () => {
  const { answers, consents } = server()
  const { person, again } = show(<UpgradeDialog feature="messaging" isRefused={false} onClose={vi.fn()} />, answers)
  await person.click(await box(/^I agree/))
  expect(button('Choose Test').disabled).toBe(true)
  await person.click(await box(/^I want the plan/))
  await person.click(button('Choose Test'))
  await screen.findByTitle('Payment by card')
  expect(consents()).toEqual([{ termsVersion: '2026-11', withdrawal: true }])
  const onChange = vi.fn()
  again(
    <ChangeDialog
      {...{ name: 'Premium', dueNowCents: 100, periodEnd: null, terms: TERMS, isPending: false }}
      onChange={onChange}
      onClose={vi.fn()}
    />,
  )
  expect(button('Pay $1').disabled).toBe(true)
  await person.click(await box(/^I agree/))
  await person.click(await box(/^I want the plan/))
  await person.click(button('Pay $1'))
  expect(onChange).toHaveBeenCalledExactlyOnceWith({ termsVersion: '2026-11', withdrawal: true })
})

test('A request in coins asks too: one that comes from before the terms is told of them, and shows the boxes', async () => {
  const { answers, consents } = server()
  const prices = { prices: { bitcoin: 64_000, ethereum: 2_000, usdc: 1 }, timestamp: '2026-11-25T10:00:00.000Z', isStale: false }
  answers.on(coinsApi.prices, () => prices)
  answers.on(coinsApi.createPayment, ({ consent }) => {
    if (!consent) throw refused(409, 'terms_required', 'Agree to the terms of this server before you buy. Nothing was paid')
    throw refused(409, 'currency_unavailable', 'This server does not take this currency right now')
  })
  const wish = { packageId: 'test', name: 'Test', billingPeriod: 'monthly' as const, cents: 100 }
  const offer = { currencies: ['bitcoin' as const], preferred: 'bitcoin' as const, walletAddress: '', wishes: [wish] }
  const { person } = show(<CoinDialog wish={wish} offer={offer} onClose={vi.fn()} />, answers)
  await person.click(await screen.findByRole('button', { name: 'Continue with BTC' }))
  await screen.findByText(/^Agree to the terms of this server/)
  await person.click(await box(/^I agree/))
  expect(button('Continue with BTC').disabled).toBe(true)
  await person.click(await box(/^I want the plan/))
  await person.click(button('Continue with BTC'))
  await screen.findByText(/does not take this currency/)
  expect(consents()).toEqual([undefined, { termsVersion: '2026-11', withdrawal: true }])
})

test('Where the operator has no terms no box is shown, and nothing claims that there are any', async () => {
  const { answers, at, consents } = server()
  at.terms = undefined
  const { person } = show(<PlanTab tier="free" />, answers)
  await person.click(await screen.findByRole('button', { name: 'Choose Test' }))
  await screen.findByTitle('Payment by card')
  expect(document.body.textContent).not.toMatch(/terms|agree/i)
  expect(consents()).toEqual([undefined])
})

test('While a purchase is on its way it cannot be cancelled here, by button or by Esc, as if nothing happened', async () => {
  const { answers } = server()
  const { promise, answer } = held<{ clientSecret: string; frameUrl: string }>()
  answers.on(paymentsApi.upgrade, () => promise)
  const { person } = show(<PlanTab tier="free" />, answers)
  await person.click(await screen.findByRole('button', { name: 'Choose Test' }))
  await person.click(await box(/^I agree/))
  await person.click(await box(/^I want the plan/))
  await person.keyboard('{Enter}')
  expect(button('Cancel').disabled).toBe(true)
  await person.keyboard('{Escape}')
  expect(screen.getByRole('dialog', { name: 'Buy Test' })).toBeTruthy()
  answer({ clientSecret: 'cs', frameUrl: 'https://pay.example.org/' })
  await screen.findByTitle('Payment by card')
})

test('A purchase that another tab has made closes what stood open here', async () => {
  const { answers } = server()
  const { person } = show(<PlanTab tier="free" />, answers)
  await person.click(await screen.findByRole('button', { name: 'Choose Test' }))
  await screen.findByRole('dialog', { name: 'Buy Test' })
  const { subscription } = plansStore.getState()
  if (!subscription) throw new Error('The plans are read')
  const card = {
    ...{ tier: 'premium' as const, packageId: null, billingPeriod: 'monthly' as const, renews: true, hasFailed: false },
    ...{ periodEnd: '2027-01-01T00:00:00.000Z', graceUntil: null, waiting: null },
  }
  act(() => plansStore.setState({ subscription: { ...subscription, tier: 'premium', card } }))
  expect(screen.queryByRole('dialog')).toBeNull()
})
