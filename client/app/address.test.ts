import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { goToAuth, leaveAuth } from './address.ts'

const page = { pathname: '/', search: '', state: null as unknown }
beforeEach(() => {
  Object.assign(page, { pathname: '/', search: '', state: null })
  vi.stubGlobal('location', page)
  vi.stubGlobal('history', {
    get state() {
      return page.state
    },
    replaceState(state: unknown, _: string, address: string) {
      const { pathname, search } = new URL(address, 'http://page')
      Object.assign(page, { state: structuredClone(state), pathname, search })
    },
  })
})
afterEach(() => vi.unstubAllGlobals())

test('A session that ended shows /auth, and signing in again leads back to where the person was', () => {
  Object.assign(page, { pathname: '/settings', search: '?tab=security' })
  goToAuth('alice')
  expect(page).toMatchObject({ pathname: '/auth', search: '' })
  // A second refusal in the meantime changes nothing.
  goToAuth('alice')
  leaveAuth('alice')
  expect(page).toMatchObject({ pathname: '/settings', search: '?tab=security', state: null })
})

test('Somebody else who signs in there does not land in the chat of the one before', () => {
  page.pathname = '/chat/dm_a_b'
  goToAuth('alice')
  leaveAuth('bob')
  expect(page).toMatchObject({ pathname: '/', state: null })
})

test.each([
  undefined,
  null,
  'text',
  { left: null },
  { left: { userId: 'alice' } },
  { left: { userId: 'alice', path: '//evil' } },
])('Without a place to go back to one lands at the start', (state) => {
  Object.assign(page, { pathname: '/auth', state })
  leaveAuth('alice')
  expect(page.pathname).toBe('/')
})

test('A browser that was removed keeps no place, and an address other than /auth stays as it is', () => {
  page.pathname = '/chat/dm_a_b'
  leaveAuth('alice')
  expect(page.pathname).toBe('/chat/dm_a_b')
  goToAuth()
  expect(page).toMatchObject({ pathname: '/auth', state: { left: null } })
})
