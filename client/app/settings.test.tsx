// @vitest-environment happy-dom
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { User } from '../../contract/account/account.ts'
import { accountStore } from '../me/account/accountState.ts'
import { waysStore } from '../me/account/ways.ts'
import { devicesStore } from '../me/devices/store.ts'
import { openScreen, show, toasts } from '../testing/screen.tsx'
import { shownBob } from '../testing/shown.ts'
import { AlertDialog } from '../ui/AlertDialog.tsx'
import { ASKED } from './askedTab.ts'
import { watchLockKey } from './lockPage.ts'
import { addressOf, GROUPS, tabOf } from './places.ts'
import { Settings } from './Settings.tsx'
import { PARTS, type PartId, TITLES } from './settingsWords.ts'
import { useKeys } from './useKeys.tsx'

openScreen()

const ALICE: User = {
  ...{ id: '9d3c7a52-0f51-4a7e-9e0b-1c6f3f5d0b01', username: 'Alice', displayName: 'Alice', profileImageUrl: null },
  ...{ isAdmin: false, subscriptionTier: 'free', biometricEnabled: false, email: null, onionAddress: null, hasKeys: true },
  ...{ deviceId: null, privacy: { presence: true, lastSeen: true, typing: true, receipts: true } },
}
const never = () => new Promise<never>(() => undefined)
/** The worker of a browser without a lock; what is not asked about here it never answers. */
const worker = (answers: Record<string, () => Promise<unknown>> = {}) =>
  new Proxy({ lockStanding: async () => null, ...answers } as object, { get: (known, verb) => Reflect.get(known, verb) ?? never })
const kept = { rooms: [], waitingBytes: 0, isOnDisk: true }

const back = vi.fn()
const leave = vi.fn()
function open(address: string, crypto = worker({ keptFiles: async () => kept, transferRows: async () => [] })) {
  history.replaceState(null, '', address)
  return show(<Settings user={ALICE} onBack={back} onLogout={leave} />, { api: never as never }, { crypto: crypto as never })
}
const narrow = (isNarrow: boolean) =>
  vi
    .spyOn(globalThis, 'matchMedia')
    .mockImplementation(
      (query) => ({ matches: isNarrow && query.includes('767'), addEventListener: never, removeEventListener: never }) as never,
    )
const step = vi.fn()
/** The keys of the messenger around the settings. */
function Keys() {
  useKeys({ palette: vi.fn(), keys: vi.fn(), previous: vi.fn(), next: vi.fn(), back: step })
  return null
}
const title = (name: string) => screen.findByRole('heading', { level: 1, name })
const row = (name: string) => screen.getByRole(/^(Profile|Plan|Security)$/.test(name) ? 'tab' : 'link', { name })

beforeEach(() => {
  back.mockReset()
  leave.mockReset()
  step.mockReset()
  accountStore.setState({ phase: 'signed_in', user: ALICE, notice: null })
  waysStore.setState({ userId: ALICE.id, ways: null, factors: null, failure: null })
  devicesStore.setState({ status: 'ready' })
  vi.stubGlobal('fetch', never)
  vi.stubGlobal('indexedDB', { databases: async () => [] })
})
afterEach(() => {
  vi.unstubAllGlobals()
  devicesStore.setState(devicesStore.getInitialState())
  sessionStorage.clear()
})

test('Each page has an address, which Back returns to; three of them are the tabs', async () => {
  const { person } = open('/settings')
  await title('Profile')
  expect(screen.getAllByRole('tab')).toEqual(['Profile', 'Plan', 'Security'].map(row))
  for (const place of [...GROUPS.flat().slice(1), 'profile' as const]) {
    await person.click(row(TITLES[place]))
    expect(await title(TITLES[place])).toBe(document.activeElement)
    expect(location.pathname + location.search).toBe(addressOf(place))
    expect(row(TITLES[place]).getAttribute('aria-current')).toBe('page')
    expect(screen.getByRole('tab', { selected: true })).toBe(row(TITLES[tabOf(place)]))
  }
  act(() => history.back())
  await title('Devices')
})

test('Another screen’s wish opens its page, and leaves its address', async () => {
  sessionStorage.setItem(ASKED, 'subscription')
  open('/settings')
  await title('Plan')
  await waitFor(() => expect(location.search).toBe('?tab=plan'))
  expect(sessionStorage.getItem(ASKED)).toBeNull()
})

test.each(Object.keys(PARTS) as PartId[])('The address of the part “%s” leads to it', async (id) => {
  devicesStore.setState({ identityKey: shownBob.identityKey })
  open(addressOf(PARTS[id].place, id))
  const heading = await screen.findByRole('heading', { level: 2, name: PARTS[id].title })
  await waitFor(() => expect(document.getElementById(id)?.contains(document.activeElement)).toBe(true))
  expect(document.getElementById(id)?.contains(heading)).toBe(true)
})

test('A part that has moved is found at its old address', async () => {
  open('/settings?tab=security#code')
  await title('About')
  expect(location.search + location.hash).toBe('?tab=about#code')
})

test('The arrows walk the list, also to its end, and the space bar opens a tab', async () => {
  const { person } = open('/settings')
  await title('Profile')
  row('About').focus()
  await person.keyboard('{ArrowDown}')
  expect(document.activeElement).toBe(row('Plan'))
  await person.keyboard(' ')
  await title('Plan')
  row('Profile').focus()
  await person.keyboard('{ArrowUp}')
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Logout' }))
})

