// @vitest-environment happy-dom
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { FileContent } from '../../../contract/chat/content.ts'
import { resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { png } from '../../testing/pictures.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { openedStore } from '../files/openedFiles.ts'
import { SharedFiles } from './SharedFiles.tsx'

openScreen()
/** Tells each watched element that it is near, or that it is not. */
let isNear = true
/** What a former test began to open may end in this one. */
let run = 0
beforeEach(() => {
  run += 1
  isNear = true
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      tell: (entries: object[]) => void
      constructor(tell: (entries: object[]) => void) {
        this.tell = tell
      }
      observe = (element: Element) => element.className === 'shared-cell' && this.tell([{ isIntersecting: isNear }])
      disconnect = () => undefined
    },
  )
  vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }))
  roomsStore.setState({ rooms: new Map([['room', row as never]]) })
})
afterEach(() => {
  // What is still shown would open its file again.
  cleanup()
  openedStore.setState({ urls: new Map(), parts: {} })
  resetRooms()
  vi.unstubAllGlobals()
})

const row = { id: 'room', ownId: 'alice', lock: 'none', clearedSeq: 0, preview: null }
const person = { userId: 'bob', displayName: 'Bob', username: 'bob' }
const now = new Date(2026, 10, 26, 12, 0)

const message = (seq: number, at: Date, about: Partial<FileContent>, senderId = 'bob') => ({
  ...{ id: `${seq}`, chatRoomId: 'room', seq, senderId, at: at.toISOString() },
  body: {
    kind: 'content',
    content: {
      ...{ type: 'file', as: 'image', object: `${run} ${seq}`, storedBytes: 4096, key: '', hash: '', name: '', sizeBytes: 1 },
      ...{ mediaType: 'image/png', caption: '', ...about },
    },
  },
})
const voice = { as: 'audio', mediaType: 'audio/webm', voice: { seconds: 50, peaks: 'AAEC' } } as const

const messages = () => [
  message(1, new Date(2025, 9, 2), { name: 'old.png' }),
  message(2, new Date(2026, 10, 3), { name: 'first.png' }),
  message(3, new Date(2026, 10, 4), { as: 'file', name: 'film.mp4', mediaType: 'video/mp4' }),
  message(4, new Date(2026, 10, 24, 10, 0), voice),
  message(5, new Date(2026, 10, 25, 10, 0), voice, 'alice'),
  message(6, new Date(2026, 10, 25), { as: 'file', name: 'plan.pdf', mediaType: 'application/pdf' }),
  message(7, new Date(2026, 10, 26, 9, 0), { name: 'last.png' }),
]

function opens(all: object[] = messages()) {
  const opened = vi.fn(async (_: { content: { object: string } }) => new Blob([png([10, 10])]))
  const crypto = {
    page: async ({ before }: { before?: number }) => ({ messages: before === undefined ? all : [], from: 1 }),
    openFile: opened,
  }
  const onClose = vi.fn()
  const shown = show(<SharedFiles room={row as never} person={person as never} onClose={onClose} />, makeAnswers(), {
    crypto: crypto as never,
    clock: () => now,
  })
  return { ...shown, opened, onClose }
}

const cells = () => screen.getAllByRole('button').filter(({ className }) => className === 'shared-cell')
const names = () => cells().map((cell) => cell.getAttribute('aria-label'))

test('Media are a grid by month, newest first, and arrows walk it from month to month', async () => {
  const { person } = opens()
  await screen.findByRole('heading', { name: 'November 3' })
  expect(screen.getByRole('heading', { name: 'October 2025 1' })).toBeTruthy()
  const all = [
    'Open last.png, Today',
    'Play film.mp4, November 4, in the chat',
    'Open first.png, November 3',
    'Open old.png, October 2, 2025',
  ]
  expect(names()).toEqual(all)
  cells()[0]?.focus()
  const focused = () => document.activeElement?.getAttribute('aria-label')
  await person.keyboard('{ArrowRight}')
  expect(focused()).toBe(all[1])
  await person.keyboard('{ArrowDown}')
  expect(focused()).toBe(all[3])
  await person.keyboard('{ArrowUp}')
  expect(focused()).toBe(all[0])
  await person.keyboard('{End}')
  expect(focused()).toBe(all[3])
  // Tab reaches one cell alone: the one that was left.
  expect(cells().filter(({ tabIndex }) => tabIndex === 0)).toEqual([document.activeElement])
  await person.keyboard('{Enter}')
  await screen.findByRole('dialog', { name: 'old.png' })
})

test('A picture that stays on the screen is fetched, a video and what one scrolls past are not', async () => {
  const { opened } = opens()
  await waitFor(() => expect(opened).toHaveBeenCalledTimes(3))
  expect(opened.mock.calls.map(([{ content }]) => content.object).sort()).toEqual([1, 2, 7].map((seq) => `${run} ${seq}`))
})

test('What is not near the screen asks for nothing', async () => {
  isNear = false
  const { opened } = opens()
  await screen.findByRole('heading', { name: 'November 3' })
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(opened).not.toHaveBeenCalled()
})

test('Voice messages have a tab of their own, play there, and say their day in words', async () => {
  const { person, opened } = opens()
  await person.click(await screen.findByRole('tab', { name: 'Voice 2' }))
  const [mine, theirs] = screen.getAllByRole('listitem')
  expect(mine?.textContent).toContain('0:50, YesterdayYou')
  expect(theirs?.textContent).toContain('0:50, Tuesday')
  expect(theirs?.textContent).not.toContain('You')
  opened.mockClear()
  await person.click(within(theirs as HTMLElement).getByRole('button', { name: 'Play voice message' }))
  await waitFor(() => expect(opened.mock.calls.map(([{ content }]) => content.object)).toContain(`${run} 4`))
})

test('A file has its kind in a tile', async () => {
  const { person } = opens()
  await person.click(await screen.findByRole('tab', { name: 'Files 1' }))
  expect(document.querySelector('.kind-tile')?.textContent).toBe('PDF')
  expect(screen.getByRole('button', { name: /^Save plan.pdf/ })).toBeTruthy()
  await person.click(screen.getByRole('tab', { name: 'Links 0' }))
  expect(screen.getByText('No links')).toBeTruthy()
})

test('A chat that has shared nothing says so in each tab', async () => {
  const { person } = opens([])
  for (const [tab, words] of [
    ['Media 0', 'No photos or videos'],
    ['Voice 0', 'No voice messages'],
    ['Files 0', 'No files'],
  ] as const) {
    await person.click(await screen.findByRole('tab', { name: tab }))
    expect(screen.getByText(words)).toBeTruthy()
  }
})

test('A picture that this browser cannot show has a sign in its place', async () => {
  opens([message(1, new Date(2026, 10, 3), { name: 'first.png' })])
  await waitFor(() => expect(document.querySelector('.shared-cell img')?.getAttribute('src')).toContain('blob:'))
  fireEvent.error(document.querySelector('.shared-cell img') as Element)
  expect(document.querySelector('.shared-cell img')).toBeNull()
  expect(document.querySelector('.shared-cell .lucide-circle-alert')).toBeTruthy()
})
