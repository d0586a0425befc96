// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
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