test('What Alice typed into her profile is there when she comes back, and the list says that it is not saved', async () => {
  const { person } = open('/settings')
  const field = await screen.findByLabelText(/^Display name/)
  expect(screen.queryByText('Changes are not saved')).toBeNull()
  await person.type(field, ' Ma')
  expect(within(row('Profile')).getByText('Changes are not saved')).toBeTruthy()
  await person.click(row('Privacy'))
  await title('Privacy')
  expect(screen.getByText('Changes are not saved')).toBeTruthy()
  await person.click(row('Profile'))
  expect(await screen.findByLabelText(/^Display name/)).toHaveProperty('value', 'Alice Ma')
  await person.click(screen.getByRole('button', { name: 'Undo' }))
  expect(screen.queryByText('Changes are not saved')).toBeNull()
})

test('Escape leaves a field first, for the title of the page; in a switch it is a step back as everywhere', async () => {
  const { person } = open('/settings')
  render(<Keys />)
  await person.click(await screen.findByLabelText(/^Display name/))
  await person.keyboard('{Escape}')
  expect(document.activeElement).toBe(await title('Profile'))
  expect(step).not.toHaveBeenCalled()
  await person.click(row('Notifications'))
  screen.getByRole('switch', { name: 'Sound' }).focus()
  await person.keyboard('{Escape}')
  expect(step).toHaveBeenCalledOnce()
  expect(back).not.toHaveBeenCalled()
})

test('What asks for Alice has a dot in the list: a new browser, and the kit that she has not made', async () => {
  devicesStore.setState({ announced: [{ id: 'b' } as never] })
  waysStore.setState({ ways: { kit: null, passkeys: [], password: true } as never })
  open('/settings?tab=about')
  await title('About')
  expect([...document.querySelectorAll('.place-asks')].map((dot) => dot.closest('.place'))).toEqual([
    row('Security'),
    row('Devices'),
  ])
  expect(within(row('Devices')).getByText('A new browser')).toBeTruthy()
})

test('A phone shows the list, or one page; back leads to the row that was pressed', async () => {
  narrow(true)
  const { person } = open('/settings')
  expect(await title('Settings')).toBe(document.activeElement)
  expect(screen.getByRole('main', { name: 'Settings' })).toBeTruthy()
  await person.click(row('Storage'))
  await title('Storage')
  await person.click(screen.getByRole('button', { name: 'Back to settings' }))
  await title('Settings')
  await waitFor(() => expect(document.activeElement).toBe(row('Storage')))
  expect(location.search).toBe('')
})

test('A window that has become narrow leads to the list too, whatever page was open before', async () => {
  const { person, again } = open('/settings?tab=security')
  await title('Security')
  await person.click(row('Storage'))
  await title('Storage')
  narrow(true)
  again(<Settings key="narrow" user={ALICE} onBack={back} onLogout={leave} />)
  await person.click(await screen.findByRole('button', { name: 'Back to settings' }))
  await title('Settings')
  expect(location.search).toBe('')
})

test('Logout is asked about by the one dialog that the list of chats has as well', async () => {
  const { person } = open('/settings')
  await title('Profile')
  await person.click(screen.getByRole('button', { name: 'Logout' }))
  expect(leave).toHaveBeenCalledOnce()
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('A part without a field keeps its title in focus only until the person reads on', async () => {
  open('/settings?tab=security#administrators')
  const heading = await screen.findByRole('heading', { level: 2, name: PARTS.administrators.title })
  await waitFor(() => expect(document.activeElement).toBe(heading))
  const elsewhere = screen.getByRole('button', { name: 'Back to chat' })
  // As a screen reader does it: without a press.
  elsewhere.focus()
  await act(async () => void heading.parentElement?.append(document.createElement('p')))
  expect(document.activeElement).toBe(elsewhere)
})

test('Where no lock is set, Lock now and its key lead to the field that sets one', async () => {
  const env = open('/settings')
  await title('Profile')
  await env.person.click(screen.getByRole('button', { name: 'Lock now' }))
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Off')))
  expect(location.search + location.hash).toBe('?tab=security#lock')
})

test('Ctrl Alt L asks for the lock from everywhere; AltGr L writes a letter', async () => {
  const asked: string[] = []
  const stop = watchLockKey({ crypto: worker() } as never, ALICE.id, (address) => asked.push(address))
  const held = { key: 'l', code: 'KeyL', ctrlKey: true, altKey: true }
  fireEvent.keyDown(document.body, { ...held, key: 'ł', modifierAltGraph: true })
  fireEvent.keyDown(document.body, { ...held, altKey: false })
  fireEvent.keyDown(document.body, held)
  await waitFor(() => expect(asked).toEqual(['/settings?tab=security#lock']))
  stop()
})

test('A key that is held down asks once; beneath a dialog a browser without a lock says that it is not locked', async () => {
  const asked: string[] = []
  const standing = vi.fn(async () => null)
  const stop = watchLockKey({ crypto: worker({ lockStanding: standing }) } as never, ALICE.id, (address) => asked.push(address))
  show(<AlertDialog title="Sure?" text="" action="Yes" pendingAction="" isPending={false} onConfirm={back} onCancel={back} />, {
    api: never as never,
  })
  const held = { key: 'l', code: 'KeyL', ctrlKey: true, altKey: true }
  fireEvent.keyDown(document.body, held)
  fireEvent.keyDown(document.body, { ...held, repeat: true })
  await waitFor(() => expect(toasts()).toEqual(['Not locked: This browser has no lock yet.']))
  expect(standing).toHaveBeenCalledOnce()
  expect(asked).toEqual([])
  stop()
})

test('The text size is shown at once, and kept for the next start', async () => {
  const { person } = open('/settings')
  await person.click(await screen.findByRole('radio', { name: 'Largest' }))
  expect([document.documentElement.dataset['text'], localStorage.getItem('text')]).toEqual(['largest', 'largest'])
  await person.click(screen.getByRole('radio', { name: 'Normal' }))
  expect([document.documentElement.dataset['text'], localStorage.getItem('text')]).toEqual([undefined, null])
})
