// @vitest-environment happy-dom
import { screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { makeAnswers, openScreen, show } from '../testing/screen.tsx'
import { hasStore } from './hasStore.ts'
import { useWindowNote } from './useWindowNote.tsx'

openScreen()
afterEach(() => vi.unstubAllGlobals())

function Screen({ goesWithout = '' }) {
  return <main>{useWindowNote(goesWithout)}</main>
}

function showIn(getDirectory: (() => Promise<unknown>) | undefined, goesWithout?: string) {
  vi.stubGlobal('navigator', { storage: getDirectory && { getDirectory } })
  show(<Screen {...(goesWithout !== undefined && { goesWithout })} />, makeAnswers())
}

test.each(['SecurityError', 'UnknownError'])(
  'A window that refuses a page its files with %s is said to keep nothing',
  async (name) => {
    showIn(() => Promise.reject(new DOMException('private', name)))
    expect(await screen.findByText('Nothing is kept after this window.')).toBeDefined()
  },
)

test('Where the window refuses databases too, it says that a page is as far as it goes', async () => {
  const words = /each time the page is loaded, and in one tab alone/
  vi.stubGlobal('indexedDB', { databases: async () => [] })
  showIn(() => Promise.reject(new DOMException('private', 'SecurityError')))
  expect((await screen.findByText('Nothing is kept after this window.')).parentElement?.textContent).not.toMatch(words)
  vi.stubGlobal('indexedDB', { databases: () => Promise.reject(new DOMException('private', 'InvalidStateError')) })
  showIn(() => Promise.reject(new DOMException('private', 'SecurityError')))
  expect(await screen.findByText(words)).toBeDefined()
})

test.each([
  ['InvalidStateError', false],
  ['SecurityError', false],
  ['UnknownError', true],
])('A database that is refused with %s says whether the window has a store: %s', async (name, isThere) => {
  vi.stubGlobal('indexedDB', { databases: () => Promise.reject(new DOMException('no', name)) })
  expect(await hasStore()).toBe(isThere)
})

test('A browser that lists no databases has a store, one that knows none has not', async () => {
  vi.stubGlobal('indexedDB', {})
  expect(await hasStore()).toBe(true)
  vi.stubGlobal('indexedDB', undefined)
  expect(await hasStore()).toBe(false)
})

test('Nothing is said where files are kept, where the disk fails, and in a browser that knows no files', async () => {
  const asked = vi.fn(() => Promise.reject(new DOMException('full', 'QuotaExceededError')))
  for (const directory of [async () => ({}), asked, undefined]) showIn(directory)
  await vi.waitFor(() => expect(asked).toHaveBeenCalled())
  await vi.dynamicImportSettled()
  expect(screen.queryByText(/Nothing is kept/)).toBeNull()
})

test('What a browser goes without is said by name, with the window’s store and without one', async () => {
  showIn(undefined, 'calls and passkeys')
  expect(await screen.findByText('This browser goes without calls and passkeys.')).toBeDefined()
  expect(screen.queryByText(/Nothing is kept/)).toBeNull()
  showIn(() => Promise.reject(new DOMException('private', 'SecurityError')), 'voice messages')
  expect(await screen.findByText('This browser goes without voice messages.')).toBeDefined()
  expect(await screen.findByText('Nothing is kept after this window.')).toBeDefined()
})
