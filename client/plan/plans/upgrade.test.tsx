// @vitest-environment happy-dom
import { act, screen, within } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { type Package, paymentsApi, type Subscription } from '../../../contract/money/payments.ts'
import { accountStore } from '../../me/account/accountState.ts'
import { makeAnswers, openScreen, refused, show } from '../../testing/screen.tsx'
import { plansStore } from './store.ts'
import { UpgradeDialog } from './UpgradeDialog.tsx'

openScreen()

const PREMIUM: Package = {
  ...{ id: '5b0c1f52-6d0b-4c3e-9a6b-0f5a3c1d2e01', name: 'Premium', description: '', tier: 'premium', monthlyPrice: 100_000 },
  ...{ yearlyPrice: 0, messagesLimit: -1, fileStorageGB: -1, voiceCallMinutes: -1, videoCallMinutes: -1, isActive: true },
  ...{ displayOrder: 0, advancedEncryption: false, prioritySupport: false, customBranding: false, apiAccess: false },
}

/** The dialog of somebody whose server takes cards so. */
function dialog(cardProvider: Subscription['cardProvider'], isRefused = true) {
  plansStore.setState({ subscription: null, packages: null, usage: null, failure: null })
  const answers = makeAnswers()
  answers.on(paymentsApi.subscription, () => ({
    ...{ tier: 'free' as const, packageId: null, endDate: null, card: null, hasInvoices: false, refundableCents: null },
    ...{ cardProvider, masterPrice: { monthlyCents: null, yearlyCents: null } },
  }))
  answers.on(paymentsApi.packages, () => [PREMIUM])
  const none = { messagesUsed: 0, fileStorageUsedMB: 0, videoCallMinutesUsed: 0 }
  const limits = { messagesLimit: 100, fileStorageLimitMB: 50, videoCallMinutesLimit: 30 }
  answers.on(paymentsApi.usage, () => ({ ...none, ...limits }))
  const onClose = vi.fn()
  return { ...show(<UpgradeDialog feature="messaging" isRefused={isRefused} onClose={onClose} />, answers), answers, onClose }
}

test('The plans stand in two rows, the cheaper first: the button names the one that is chosen, and asks for that one', async () => {
  const { person, answers } = dialog('stripe')
  answers.on(paymentsApi.upgrade, () => {
    throw refused(503, 'card_unavailable', 'The card provider does not answer. Nothing was paid. Try again')
  })
  await screen.findByText('Unlimited messages, calls and files')
  const rows = within(screen.getByRole('radiogroup', { name: 'Plan' })).getAllByRole('radio')
  expect(rows.map((row) => row.closest('label')?.textContent)).toEqual([
    'Test10 messages a month, calls, files up to 10\u00a0MB$1/month',
    'PremiumUnlimited messages, calls and files$1,000/month',
  ])
  expect(screen.getByText(/Your text is kept\.$/)).toBeTruthy()
  expect(screen.queryByText(/support/)).toBeNull()
  expect(rows.map((row) => 'checked' in row && row.checked)).toEqual([false, true])
  screen.getByRole('button', { name: 'Choose Premium' })
  await person.click(screen.getByText(/^10 messages a month/))
  await person.click(screen.getByRole('button', { name: 'Choose Test' }))
  expect(answers.asked.filter(({ path }) => path.startsWith('POST')).map(({ input }) => input)).toMatchObject([{ tier: 'test' }])
})

test('Where no card is taken nobody is asked for a price that cannot be paid, and nothing says that a text is kept where there is none', async () => {
  const { person, onClose } = dialog('off', false)
  await screen.findByText('Card payment is not set up on this server.')
  expect(screen.getByRole('radiogroup').textContent).not.toContain('$')
  expect(screen.queryByText(/Your text is kept/)).toBeNull()
  expect(screen.queryByRole('button', { name: /^Choose/ })).toBeNull()
  await person.click(screen.getByRole('button', { name: 'Maybe Later' }))
  expect(onClose).toHaveBeenCalledOnce()
})

test('A plan that comes while the dialog stands closes it, as by a coin; who has one already, whose limit is reached, keeps it', async () => {
  const { onClose } = dialog('stripe')
  await screen.findByRole('button', { name: 'Choose Premium' })
  const user = { id: '1', username: 'alice' }
  const has = (subscriptionTier: string) => act(() => accountStore.setState({ user: { ...user, subscriptionTier } as never }))
  has('free')
  expect(onClose).not.toHaveBeenCalled()
  has('premium')
  expect(onClose).toHaveBeenCalledOnce()
  const second = dialog('stripe')
  await screen.findAllByText(/^Choose/)
  expect(second.onClose).not.toHaveBeenCalled()
  accountStore.setState(accountStore.getInitialState())
})
