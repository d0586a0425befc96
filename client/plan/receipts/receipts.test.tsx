// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { expect, test } from 'vitest'
import { type Party, type Receipt, receiptsApi } from '../../../contract/money/receipts.ts'
import { held, makeAnswers, openScreen, refused, show, toasts } from '../../testing/screen.tsx'
import { ReceiptPage } from './ReceiptPage.tsx'
import { ReceiptsPart } from './ReceiptsPart.tsx'

openScreen()

const BUSINESS: Party = { name: 'Bob & Söhne', address: 'Hauptstr. 1\n10115 Berlin', taxId: 'DE999999999' }
const PAID: Receipt = {
  ...{ seq: 7, number: '2026-000007', isTest: false, issuedAt: '2026-11-30T10:00:00.000Z' },
  printed: {
    ...{ kind: 'payment', refersTo: null, paidAt: '2026-11-29T10:00:00.000Z', plan: 'Premium', billingPeriod: 'monthly' },
    ...{ startsAt: '2026-11-29T10:00:00.000Z', endsAt: '2026-12-29T10:00:00.000Z', amountCents: 100_000, taxCents: 16_667 },
    ...{ source: 'card', coin: null, reference: 'pi_1', buyer: BUSINESS },
    seller: { name: 'Example Ltd', address: '1 High Street\nLondon', taxId: 'GB123456789' },
  },
}
const BACK: Receipt = {
  ...{ ...PAID, seq: 8, number: '2026-000008' },
  printed: { ...PAID.printed, kind: 'refund', refersTo: '2026-000007' },
}
const BY_COIN: Receipt = {
  ...{ ...PAID, seq: 3, number: 'TEST-2026-000003', isTest: true },
  printed: {
    ...{ ...PAID.printed, taxCents: null, source: 'coin', seller: null, buyer: null, billingPeriod: 'yearly' },
    coin: { currency: 'bitcoin', units: '12345', rate: '6500000000000' },
  },
}

function world(details: Party | null = null) {
  const answers = makeAnswers()
  answers.on(receiptsApi.details, () => ({ details }))
  answers.on(receiptsApi.list, ({ before }) => ({
    receipts: before === undefined ? [BACK, PAID] : [BY_COIN],
    hasMore: before === undefined,
  }))
  return answers
}
const factsOf = (paper: HTMLElement) =>
  Object.fromEntries(
    [...paper.querySelectorAll('dl > div')].map((line) => [line.children[0]?.textContent, line.children[1]?.textContent]),
  )

test('Receipts are listed with what they are and their sums, go on by pages, and lead to their pages', async () => {
  const { person } = show(<ReceiptsPart />, world())
  const rows = () => within(screen.getByRole('list', { name: 'Receipts' })).getAllByRole('link')
  await screen.findByText('2026-000008')
  expect(rows().map(({ textContent }) => textContent)).toEqual([
    '2026-000008 Credit notePremium, monthly · November 29, 2026−$1,000.00',
    '2026-000007 InvoicePremium, monthly · November 29, 2026$1,000.00',
  ])
  expect(rows()[1]?.getAttribute('href')).toBe('/receipts/2026-000007')
  await person.click(screen.getByRole('button', { name: 'Older receipts' }))
  await screen.findByText('TEST-2026-000003')
  expect(rows()).toHaveLength(3)
  expect(rows()[2]?.textContent).toContain('test money')
  expect(screen.queryByRole('button', { name: 'Older receipts' })).toBeNull()
})

test('Who has paid nothing reads that; what cannot be loaded says why and can be tried again', async () => {
  const answers = world()
  let isDown = true
  answers.on(receiptsApi.list, () => {
    if (isDown) throw refused(0, 'offline', 'You are offline')
    return { receipts: [], hasMore: false }
  })
  const { person } = show(<ReceiptsPart />, answers)
  expect((await screen.findByRole('alert')).textContent).toBe('The receipts could not be loaded. You are offline')
  isDown = false
  await person.click(screen.getByRole('button', { name: 'Try again' }))
  await screen.findByText('Nothing was paid yet.')
})

