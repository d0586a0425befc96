// @vitest-environment happy-dom
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import type { ComponentProps } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { FileContent } from '../../../contract/chat/content.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { REFUSAL_TEXTS } from '../../../contract/ground/refusaltexts.ts'
import { resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { png } from '../../testing/pictures.ts'
import { makeAnswers, openScreen, show } from '../../testing/screen.tsx'
import { toastStore } from '../../ui/toast.ts'
import type { ShownMessage } from '../messages/store.ts'
import { AlbumBody } from './AlbumBody.tsx'
import { openedStore } from './openedFiles.ts'
import { cancelUpload, resumeUpload } from './uploadQueue.ts'
import { type Upload, uploadsStore } from './uploadsState.ts'

vi.mock('./uploadQueue.ts', () => ({
  ...{ cancelUpload: vi.fn(async () => undefined), resumeUpload: vi.fn(async () => undefined) },
  ...{ pauseUpload: vi.fn(), startUpload: vi.fn() },
}))

openScreen()
/** What a former test began to open may end in this one. */
let run = 0
beforeEach(() => {
  run += 1
  vi.clearAllMocks()
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      tell: (entries: object[]) => void
      constructor(tell: (entries: object[]) => void) {
        this.tell = tell
      }
      observe = () => this.tell([{ isIntersecting: true }])
      disconnect = () => undefined
    },
  )
  roomsStore.setState({ rooms: new Map([['other', { id: 'other' } as never]]) })
})
afterEach(() => {
  // What is still shown would open its file again.
  cleanup()
  openedStore.setState({ urls: new Map(), parts: {} })
  uploadsStore.setState({ uploads: [] })
  resetRooms()
  vi.unstubAllGlobals()
})

const ALBUM = crypto.randomUUID()
const picture = (place: number, more: Partial<ShownMessage> = {}): ShownMessage => {
  const file: FileContent = {
    ...{ type: 'file', as: 'image', object: `${run} ${place}`, storedBytes: 4096, key: '', hash: '' },
    ...{ name: `${place}.png`, mediaType: 'image/png', sizeBytes: 36, caption: '', album: { id: ALBUM, place } },
  }
  return {
    ...{ id: `id ${place}`, seq: place + 1, isMine: true, at: '2026-11-26T10:00:00Z', status: 'sent', reason: null },
    ...{ isOutOfPlace: false, body: { kind: 'file', file, text: place === 0 ? 'by the sea' : '', chatRoomId: 'room' } },
    ...more,
  }
}
const album = (count: number) => Array.from({ length: count }, (_, place) => picture(place))

type Words = ComponentProps<typeof AlbumBody>['Words']
const Words: Words = ({ text, marks = [] }) => (
  <>
    {text}
    {marks.map(([from, to]) => (
      <mark key={from}>{text.slice(from, to)}</mark>
    ))}
  </>
)

function shows(pictures: ShownMessage[], message = pictures[0] as ShownMessage, marks?: [number, number][]) {
  const acts = { onRetry: vi.fn(), onDelete: vi.fn() }
  const openFile = vi.fn(async (_: { content: { object: string } }) => new Blob([png([300, 200])]))
  const page = async () => ({ messages: [], from: 1 })
  const { person } = show(
    <AlbumBody album={pictures} meta={<time>10:00</time>} {...{ message, marks, Words, ...acts }} />,
    makeAnswers(),
    { crypto: { openFile, page } as never },
  )
  return { person, acts, openFile }
}

const cells = () => screen.getAllByRole('button').filter(({ className }) => className === 'att-picture')
const heights = () => (document.querySelector('.album-cells') as HTMLElement).style.aspectRatio

test.each([
  [2, 2, '340 / 170'],
  [3, 3, '340 / 226'],
  [4, 4, '340 / 254'],
  [5, 5, '340 / 250'],
  [10, 5, '340 / 250'],
])('An album of %i has %i cells, and its size before any picture is there', (count, shown, ratio) => {
  shows(album(count))
  expect(cells()).toHaveLength(shown)
  expect(heights()).toBe(ratio)
  expect(screen.queryAllByRole('img')).toEqual([])
  expect(screen.getAllByText('by the sea')).toHaveLength(1)
})

test('What has no cell is a number, is not fetched, and the viewer opens at its picture', async () => {
  const { person, openFile } = shows(album(10))
  await waitFor(() => expect(screen.getAllByRole('img')).toHaveLength(5))
  expect(openFile).toHaveBeenCalledTimes(5)
  expect(screen.getByText('+5')).toBeTruthy()
  await person.click(screen.getByRole('button', { name: 'Open 4.png, and 5 more' }))
  await screen.findByRole('dialog', { name: '4.png' })
})

const upload = (place: number, more: Partial<Upload>): Upload =>
  ({
    ...{ id: `id ${place}`, chatRoomId: 'room', state: 'uploading', part: 0.4, failure: null, isPaused: false, isLost: false },
    ...{ reason: null, object: null, ...more },
  }) as Upload
