// @vitest-environment happy-dom
import { renderToStaticMarkup } from 'react-dom/server'
import { afterEach, expect, test, vi } from 'vitest'
import { limitsOf } from '../../contract/money/offerLimits.ts'
import type { PublicOffer } from '../../contract/money/offers.ts'
import { Landing } from './Landing.tsx'
import { showPrices } from './prices.ts'

const test1: PublicOffer = { name: 'Test', tier: 'test', monthlyCents: 100, yearlyCents: 1200, ...limitsOf('test') }
const premium: PublicOffer = {
  name: 'Premium',
  tier: 'premium',
  monthlyCents: 100_000,
  yearlyCents: null,
  ...limitsOf('premium'),
}

/** The landing as the build writes it, once the server has answered with this. */
async function landing(answer: () => Promise<unknown>) {
  document.body.innerHTML = renderToStaticMarkup(<Landing />)
  const ask = vi.fn(async (_path: string, _init: RequestInit) => ({ ok: true, json: answer }))
  vi.stubGlobal('fetch', ask)
  await showPrices()
  const section = document.getElementById('prices')
  const columns = [...(section?.querySelectorAll('article') ?? [])].map((each) =>
    [...each.children].map(({ textContent }) => textContent),
  )
  return { ask, columns, isHidden: section?.hidden, line: document.getElementById('price')?.textContent }
}

afterEach(() => vi.unstubAllGlobals())

test('A stranger reads the lowest price of this server in one line, with a link to all of them, and no cookie is sent', async () => {
  const { ask, line, columns, isHidden } = await landing(async () => ({ offers: [test1, premium] }))
  expect(line).toBe('Reading is free. Writing from $1 a month. What it costs')
  expect(document.querySelector('#price a')?.getAttribute('href')).toBe('#prices')
  expect(columns).toMatchObject([
    ['Free', '$0', expect.stringMatching(/^Add people\./)],
    ['Test', '$1/month', '10 messages a month, calls, files up to 10\u00a0MB.'],
    ['Premium', '$1,000/month', 'Unlimited messages, calls and files.'],
  ])
  expect(isHidden).toBe(false)
  expect(ask.mock.calls).toEqual([['/api/offers', expect.objectContaining({ credentials: 'omit' })]])
})

test('A plan that is sold by the year alone is priced by the year', async () => {
  const yearly = { ...premium, monthlyCents: null, yearlyCents: 599_950 }
  const { line, columns } = await landing(async () => ({ offers: [yearly] }))
  expect(line).toContain('Writing from $5,999.50 a year.')
  expect(columns[1]?.[1]).toBe('$5,999.50/year')
})

test.each<[string, () => Promise<unknown>]>([
  ['nothing is sold', async () => ({ offers: [] })],
  ['the server does not answer', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['the answer is none', async () => ({ offers: 'free' })],
  ['an offer has no price', async () => ({ offers: [{ ...test1, monthlyCents: null, yearlyCents: null }, { monthlyCents: 1 }] })],
])('Where %s no price stands there', async (_why, answer) => {
  const { line, isHidden, columns } = await landing(answer)
  expect([line, isHidden, columns.length]).toEqual(['Receiving and reading is free.', true, 1])
})
