// @vitest-environment happy-dom
import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Package, paymentsApi, type Subscription } from '../../../contract/money/payments.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { toastStore } from '../../ui/toast.ts'
import { CurrentPlan } from './CurrentPlan.tsx'
import { PlanLine } from './PlanLine.tsx'
import { PlanTab } from './PlanTab.tsx'
import { changePlan } from './plans.ts'
import { plansStore } from './store.ts'
import { UpgradeDialog } from './UpgradeDialog.tsx'
import { UsageCard } from './UsageCard.tsx'

openScreen()
const CHAT = '/chat/dm_1_2'
beforeEach(() => {
  sessionStorage.clear()
  plansStore.setState({ subscription: null, packages: null, usage: null, failure: null })
  vi.useFakeTimers({ shouldAdvanceTime: true, now: new Date('2026-11-24T12:00:00.000Z') })
})
afterEach(() => void vi.useRealTimers())

const PREMIUM: Package = {
  ...{ id: '7d7d1f6e-7a5a-4d0c-9a6e-0a2f3c9b1d11', name: 'Premium', description: 'Everything', tier: 'premium' },
  ...{ monthlyPrice: 100_000, yearlyPrice: 0, messagesLimit: -1, fileStorageGB: -1, voiceCallMinutes: -1, videoCallMinutes: -1 },
  ...{
    advancedEncryption: true,
    prioritySupport: true,
    customBranding: false,
    apiAccess: false,
    isActive: true,
    displayOrder: 0,
  },
}
const FREE: Subscription = {
  ...{
    tier: 'free',
    packageId: null,
    endDate: null,
    card: null,
    hasInvoices: false,
    refundableCents: 0,
    cardProvider: 'sandbox',
  },
  masterPrice: { monthlyCents: null, yearlyCents: null },
}
const PAID: Subscription = { ...FREE, tier: 'premium', endDate: '2026-12-24T12:00:00.000Z' }

function server() {
  const answers = makeAnswers()
  const at = { subscription: FREE }
  answers.on(paymentsApi.subscription, () => at.subscription)
  answers.on(paymentsApi.packages, () => [PREMIUM])
  answers.on(paymentsApi.usage, () => ({
    ...{ messagesUsed: 0, fileStorageUsedMB: 0, videoCallMinutesUsed: 0 },
    ...{ messagesLimit: 100, fileStorageLimitMB: 50, videoCallMinutesLimit: 30 },
  }))
  answers.on(paymentsApi.upgrade, ({ embedded }) =>
    embedded ? { clientSecret: 'cs', frameUrl: 'https://pay.example.org/' } : { checkoutUrl: 'https://pay.example.org/' },
  )
  return { answers, at }
}

const address = () => location.pathname + location.search
const returns = (paid: 'yes' | 'no') => act(() => history.pushState(null, '', `/subscribe?paid=${paid}`))

/** Says that the form in the frame is done. */
async function completes() {
  const frame = await screen.findByTitle<HTMLIFrameElement>('Payment by card')
  const source = {}
  Object.defineProperty(frame, 'contentWindow', { value: source })
  const said = { origin: 'https://pay.example.org', source, data: { type: 'completed' } }
  act(() => void dispatchEvent(Object.assign(new Event('message'), said)))
}

/** Leaves for the provider’s page, which the test does not open. */
async function leaves(answers: ReturnType<typeof server>['answers']) {
  const assign = vi.spyOn(location, 'assign').mockReset()
  void changePlan({ api: answers.api } as never, { tier: 'premium', billingPeriod: 'monthly' }, false)
  await waitFor(() => expect(assign).toHaveBeenCalledOnce())
}

test('Whoever pays at the provider’s page for a plan that was asked for in a chat is in that chat again', async () => {
  const { answers } = server()
  history.replaceState(null, '', CHAT)
  await leaves(answers)
  returns('yes')
  const { again } = show(<PlanTab tier="free" />, answers)
  await waitFor(() => expect(address()).toBe(CHAT))
  again(<PlanLine canSend={false} onUpgrade={vi.fn()} />)
  await screen.findByText(/confirmation is on its way/)
  // The next payment, from the settings, knows of no chat.
  act(() => history.pushState(null, '', '/settings?tab=plan'))
  await leaves(answers)
  returns('yes')
  again(<PlanTab key="again" tier="premium" />)
  await screen.findByText(/Your payment is confirmed/)
  expect(address()).toBe('/subscribe')
})

