// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { type CardPayment, cardPaymentsApi } from '../../contract/money/cardpayments.ts'
import { makeAnswers, openScreen, refused, show } from '../testing/screen.tsx'
import { CardPayments } from './CardPayments.tsx'

openScreen()

const AT = '2026-11-29T10:00:00.000Z'
const PAYMENT: CardPayment = {
  ...{ place: 7, payer: { id: '7f6f4c36-9a1e-4b58-8f07-0b7f1b0f7f01', username: 'Alice' }, tier: 'premium', packageName: null },
  ...{ billingPeriod: 'yearly', amountCents: 800_000, paidAt: AT, startsAt: AT, endsAt: '2027-11-29T10:00:00.000Z' },
  ...{ invoice: 'in_1', reference: 'pi_1', returns: [{ kind: 'dispute', amountCents: 800_000, at: AT, reference: 'dp_1' }] },
}

const facts = (row: HTMLElement) => [...row.querySelectorAll('.payment-facts dt')].map(({ textContent }) => textContent)

test('A payment shows who paid, what for, and the dispute; the search is sent whole, and the pages go on', async () => {
  const answers = makeAnswers()
  answers.on(cardPaymentsApi.list, ({ named, before }) => {
    if (named === 'nobody') return { payments: [], hasMore: false }
    return { payments: [{ ...PAYMENT, place: before ? 3 : 7 }], hasMore: before === undefined }
  })
  const { person } = show(<CardPayments />, answers)
  const row = within(await screen.findByRole('list', { name: 'Card payments' })).getByRole('listitem')
  expect(within(row).getByRole('banner', { hidden: true }).textContent).toBe('Premium, yearly by @alice$8,000.00')
  expect(facts(row)).toEqual(['Paid', 'For', 'Account', 'Invoice', 'Payment', 'Disputed'])
  await person.click(screen.getByRole('button', { name: 'Older' }))
  await screen.findByRole('button', { name: 'Newest' })
  await person.type(screen.getByLabelText(/^Username, account id/), ' nobody {Enter}')
  expect(await screen.findByText('No card payment fits.')).toBeTruthy()
  expect(answers.asked.map(({ path, input }) => [path, input])).toEqual([
    ['GET /api/admin/card-payments', {}],
    ['GET /api/admin/card-payments', { before: 7 }],
    ['GET /api/admin/card-payments', { named: 'nobody' }],
  ])
})

test('A deleted payer is said to be deleted; what cannot be loaded says why and can be tried again', async () => {
  const answers = makeAnswers()
  let isDown = true
  answers.on(cardPaymentsApi.list, () => {
    if (isDown) throw refused(0, 'offline', 'You are offline')
    return { payments: [{ ...PAYMENT, payer: { ...PAYMENT.payer, username: null }, returns: [] }], hasMore: false }
  })
  const { person } = show(<CardPayments />, answers)
  await screen.findByText(/could not be loaded/)
  isDown = false
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('by a deleted account')).toBeTruthy()
})
