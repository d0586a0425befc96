// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { paymentsApi } from '../../../contract/money/payments.ts'
import { makeAnswers, openScreen, refused, show, toasts } from '../../testing/screen.tsx'
import { CheckoutDialog } from './CheckoutDialog.tsx'

openScreen()
beforeEach(() => history.replaceState(null, '', '/subscribe'))

const ORIGIN = 'https://pay.example.org'
const payment = {
  ...{ frameUrl: `${ORIGIN}/checkout`, clientSecret: 'cs_test_secret' },
  wanted: { tier: 'premium', billingPeriod: 'monthly' } as const,
}

function checkout(answers = makeAnswers()) {
  const onClose = vi.fn()
  const shown = show(<CheckoutDialog payment={payment} onClose={onClose} />, answers)
  const frame = screen.getByTitle<HTMLIFrameElement>('Payment by card')
  const inside = { postMessage: vi.fn() }
  Object.defineProperty(frame, 'contentWindow', { value: inside })
  const says = (type: unknown, { origin = ORIGIN, source = inside as unknown } = {}) =>
    act(() => void dispatchEvent(Object.assign(new Event('message'), { origin, source, data: { type } })))
  return { ...shown, onClose, frame, inside, says }
}

test('The form of the provider is in a frame of its own origin, which alone is handed what opens it', async () => {
  const { frame, inside, says } = checkout()
  expect(frame.getAttribute('sandbox')).not.toContain('top-navigation')
  expect(frame.getAttribute('referrerpolicy')).toBe('no-referrer')
  expect(screen.getByText('Loading checkout')).toBeTruthy()
  fireEvent.load(frame)
  expect(inside.postMessage.mock.calls).toEqual([[{ clientSecret: 'cs_test_secret' }, ORIGIN]])
  await says('ready')
  expect(screen.queryByText('Loading checkout')).toBeNull()
})

test('What is not said by the frame is not heard: not by another origin, and not by another window of the same one', async () => {
  const { says, onClose } = checkout()
  for (const from of [{ origin: 'https://evil.example' }, { source: {} }])
    for (const type of ['completed', 'failed', 'ready']) await says(type, from)
  expect(screen.getByText('Loading checkout')).toBeTruthy()
  expect(onClose).not.toHaveBeenCalled()
  expect(history.state).toBeNull()
})

test('A frame that says it is done is not believed: the page closes it, and asks the server', async () => {
  const { says, onClose } = checkout()
  await says('completed')
  expect(onClose).toHaveBeenCalledOnce()
  expect(history.state).toEqual({ paid: 'yes' })
})

test('A form that does not come in time, or says that it failed, is said, and can be tried again', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
  try {
    const { frame, person, onClose } = checkout()
    fireEvent.load(frame)
    await act(() => vi.advanceTimersByTimeAsync(3000))
    expect(screen.getByRole('alert').textContent).toContain('Failed to load checkout')
    await person.click(screen.getByRole('button', { name: 'Close and Try Again' }))
    expect(onClose).toHaveBeenCalledOnce()
  } finally {
    vi.useRealTimers()
  }
})

test('Who would rather pay at the provider’s page asks the server for it once; a refusal is said, and the form stays', async () => {
  const answers = makeAnswers()
  answers.on(paymentsApi.upgrade, () => {
    throw refused(503, 'card_unavailable', 'The card provider does not answer. Nothing was paid. Try again')
  })
  const { person, onClose } = checkout(answers)
  await person.click(screen.getByRole('button', { name: 'Pay at the provider’s page' }))
  await waitFor(() => expect(toasts()).toEqual(['Payment Error: The card provider does not answer. Nothing was paid. Try again']))
  expect(answers.asked.map(({ input }) => input)).toEqual([{ tier: 'premium', billingPeriod: 'monthly', embedded: false }])
  expect(onClose).not.toHaveBeenCalled()
  expect(screen.getByRole('button', { name: 'Cancel' })).toBeTruthy()
})