test('The page of a receipt has seller, buyer, tax and total as they were written, and prints the same', async () => {
  const answers = makeAnswers()
  const answer = held<Receipt>()
  answers.on(receiptsApi.read, () => answer.promise)
  show(<ReceiptPage number="2026-000008" />, answers)
  expect(screen.getByText('Loading...')).toBeTruthy()
  answer.answer(BACK)
  const paper = await screen.findByRole('article', { name: 'The page that is printed' })
  expect(factsOf(paper)).toMatchObject({
    ...{ Issued: 'November 30, 2026', 'Paid back': 'November 29, 2026', Plan: 'Premium, monthly', By: 'Card', Reference: 'pi_1' },
    ...{ Period: 'November 29, 2026 to December 29, 2026', 'Without tax': '−$833.33', Tax: '−$166.67' },
    'Total, US dollars': '−$1,000.00',
  })
  expect(within(paper).getByRole('heading', { name: 'Credit note' })).toBeTruthy()
  expect(within(paper).getByText('This takes back 2026-000007, in whole or in part.')).toBeTruthy()
  expect(within(within(paper).getByRole('region', { name: 'Buyer' })).getByText('Tax id DE999999999')).toBeTruthy()
  expect(document.querySelector('body > .receipt-sheet')?.innerHTML).toBe(paper.innerHTML)
  expect(screen.getByRole('button', { name: 'Print' })).toBeTruthy()
})

test('Without a seller it is a receipt and says that it is no invoice; a coin payment has its coin and rate', async () => {
  const answers = makeAnswers()
  answers.on(receiptsApi.read, () => BY_COIN)
  show(<ReceiptPage number="TEST-2026-000003" />, answers)
  const paper = await screen.findByRole('article', { name: 'The page that is printed' })
  expect(within(paper).getByRole('heading', { name: 'Receipt' })).toBeTruthy()
  expect(factsOf(paper)).toMatchObject({
    ...{ 'Amount in coin': '0.00012345 BTC', Rate: '$65,000.00 for 1 BTC', Transaction: 'pi_1' },
  })
  expect(factsOf(paper)).not.toHaveProperty('Tax')
  expect(within(paper).getByText(/has named no seller.*no tax invoice/)).toBeTruthy()
  expect(within(paper).getByText('Test money: nothing was really paid.')).toBeTruthy()
})

test('A receipt of somebody else is said to be none', async () => {
  const answers = makeAnswers()
  answers.on(receiptsApi.read, () => {
    throw refused(404, 'not_found', 'There is nothing here')
  })
  show(<ReceiptPage number="2026-000001" />, answers)
  expect((await screen.findByRole('alert')).textContent).toContain('The receipt could not be loaded.')
  expect(screen.queryByRole('button', { name: 'Print' })).toBeNull()
})

test('A business is saved, needs a name, and can be removed', async () => {
  const answers = world()
  answers.on(receiptsApi.saveDetails, () => ({}))
  answers.on(receiptsApi.removeDetails, () => ({}))
  const { person } = show(<ReceiptsPart />, answers)
  const name = await screen.findByLabelText('Name of the business')
  await person.type(screen.getByLabelText('Address'), 'Hauptstr. 1{Enter}Berlin')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  expect(screen.getByText('Name of the business is required')).toBeTruthy()
  expect(document.activeElement).toBe(name)
  expect(screen.queryByRole('button', { name: 'Remove' })).toBeNull()
  await person.type(name, 'Bob & Söhne')
  await person.click(screen.getByRole('button', { name: 'Save' }))
  await person.click(await screen.findByRole('button', { name: 'Remove' }))
  await waitFor(() => expect((name as HTMLInputElement).value).toBe(''))
  expect(answers.asked.filter(({ path }) => !path.startsWith('GET'))).toEqual([
    { path: 'PUT /api/business-details', input: { name: 'Bob & Söhne', address: 'Hauptstr. 1\nBerlin', taxId: '' } },
    { path: 'DELETE /api/business-details', input: {} },
  ])
  expect(toasts()).toEqual(['Business saved: Your next receipts name it.'])
})

test('What is typed while the business is saved stays in its field', async () => {
  const answers = world()
  const { promise, answer } = held<Record<string, never>>()
  answers.on(receiptsApi.saveDetails, () => promise)
  const { person } = show(<ReceiptsPart />, answers)
  const name = await screen.findByLabelText<HTMLInputElement>('Name of the business')
  await person.type(name, 'Bob{Enter} & Söhne')
  answer({})
  await waitFor(() => expect(toasts()).toEqual(['Business saved: Your next receipts name it.']))
  await screen.findByRole('button', { name: 'Remove' })
  expect(name.value).toBe('Bob & Söhne')
})
