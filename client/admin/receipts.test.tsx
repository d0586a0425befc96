// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { type ExportedEntry, ledgerApi, type Receipt } from '../../contract/money/receipts.ts'
import { makeAnswers, openScreen, refused, show } from '../testing/screen.tsx'
import * as words from './adminWords.ts'
import { exportLedger } from './exportLedger.ts'
import { LedgerExport } from './LedgerExport.tsx'
import { ReceiptsTab } from './ReceiptsTab.tsx'

openScreen()

const AT = '2026-11-29T10:00:00.000Z'
const RECEIPT: Receipt = {
  ...{ seq: 7, number: '2026-000007', isTest: false, issuedAt: AT },
  printed: {
    ...{ kind: 'payment', refersTo: null, paidAt: AT, plan: 'Premium', billingPeriod: 'monthly', startsAt: AT, endsAt: AT },
    ...{ amountCents: 100_000, taxCents: null, source: 'card', coin: null, reference: null, seller: null, buyer: null },
  },
}
const ENTRY: ExportedEntry = {
  ...{ place: 1, key: 'card:in_1', at: AT, kind: 'payment', userId: '7f6f4c36-9a1e-4b58-8f07-0b7f1b0f7f01', source: 'card' },
  ...{ provider: 'stripe', isTest: false, tier: 'premium', amountCents: 100_000, taxCents: 16_667, coin: null, coinUnits: null },
  ...{ rate: null, reference: '=cmd()', refersTo: null, receipt: '2026-000007' },
}
const BY_COIN: ExportedEntry = {
  ...{
    ...ENTRY,
    place: 2,
    key: 'coin:x',
    userId: null,
    source: 'coin',
    provider: null,
    isTest: null,
    taxCents: null,
    amountCents: 7,
  },
  ...{ coin: 'bitcoin', coinUnits: '12345', rate: '6500000000000', reference: 'f00d', receipt: null },
}

test('Administrators search receipts by the whole number, in any case, and one opens in the place of the list', async () => {
  history.replaceState(null, '', '/admin?tab=receipts')
  const answers = makeAnswers()
  answers.on(ledgerApi.receipts, ({ number }) => ({ receipts: number === 'TEST-1' ? [] : [RECEIPT], hasMore: false }))
  answers.on(ledgerApi.receipt, () => RECEIPT)
  const { person } = show(<ReceiptsTab />, answers)
  await person.click(await screen.findByRole('link', { name: /2026-000007/ }))
  await screen.findByRole('article', { name: 'The page that is printed' })
  await person.click(screen.getByRole('button', { name: 'Back to the receipts' }))
  await person.type(await screen.findByLabelText('Receipt number'), ' test-1 {Enter}')
  await screen.findByText('No receipt has this number.')
  expect(answers.asked.map(({ input }) => input)).toEqual([{}, { number: '2026-000007' }, {}, { number: 'TEST-1' }])
})

test('An export asks page by page, writes sums with their cents and coins whole, and no cell is a formula', async () => {
  const answers = makeAnswers()
  answers.on(ledgerApi.entries, ({ after }) => ({ entries: after === 0 ? [ENTRY] : [BY_COIN], hasMore: after === 0 }))
  const counts: number[] = []
  const pieces = await exportLedger(answers, { from: '2026-11-01', to: '2026-11-30' }, (count) => void counts.push(count))
  expect(pieces.join('').split('\r\n')).toEqual([
    'key,at,kind,account,source,provider,mode,plan,gross,tax,net,coin,coin amount,rate,reference,refers to,receipt',
    `card:in_1,${AT},payment,${ENTRY.userId},card,stripe,live,premium,1000.00,166.67,833.33,,,,'=cmd(),,2026-000007`,
    `coin:x,${AT},payment,,coin,,,premium,0.07,,0.07,bitcoin,0.00012345,65000.00000000,f00d,,`,
    '',
  ])
  expect(counts).toEqual([1, 2])
  expect(answers.asked.map(({ input }) => Object(input).after)).toEqual([0, 1])
})

test('The days of an export are required and in order; a failure is said at the form, and nothing is saved', async () => {
  const save = vi.spyOn(words, 'saveFile').mockImplementation(() => undefined)
  const answers = makeAnswers()
  let isDown = true
  answers.on(ledgerApi.entries, () => {
    if (isDown) throw refused(0, 'offline', 'You are offline')
    return { entries: [ENTRY], hasMore: false }
  })
  const { person } = show(<LedgerExport />, answers, { clock: () => new Date(AT) })
  const button = screen.getByRole('button', { name: 'Download ledger' })
  await person.clear(screen.getByLabelText('First day'))
  await person.click(button)
  expect(screen.getByText('Both days are required')).toBeTruthy()
  await person.type(screen.getByLabelText('First day'), '2026-12-24')
  await person.click(button)
  expect(screen.getByText('The first day must not be after the last')).toBeTruthy()
  await person.clear(screen.getByLabelText('First day'))
  await person.type(screen.getByLabelText('First day'), '2026-11-01')
  await person.click(button)
  await screen.findByText('You are offline')
  expect(save).not.toHaveBeenCalled()
  isDown = false
  await person.click(screen.getByRole('button', { name: 'Download ledger' }))
  await screen.findByText('1 entry')
  expect(save.mock.calls.map(([name]) => name)).toEqual(['ledger-2026-11-01-2026-11-29.csv'])
})
