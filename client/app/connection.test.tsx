// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Composer } from '../chat/messages/Composer.tsx'
import { connectionStore } from '../net/status.ts'
import { trustOf } from '../rooms/trust/trustPill.ts'
import { makeAnswers, openScreen, show } from '../testing/screen.tsx'
import { shownBob, shownRoom } from '../testing/shown.ts'
import { ConnectionStatus } from './ConnectionStatus.tsx'

openScreen()

type Person = ReturnType<typeof show>['person']

const ADDRESS = `${'q5x3tj7w'.repeat(7)}.onion`
const happy = (globalThis as never as { happyDOM: { setURL(url: string): void } }).happyDOM
const isNarrow = { matches: false }

beforeEach(() => {
  happy.setURL('https://chat.example.org/')
  connectionStore.setState({ ...connectionStore.getInitialState(), phase: 'open' })
  vi.spyOn(globalThis, 'matchMedia').mockImplementation(
    () => ({ ...isNarrow, addEventListener: () => undefined, removeEventListener: () => undefined }) as never,
  )
})
afterEach(() => {
  isNarrow.matches = false
  happy.setURL('https://chat.example.org/')
})

function status(state: Partial<ReturnType<typeof connectionStore.getState>>, heardAt = Date.now()) {
  const heard = { at: heardAt }
  connectionStore.setState(state)
  const reconnect = vi.fn()
  const socket = { on: () => () => undefined, send: () => undefined, close: () => undefined, reconnect, heardAt: () => heard.at }
  const shown = show(
    <aside>
      <ConnectionStatus />
    </aside>,
    makeAnswers(),
    { socket: socket as never },
  )
  const open = async () => {
    await shown.person.click(screen.getByRole('button', { expanded: false }))
    return within(await screen.findByRole('dialog'))
  }
  return { ...shown, heard, reconnect, open }
}

test.each([
  ['onion', 'Connected via Tor'],
  ['direct', 'Connected · not via Tor'],
] as const)('A connection that came in %s says “%s”, by the word of this very connection', (ingress, words) => {
  status({ ingress, onionAddress: ADDRESS })
  expect(screen.getByRole('button', { name: words }).closest('[role=status]')).toBeTruthy()
})

test('Via Tor the sheet says what goes by onion, that a call leaves it only by a press, and what the server still knows', async () => {
  const { open } = status({ ingress: 'onion', onionAddress: ADDRESS }, new Date(2026, 10, 26, 17, 2).getTime())
  const sheet = await open()
  expect(sheet.getByText('Calls, direct files').parentElement?.textContent).toContain('only if you allow one')
  expect(sheet.getByText(/It still knows your account, and when you are here/)).toBeTruthy()
  expect(sheet.getByText('Said by this connection itself, last heard at 5:02 PM.')).toBeTruthy()
})

test('Where Tor is required the sheet says that no call leaves it', async () => {
  const { open } = status({ ingress: 'onion', isTorRequired: true })
  expect((await open()).getByText('Calls, direct files').parentElement?.textContent).toContain('never')
})

test('Not via Tor the server’s onion address is copied by one press beside the status, and from the sheet', async () => {
  const { open, person } = status({ ingress: 'direct', onionAddress: ADDRESS })
  await person.click(screen.getByRole('button', { name: 'Copy the server’s onion address' }))
  expect(await navigator.clipboard.readText()).toBe(ADDRESS)
  const sheet = await open()
  expect(sheet.getByText(ADDRESS)).toBeTruthy()
  await navigator.clipboard.writeText('')
  await person.click(sheet.getByRole('button', { name: 'Copy the onion address' }))
  expect(await navigator.clipboard.readText()).toBe(ADDRESS)
})

test('At an onion address that the server does not run itself the sheet does not speak of a provider who sees it', async () => {
  happy.setURL(`http://${ADDRESS}/`)
  const sheet = await status({ ingress: 'direct', onionAddress: ADDRESS }).open()
  expect(sheet.getByText(/the server cannot tell that it came by Tor/)).toBeTruthy()
  expect(sheet.queryByText(/your provider sees/)).toBeNull()
})

