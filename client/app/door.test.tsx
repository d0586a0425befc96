// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import type { Env } from '../env.ts'
import { start } from '../me/account/account.ts'
import { accountStore } from '../me/account/accountState.ts'
import { closeDoor } from '../me/door/closeDoor.ts'
import { createApi } from '../net/api.ts'
import { connectionStore } from '../net/status.ts'
import { openScreen, show } from '../testing/screen.tsx'
import { App } from './App.tsx'

openScreen()

const ADDRESS = `${'q5x3tj7w'.repeat(7)}.onion`
const USER = JSON.stringify({ id: '7f6f4c36-9a1e-4b58-8f07-0b7f1b0f7f01', username: 'alice' })

beforeEach(() => {
  localStorage.clear()
  accountStore.setState(accountStore.getInitialState())
  connectionStore.setState(connectionStore.getInitialState())
  delete document.documentElement.dataset['frame']
})

/** A page whose server refuses everything like this. */
function page(details: unknown) {
  const fetch = vi.fn(async () => Response.json({ code: 'tor_required', error: '', details }, { status: 403 }))
  const socket = {
    on: () => () => undefined,
    send: () => false,
    open: vi.fn(),
    close: vi.fn(),
    retry: vi.fn(),
    reconnect: vi.fn(),
  }
  const crypto = { close: vi.fn(async () => undefined), offlineWays: vi.fn(async () => ({}) as never) }
  const api = createApi({ fetch, onTorRequired: (told) => closeDoor(env, told) })
  const env = { api, socket, crypto, clock: () => new Date() } as unknown as Env
  const shown = show(<App />, { api }, env)
  return { ...shown, fetch, socket, crypto, begins: () => void start(env, () => undefined, 10) }
}

const door = () => screen.findByRole('heading', { name: 'This room opens from Tor alone.' })

test('A server that is reached by Tor alone shows by which address to come, and no form, socket or second question', async () => {
  const { begins, fetch, socket, person } = page({ onionAddress: ADDRESS })
  begins()
  await door()
  expect(screen.getByText(ADDRESS)).toBeTruthy()
  expect([screen.queryAllByRole('textbox'), screen.queryAllByRole('tab')]).toEqual([[], []])
  await person.click(screen.getByRole('button', { name: 'Copy the onion address' }))
  expect(await navigator.clipboard.readText()).toBe(ADDRESS)
  expect(fetch).toHaveBeenCalledOnce()
  expect(socket.open).not.toHaveBeenCalled()
  expect(screen.queryByText(/Nothing of yours is lost/)).toBeNull()
})

test('Whose account this browser has keeps it: nothing is signed out, and the door says what stays', async () => {
  localStorage.setItem('user', USER)
  const { begins, crypto } = page({ onionAddress: ADDRESS })
  begins()
  await door()
  expect(screen.getByText(/Nothing of yours is lost/)).toBeTruthy()
  expect(localStorage.getItem('user')).toBe(USER)
  expect(crypto.close).toHaveBeenCalledOnce()
  // A browser that opens without the server would show that after a while.
  await waitFor(() => expect(crypto.offlineWays).toHaveBeenCalled())
  expect(accountStore.getState().phase).toBe('door')
})

test.each([[null], [{}], [{ onionAddress: null }], [{ onionAddress: 'evil.example' }], [{ onionAddress: 7 }]])(
  'A server that names no onion address, but %o, sends to whoever runs it',
  async (details) => {
    page(details).begins()
    await door()
    expect(screen.getByText(/Ask whoever runs this server/)).toBeTruthy()
    expect(screen.queryByRole('button')).toBeNull()
    expect(screen.queryByText(/evil/)).toBeNull()
  },
)

test('The door says that passkeys and the kept sign-in belong to this address, and leads to what may be read', async () => {
  page(null).begins()
  await door()
  expect(screen.getByText(/Passkeys, and the sign-in that this browser keeps, belong to this address/)).toBeTruthy()
  const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'))
  expect(links).toEqual(['/#home', 'https://www.torproject.org/download/', '/#home', '/security', '/security/threat-model'])
  for (const link of screen.getAllByRole('link'))
    if (link.getAttribute('target') === '_blank') expect(link.getAttribute('rel')).toBe('noopener noreferrer')
})
