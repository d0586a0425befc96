// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { type CoinAddress, type CoinWallet, coinAddressesApi } from '../../contract/money/coinaddresses.ts'
import { makeAnswers, openScreen, refused, show } from '../testing/screen.tsx'
import * as words from './adminWords.ts'
import { CoinAddresses } from './CoinAddresses.tsx'
import { exportAddresses } from './exportAddresses.ts'

openScreen()

const AT = '2026-11-29T10:00:00.000Z'
const PAID: CoinAddress = {
  ...{ id: '7f6f4c36-9a1e-4b58-8f07-0b7f1b0f7f01', addressIndex: 137, address: 'bc1qpaid', currency: 'bitcoin' },
  ...{ receivedUnits: '1562500', hasOther: false, status: 'confirmed', at: AT },
}
const LEFT: CoinAddress = {
  ...{ ...PAID, id: '7f6f4c36-9a1e-4b58-8f07-0b7f1b0f7f02', addressIndex: null, address: '=0xleft', currency: 'usdc' },
  ...{ receivedUnits: '0', hasOther: true, status: 'expired' },
}
const place = { beforeMs: Date.parse(AT), beforeId: PAID.id }

function wallet(chains: CoinWallet[]) {
  const answers = makeAnswers()
  answers.on(coinAddressesApi.wallets, () => ({ wallets: chains, readAt: AT }))
  answers.on(coinAddressesApi.list, ({ beforeId }) =>
    beforeId === PAID.id ? { addresses: [LEFT], hasMore: false } : { addresses: [PAID], hasMore: true },
  )
  return answers
}
const calm: CoinWallet = { chain: 'ethereum', given: 30, sinceLastPaid: 19, longestUnpaid: 3 }
const asked = (answers: ReturnType<typeof makeAnswers>, path: string) =>
  answers.asked.filter((each) => each.path === path).map(({ input }) => input)

test('A wallet says how many addresses were never paid, and from 20 in a row on what to do', async () => {
  show(<CoinAddresses />, wallet([{ chain: 'bitcoin', given: 1340, sinceLastPaid: 2, longestUnpaid: 20 }, calm]))
  await screen.findByText('2 unpaid since the last paid one, of 1,340 given out · 20 unpaid in a row before it')
  screen.getByText('19 unpaid since the last paid one, of 30 given out')
  screen.getByText('Looked at')
  screen.getByText(/^Bitcoin: 20 addresses in a row were never paid.*Raise the gap limit/)
  expect(screen.queryByText(/^Ethereum and USDC: /)).toBeNull()
})

test('The addresses begin with those that received something, go on page by page, and say what came in whole coins', async () => {
  const answers = wallet([calm])
  const { person } = show(<CoinAddresses />, answers)
  const list = within(await screen.findByRole('list', { name: 'Coin addresses' }))
  list.getByText('Address 137')
  list.getByText('0.01562500 BTC')
  await person.click(screen.getByRole('button', { name: 'Older' }))
  await screen.findByText('0.000000 USDC and something else')
  screen.getByText('Number unknown')
  await person.selectOptions(screen.getByLabelText('Which addresses'), 'All given out')
  await screen.findByText('Address 137')
  expect(asked(answers, 'GET /api/admin/coin-addresses')).toMatchObject([
    { only: 'received' },
    { only: 'received', ...place },
    {},
  ])
  expect(asked(answers, 'GET /api/admin/coin-addresses').at(-1)).not.toHaveProperty('only')
})

test('A file of the addresses is asked for page by page, and no cell of it is a formula', async () => {
  const answers = wallet([])
  answers.on(coinAddressesApi.export, ({ beforeId }) =>
    beforeId === PAID.id ? { addresses: [LEFT], hasMore: false } : { addresses: [PAID], hasMore: true },
  )
  const counts: number[] = []
  const pieces = await exportAddresses(answers, { only: 'received' }, (count) => void counts.push(count))
  expect(pieces.join('').split('\r\n')).toEqual([
    'index,address,coin,received,something else,status,at',
    `137,bc1qpaid,BTC,0.01562500,no,confirmed,${AT}`,
    `,'=0xleft,USDC,0.000000,yes,expired,${AT}`,
    '',
  ])
  expect(counts).toEqual([1, 2])
  expect(answers.asked).toMatchObject([{ input: { only: 'received' } }, { input: { only: 'received', ...place } }])
})

test('A download that fails says why and saves nothing; the next one saves what the screen shows', async () => {
  const save = vi.spyOn(words, 'saveFile').mockImplementation(() => undefined)
  const answers = wallet([])
  let isDown = true
  answers.on(coinAddressesApi.export, () => {
    if (isDown) throw refused(0, 'offline', 'You are offline')
    return { addresses: [PAID], hasMore: false }
  })
  const { person } = show(<CoinAddresses />, answers, { clock: () => new Date(AT) })
  await screen.findByText('Payments in coins are switched off.')
  await person.click(screen.getByRole('button', { name: 'Download addresses' }))
  await screen.findByText('You are offline')
  expect(save).not.toHaveBeenCalled()
  isDown = false
  await person.click(screen.getByRole('button', { name: 'Download addresses' }))
  await screen.findByText('1 entry')
  expect(save.mock.calls.map(([name]) => name)).toEqual(['coin-addresses-2026-11-29.csv'])
  expect(asked(answers, 'POST /api/admin/coin-addresses').at(-1)).toMatchObject({ only: 'received' })
})