test('A form in the chat leaves the chat where it is, also for whoever looked at all plans first', async () => {
  const { answers } = server()
  history.replaceState({ list: true }, '', CHAT)
  const { person, again } = show(<UpgradeDialog feature="messaging" isRefused={true} onClose={vi.fn()} />, answers)
  const addresses: string[] = []
  const note = () => addresses.push(address())
  for (const move of ['pushState', 'replaceState']) addEventListener(move, note)
  await person.click(await screen.findByRole('button', { name: 'Choose Premium' }))
  await completes()
  expect(addresses).toEqual([CHAT])
  expect(history.state).toEqual({ list: true, paid: 'yes' })
  for (const move of ['pushState', 'replaceState']) removeEventListener(move, note)

  history.replaceState(null, '', CHAT)
  again(<UpgradeDialog key="again" feature="messaging" isRefused={true} onClose={vi.fn()} />)
  await person.click(await screen.findByRole('link', { name: 'View All Plans' }))
  expect(address()).toBe('/subscribe')
  again(<PlanTab tier="free" />)
  await person.click(await screen.findByRole('button', { name: 'Choose Premium' }))
  await completes()
  expect(address()).toBe(CHAT)
})

test('Where neither a chat nor the plans say so, as over the list, the plans are opened after a payment; Back returns', async () => {
  const { answers } = server()
  history.replaceState({ steps: 1 }, '', '/')
  const { person, again } = show(<UpgradeDialog feature="calling" isRefused={false} onClose={vi.fn()} />, answers)
  await person.click(await screen.findByRole('button', { name: 'Choose Premium' }))
  await completes()
  expect(address()).toBe('/subscribe')
  expect(history.state).toEqual({ paid: 'yes' })
  again(<PlanTab tier="free" />)
  await screen.findByText(/We wait for the card provider/)
  history.back()
  expect(address()).toBe('/')
})

test('Whoever paid nothing finds the chat again too; the plans that were opened otherwise know of no chat', async () => {
  const { answers } = server()
  history.replaceState(null, '', CHAT)
  const { person, again } = show(<UpgradeDialog feature="messaging" isRefused={true} onClose={vi.fn()} />, answers)
  await person.click(await screen.findByRole('link', { name: 'View All Plans' }))
  await leaves(answers)
  returns('no')
  again(<PlanTab tier="free" />)
  await person.click(await screen.findByRole('link', { name: 'Back to the chat' }))
  expect(address()).toBe(CHAT)
  act(() => history.pushState(null, '', '/settings?tab=plan'))
  again(<PlanTab key="again" tier="free" />)
  await person.click(await screen.findByRole('button', { name: 'Choose Premium' }))
  await completes()
  await screen.findByText(/We wait for the card provider/)
  expect(address()).toBe('/settings?tab=plan')
})

test.each([
  ['among the plans', <PlanTab key="plans" tier="free" />, <PlanTab key="plans" tier="premium" />],
  ['in a chat', <PlanLine key="chat" canSend={false} onUpgrade={vi.fn()} />, <PlanLine key="chat" canSend onUpgrade={vi.fn()} />],
])(
  'Whoever is back from a payment and waits %s has the server ask the provider, three times at most, and no more once it is confirmed',
  async (_where, waits, has) => {
    const { answers, at } = server()
    history.replaceState({ paid: 'yes' }, '', '/subscribe')
    answers.on(paymentsApi.settle, () => ({}))
    const count = () => answers.asked.filter(({ path }) => path.endsWith(paymentsApi.settle.path)).length
    const { again } = show(waits, answers)
    await screen.findByText(/onfirmation/)
    expect(count()).toBe(0)
    await act(() => vi.advanceTimersByTimeAsync(2000))
    expect(count()).toBe(1)
    await act(() => vi.advanceTimersByTimeAsync(15_000))
    expect(count()).toBe(2)
    at.subscription = PAID
    again(has)
    await act(() => vi.advanceTimersByTimeAsync(300_000))
    expect(count()).toBe(2)
  },
)

test('Eve’s link claims a payment, and nobody is thanked for it: neither among the plans nor in a chat', async () => {
  const { answers } = server()
  history.replaceState(null, '', '/subscribe?paid=yes')
  const { again } = show(<PlanTab tier="premium" />, answers)
  await screen.findByRole('region', { name: 'Available plans' })
  expect(screen.queryByText(/Thank you/)).toBeNull()
  expect(address()).toBe('/subscribe')
  history.replaceState(null, '', `${CHAT}?paid=yes`)
  again(<PlanLine canSend={false} onUpgrade={vi.fn()} />)
  expect(screen.queryByText(/^Paid/)).toBeNull()
})

