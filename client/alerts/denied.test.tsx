// @vitest-environment happy-dom
import { cleanup, screen, within } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { makeAnswers, openScreen, show } from '../testing/screen.tsx'
import { NotificationSettings } from './notifications/NotificationSettings.tsx'
import { PushSettings } from './push/PushSettings.tsx'

openScreen()
afterEach(() => vi.unstubAllGlobals())

/** A browser that answers so when it is asked for notifications. */
function answers(permission: NotificationPermission) {
  vi.stubGlobal('isSecureContext', true)
  vi.stubGlobal('PushManager', class {})
  vi.stubGlobal('Notification', { permission })
  Object.defineProperty(navigator, 'serviceWorker', { value: {}, configurable: true })
}
const settings = (
  <NotificationSettings>
    <PushSettings />
  </NotificationSettings>
)
const switches = ['Tell me when this page is in the background', 'Notify me when Conclave is closed']

test('Where the browser says no, both choices are off and say where to say yes; who comes back from there may choose', async () => {
  answers('denied')
  show(settings, makeAnswers())
  expect(screen.getAllByText(/^Your browser blocks notifications of this page[.] Allow them in its settings/)).toHaveLength(2)
  for (const name of switches) expect(screen.getByRole('switch', { name })).toHaveProperty('disabled', true)
  answers('default')
  dispatchEvent(new Event('focus'))
  expect(await screen.findAllByText(/Your browser asks you first[.]/)).toHaveLength(2)
  for (const name of switches) expect(screen.getByRole('switch', { name })).toHaveProperty('disabled', false)
})

test.each([
  ['an iPhone', { userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/604.1', maxTouchPoints: 5 }],
  ['an iPad', { userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Safari/605.1.15', maxTouchPoints: 5 }],
])('On %s the way to the Home Screen stands where notifications are switched on, until it is taken', (_, named) => {
  answers('default')
  const known = globalThis.PushManager
  Reflect.deleteProperty(globalThis, 'PushManager')
  vi.stubGlobal('navigator', { ...named, serviceWorker: {} })
  show(settings, makeAnswers())
  const steps = screen.getByRole('region', { name: 'On an iPhone or iPad' })
  expect(within(steps).getAllByRole('listitem')).toHaveLength(4)
  expect(steps.textContent).toMatch(/Add to Home Screen.*sign in there.*Notify me when Conclave is closed/)
  cleanup()
  vi.stubGlobal('PushManager', known)
  show(settings, makeAnswers())
  expect(screen.queryByText('On an iPhone or iPad')).toBeNull()
})

test('A Mac or a desk without push is not sent to a Home Screen', () => {
  answers('default')
  Reflect.deleteProperty(globalThis, 'PushManager')
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (Macintosh)', maxTouchPoints: 0, serviceWorker: {} })
  show(settings, makeAnswers())
  expect(screen.getByText('This browser cannot be told while Conclave is closed.')).toBeTruthy()
  expect(screen.queryByText('On an iPhone or iPad')).toBeNull()
})

test.each([
  ['over plain HTTP', { isSecureContext: false }, 'Browsers are told of news on HTTPS alone.'],
  ['that knows none', { Notification: undefined }, 'This browser shows no notifications of pages.'],
])('A browser %s is not asked', (_, globals, words) => {
  answers('default')
  for (const [name, value] of Object.entries(globals)) {
    if (value === undefined) Reflect.deleteProperty(globalThis, name)
    else vi.stubGlobal(name, value)
  }
  show(settings, makeAnswers())
  expect(screen.getByText(words, { exact: false })).toBeTruthy()
  for (const name of switches) expect(screen.getByRole('switch', { name })).toHaveProperty('disabled', true)
})