test('Escape closes the sheet and gives the focus back to the status; a second press closes it too', async () => {
  const { open, person } = status({ ingress: 'onion' })
  await open()
  await person.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Connected via Tor' })))
  await open()
  await person.click(screen.getByRole('button', { expanded: true }))
  expect(screen.queryByRole('dialog')).toBeNull()
})

/** Somebody who writes beside the status. */
async function writes() {
  const shown = status({ ingress: 'onion' })
  const field = document.body.appendChild(document.createElement('textarea'))
  field.focus()
  await shown.person.keyboard('half a')
  return { ...shown, field }
}

test.each([
  ['Escape', async (person: Person) => person.keyboard('{Escape}')],
  ['a second press', async (person: Person) => person.click(screen.getByRole('button', { expanded: true }))],
  ['a window of another size', async () => void dispatchEvent(new Event('resize'))],
])('Whoever looks at the sheet while writing goes on writing after %s', async (_how, closes) => {
  const { open, person, field } = await writes()
  await open()
  expect(document.activeElement).toBe(screen.getByRole('dialog'))
  await closes(person)
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await waitFor(() => expect(document.activeElement).toBe(field))
  await person.keyboard(' word')
  expect(field.value).toBe('half a word')
  field.remove()
})

test('In a narrow window the sheet gives the focus back to whoever writes as well', async () => {
  isNarrow.matches = true
  const { open, person, field } = await writes()
  await open()
  await person.keyboard('{Escape}')
  await waitFor(() => expect(document.activeElement).toBe(field))
  field.remove()
})

test('In a narrow window it is a sheet with a title and a way to close it', async () => {
  isNarrow.matches = true
  const { open, person } = status({ ingress: 'onion' })
  const sheet = await open()
  expect(sheet.getByRole('heading', { name: 'Connected via Tor' })).toBeTruthy()
  await person.click(sheet.getByRole('button', { name: 'Close' }))
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('After six seconds without a connection the person may try again by hand, and not sooner', async () => {
  happy.setURL(`http://${ADDRESS}/`)
  const { open, person, reconnect, heard } = status({ phase: 'connecting' })
  const sheet = await open()
  expect(screen.getByRole('status').textContent).toBe('Connecting to Tor network...')
  expect(sheet.queryByRole('button', { name: 'Try again now' })).toBeNull()
  heard.at -= 6000
  await person.click(await sheet.findByRole('button', { name: 'Try again now' }))
  expect(reconnect).toHaveBeenCalledOnce()
  expect(sheet.getByText(/Nothing falls back to the open network/)).toBeTruthy()
})

test('A server that asks to wait is named, says why in the sheet, and Reconnect goes at once', async () => {
  const { open, person, reconnect } = status({ phase: 'waiting', pause: 'asked' })
  expect(screen.getByRole('button', { name: 'Paused: the server asks to wait' })).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Reconnect' }))
  expect(reconnect).toHaveBeenCalledOnce()
  expect((await open()).getByText(/connects by itself within a minute/)).toBeTruthy()
})

test.each([
  ['http://abc.onion/', 'Connecting to Tor network...'],
  ['https://chat.example.org/', 'Connecting...'],
])('At %s status, chat and composer say “%s” while the server is waited for', (url, words) => {
  happy.setURL(url)
  status({ phase: 'connecting' })
  expect(screen.getByRole('status').textContent).toBe(words)
  const chat = { person: shownBob, connection: 'connecting', stop: undefined, isLocked: false, hasKeys: true } as const
  expect(trustOf(chat).state).toBe(words)
  const crypto = { readDraft: async () => '', readReply: async () => null, readEdit: async () => null, draft: async () => '' }
  show(<Composer room={shownRoom} hasPlan isBlocked={false} onUpgrade={() => undefined} />, makeAnswers(), {
    crypto: crypto as never,
  })
  expect(screen.getByRole('textbox', { name: 'Message' }).getAttribute('placeholder')).toBe(words)
})