test('Who has filled a plan’s storage is told to delete files, because no month empties it; who has sent all messages may wait', async () => {
  const limits = { messagesLimit: 10, fileStorageLimitMB: 1024, videoCallMinutesLimit: 0 }
  const used = { messagesUsed: 3, fileStorageUsedMB: 1024, videoCallMinutesUsed: 0 }
  const { again } = show(<UsageCard usage={{ ...used, ...limits }} isReceived={false} />, makeAnswers())
  await screen.findByText('Delete files or upgrade your plan.')
  expect(screen.queryByText('Video minutes used')).toBeNull()
  again(<UsageCard usage={{ ...used, ...limits, messagesUsed: 10, fileStorageUsedMB: 3 }} isReceived={false} />)
  await screen.findByText('Upgrade your plan or wait until next month.')
})

test('The chat waits for the confirmation in one line, which then says until when', async () => {
  const { answers, at } = server()
  history.replaceState({ list: true, paid: 'yes' }, '', CHAT)
  const { again } = show(<PlanLine canSend={false} onUpgrade={vi.fn()} />, answers)
  await screen.findByText(/confirmation is on its way; your text is kept/)
  at.subscription = PAID
  again(<PlanLine canSend={true} onUpgrade={vi.fn()} />)
  await screen.findByText('Premium until December 24')
  again(<PlanLine canSend={false} onUpgrade={vi.fn()} />)
  await waitFor(() => expect(screen.queryByText(/^P(aid|remium)/)).toBeNull())
  expect(history.state).toEqual({ list: true })
  history.replaceState({ paid: 'yes' }, '', CHAT)
  again(<PlanLine canSend={true} onUpgrade={vi.fn()} />)
  await screen.findByText('Premium until December 24')
  act(() => history.pushState(null, '', CHAT))
  again(<PlanLine canSend={true} onUpgrade={vi.fn()} />)
  await waitFor(() => expect(screen.queryByText(/^Premium/)).toBeNull())
})

test.each([
  [true, ['Plan cancelled It has ended. Nothing will be charged.']],
  [false, []],
])('Who goes back to Free is told that nothing is charged where the last payment has failed: %s', async (hasFailed, expected) => {
  const { answers } = server()
  answers.on(paymentsApi.upgrade, () => ({ success: true }))
  const card = {
    ...{ tier: 'premium' as const, packageId: null, billingPeriod: 'monthly' as const, renews: true, hasFailed },
    ...{ periodEnd: '2026-12-24T12:00:00.000Z', graceUntil: null, waiting: null },
  }
  const { person } = show(<CurrentPlan tier="premium" subscription={{ ...PAID, card }} usage={null} />, answers)
  expect(screen.queryByText(/Downgrade to Free ends the plan at once/) !== null).toBe(hasFailed)
  await person.click(screen.getByRole('button', { name: 'Downgrade to Free' }))
  await waitFor(() => expect(screen.getByRole('button', { name: 'Downgrade to Free' })).toBeTruthy())
  expect(toastStore.getState().queue.map(({ title, text }) => `${title} ${text}`)).toEqual(expected)
})

test.each([
  ['family', null, /comes from the family circle.*nothing to downgrade.*when you leave the circle/],
  ['operator', null, /given to you without an end.*nothing to pay or to downgrade/],
  ['operator', PAID.endDate, /given to you\..*nothing to downgrade.*December 24, 2026, and nothing is charged/],
  [
    'coin',
    PAID.endDate,
    /paid by coin.*nothing to downgrade.*December 24, 2026, nothing more is charged, and no part.*comes back/,
  ],
  ['card', PAID.endDate, /^There is nothing to downgrade/],
] as const)('A plan from %s until %s says how it ends, and offers no downgrade', async (source, endDate, words) => {
  show(<CurrentPlan tier="premium" subscription={{ ...PAID, source, endDate }} usage={null} />, makeAnswers())
  expect(screen.getByText(words)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Downgrade to Free' })).toBeNull()
})

test('Beside Downgrade to Free stands when the plan ends, and that nothing is paid back', async () => {
  const card = {
    ...{ tier: 'premium' as const, packageId: null, billingPeriod: 'monthly' as const, renews: true, hasFailed: false },
    ...{ periodEnd: '2026-12-24T12:00:00.000Z', graceUntil: null, waiting: null },
  }
  show(<CurrentPlan tier="premium" subscription={{ ...PAID, source: 'card', card }} usage={null} />, makeAnswers())
  expect(screen.getByText(/^Downgrade to Free ends the plan on December 24, 2026.*not paid back/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Downgrade to Free' })).toBeTruthy()
})