const unsent = (place: number, more: Partial<ShownMessage> = {}) => picture(place, { seq: null, status: 'sending', ...more })

test('A picture on its way has its bar and Cancel in its place; one that failed has Retry, and the reason stands below', async () => {
  uploadsStore.setState({ uploads: [upload(1, {}), upload(2, { failure: 'Storage limit reached' })] })
  const { person } = shows([picture(0), unsent(1), unsent(2)])
  expect(screen.getByLabelText('1.png, sent')).toHaveProperty('value', 0.4)
  expect(screen.getByRole('alert').textContent).toBe('Not sent. Storage limit reached.')
  await person.click(screen.getByRole('button', { name: 'Retry 2.png' }))
  expect(resumeUpload).toHaveBeenCalledOnce()
  await person.click(screen.getByRole('button', { name: 'Cancel 1.png' }))
  expect(cancelUpload).toHaveBeenCalledOnce()
})

test('Pictures that wait say why once, and each can be cancelled', () => {
  const waits = { state: 'waiting', reason: 'It goes on when the connection is back.' } as const
  uploadsStore.setState({ uploads: [upload(0, waits), upload(1, waits)] })
  shows([unsent(0), unsent(1)])
  expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toEqual([
    'Waiting. It goes on when the connection is back.',
  ])
  expect(screen.getAllByRole('button', { name: /^Cancel / })).toHaveLength(2)
})

test('One without a cell gets its place where it failed', () => {
  uploadsStore.setState({ uploads: [upload(8, { failure: 'Gone' })] })
  shows([...album(8), unsent(8)])
  expect(cells()).toHaveLength(9)
  expect(screen.getByRole('button', { name: 'Retry 8.png' })).toBeTruthy()
  act(() => uploadsStore.setState({ uploads: [] }))
  expect(cells()).toHaveLength(5)
})

test('A message that the server refused is sent again, or deleted, in its place', async () => {
  const { person, acts } = shows([picture(0), unsent(1, { status: 'failed', reason: 'File not found' })])
  const cell = document.querySelectorAll<HTMLElement>('.album-cell')[1] as HTMLElement
  await person.click(within(cell).getByRole('button', { name: 'Retry 1.png' }))
  await person.click(within(cell).getByRole('button', { name: 'Delete 1.png' }))
  expect([acts.onRetry.mock.calls, acts.onDelete.mock.calls]).toEqual([[['id 1']], [['id 1']]])
  expect(screen.getByRole('alert').textContent).toBe('Not sent. File not found.')
})

test('Without a line an album in the outbox waits in each cell, says once that it goes by itself, and each can be deleted', async () => {
  const queued = (place: number, reason: string | null) => unsent(place, { isQueued: true, reason })
  const line = 'Goes by itself when the line is back'
  const { person, acts } = shows([queued(0, null), queued(1, null), queued(2, line)])
  expect(screen.getAllByRole('status').map(({ textContent }) => textContent)).toEqual([`${line}.`])
  expect(document.querySelectorAll('.album-sending .lucide-clock')).toHaveLength(3)
  await person.click(screen.getByRole('button', { name: 'Delete 1.png' }))
  expect(acts.onDelete).toHaveBeenCalledExactlyOnceWith('id 1')
})

test('The words below an album are those of the picture that speaks for it, and marks stand in them', () => {
  const [first, second] = [picture(0), picture(1)] as const
  const body = { ...second.body, text: 'at the lake' } as ShownMessage['body']
  shows([first, second], { ...second, body }, [
    [0, 1],
    ['1.png at the '.length, '1.png at the lake'.length],
  ])
  expect(screen.getByText('at the lake')).toBeTruthy()
  expect(screen.queryByText('by the sea')).toBeNull()
  expect([...document.querySelectorAll('mark')].map(({ textContent }) => textContent)).toEqual(['lake'])
})

test('A picture to somebody whose account is deleted can be deleted, and offers no Retry', () => {
  shows([picture(0), unsent(1, { status: 'failed', reason: REFUSAL_TEXTS.account_deleted })])
  expect(screen.getByRole('button', { name: 'Delete 1.png' })).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Retry 1.png' })).toBeNull()
})

test('A file that did not fit in the place of a lost one can be chosen again', async () => {
  uploadsStore.setState({ uploads: [upload(1, { failure: 'Choose it again', isLost: true })] })
  const { person } = shows([picture(0), unsent(1)])
  const large = Object.defineProperty(new File(['x'], 'large.png'), 'size', { value: LIMITS.fileBytes + 1 })
  const picker = screen.getByLabelText('File to send instead of 1.png')
  for (const times of [1, 2]) {
    toastStore.setState({ queue: [] })
    await person.upload(picker, large)
    expect(toastStore.getState().queue, `chosen ${times} times`).toMatchObject([{ title: 'File Too Large' }])
  }
})
