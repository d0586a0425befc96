// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { FileContent } from '../../../contract/chat/content.ts'
import { toBase64 } from '../../../contract/ground/bytes.ts'
import { resetRooms, roomsStore } from '../../rooms/list/roomList.ts'
import { avif, gif, jpeg, png, webp, webpBomb, webpFrame, webpLossless, webpLossy } from '../../testing/pictures.ts'
import { makeAnswers, openScreen, show, toasts } from '../../testing/screen.tsx'
import { AttachDialog } from './AttachDialog.tsx'
import { openedStore } from './openedFiles.ts'
import { PictureBody } from './PictureBody.tsx'
import { Player } from './Player.tsx'
import { prepare } from './prepareFile.ts'

const small = [1, 1] as const
const HUGE = [20_000, 20_000] as const
const BOMBS: [string, Uint8Array<ArrayBuffer>, string][] = [
  ['a PNG', png([60_000, 60_000]), 'image/png'],
  ['an animated PNG', png(small, small, HUGE), 'image/png'],
  ['a JPEG', jpeg([65_000, 65_000]), 'image/jpeg'],
  ['a JPEG whose frame header lies late', jpeg([65_000, 65_000], 600_000), 'image/jpeg'],
  ['a GIF whose screen says 1 by 1', gif(small, HUGE), 'image/gif'],
  ['36 bytes of WebP', webpBomb, 'image/webp'],
  ['a WebP whose canvas says 1 by 1', webp(small, webpLossless([16_383, 16_383])), 'image/webp'],
  ['an animated WebP', webp(small, webpFrame(HUGE, webpLossy(small))), 'image/webp'],
  ['an AVIF', avif(HUGE, HUGE), 'image/avif'],
  ['an AVIF whose container says 1 by 1', avif(small, HUGE), 'image/avif'],
  ['a bitmap, which nobody measures', new TextEncoder().encode('BM and a few more bytes'), 'image/png'],
]

openScreen()
const decoded = vi.fn(async () => Promise.reject(new Error('decoded')))
beforeEach(() => {
  vi.stubGlobal('createImageBitmap', decoded)
  decoded.mockClear()
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
  // A closed account would take every file away.
  roomsStore.setState({ rooms: new Map([['other', { id: 'other' } as never]]) })
})
afterEach(() => {
  openedStore.setState({ urls: new Map(), parts: {} })
  resetRooms()
  vi.unstubAllGlobals()
})

const content = (more: Partial<FileContent>): FileContent => ({
  ...{ type: 'file', as: 'image', object: crypto.randomUUID(), storedBytes: 4096, key: '', hash: '' },
  ...{ name: 'beach.png', mediaType: 'image/png', sizeBytes: 36, caption: '', ...more },
})
const held = (more: Partial<FileContent> = {}) => ({ chatRoomId: 'room', file: content(more) })
/** A browser whose worker has opened these bytes. */
const opens = (bytes: Uint8Array<ArrayBuffer>) => ({ crypto: { openFile: async () => new Blob([bytes]) } }) as never
const pictures = () => document.querySelectorAll('img, video')

test.each(BOMBS)(
  '%s that would fill the memory is never unpacked: the bubble says why, and it can be saved',
  async (_, bytes, mediaType) => {
    const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
    const { person } = show(<PictureBody held={held({ mediaType })} seq={1} isOut={false} />, makeAnswers(), opens(bytes))
    await screen.findByText('Image not available: beach.png')
    expect(screen.getByText(/^It is too large to be shown/)).toBeTruthy()
    expect(pictures()).toHaveLength(0)
    expect(openedStore.getState().urls.size).toBe(0)
    await person.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(saved).toHaveBeenCalledOnce())
  },
)

test('A picture that fits is shown', async () => {
  show(<PictureBody held={held()} seq={1} isOut={false} />, makeAnswers(), opens(png([1600, 1200])))
  await screen.findByRole('img', { name: 'beach.png' })
})

test('Thirteen pictures that are refused put up one toast, and each bubble says why', async () => {
  const all = Array.from({ length: 13 }, (_, at) => held({ name: `${at}.png` }))
  const shown = all.map((one) => <PictureBody key={one.file.object} held={one} seq={1} isOut={false} />)
  show(shown, makeAnswers(), opens(webpBomb))
  await waitFor(() => expect(screen.getAllByRole('alert')).toHaveLength(13))
  expect(toasts()).toEqual(['13 files not available: Each says why in the chat.'])
})

const thumbnail = (bytes: Uint8Array) => ({ picture: { width: 640, height: 480, thumbnail: toBase64(bytes) } })

test.each(BOMBS)('%s in the place of a preview is not shown, neither of a video nor of a picture on its way', (_, bytes) => {
  const video = held({ as: 'file', mediaType: 'video/mp4', name: 'film.mp4', ...thumbnail(bytes) })
  show(<Player held={video} look="video" />, makeAnswers())
  show(<PictureBody held={held(thumbnail(bytes))} seq={1} isOut={true} />, makeAnswers())
  expect(screen.getByRole('button', { name: 'Play film.mp4' })).toBeTruthy()
  expect(pictures()).toHaveLength(0)
})

test('A preview of 40 pixels is shown; what is larger than a preview needs, or no JPEG, is not', () => {
  const shows = (bytes: Uint8Array) => {
    const before = pictures().length
    show(<PictureBody held={held(thumbnail(bytes))} seq={1} isOut={true} />, makeAnswers())
    return pictures().length - before
  }
  expect([jpeg([40, 30]), jpeg([161, 30]), png([40, 30]), new Uint8Array()].map(shows)).toEqual([1, 0, 0, 0])
})

test.each(BOMBS)(
  'Who chooses %s without knowing it sends it as a document: nothing unpacks it, not even to show it before',
  async (_, bytes, type) => {
    const file = new File([bytes], 'bomb.png', { type })
    show(
      <AttachDialog
        {...{ files: [file], onRemove: vi.fn(), onMore: vi.fn(), onClose: vi.fn(), nextFocus: () => null }}
        onSend={async () => undefined}
      />,
      makeAnswers(),
    )
    const { about } = await prepare(file, { caption: '', isSmaller: true })
    expect([about.as, about.picture]).toEqual(['file', undefined])
    expect(decoded).not.toHaveBeenCalled()
    expect(pictures()).toHaveLength(0)
  },
)

test('A picture that fits is shown before it is sent', async () => {
  const file = new File([png([1600, 1200])], 'beach.png', { type: 'image/png' })
  show(
    <AttachDialog
      {...{ files: [file], onRemove: vi.fn(), onMore: vi.fn(), onClose: vi.fn(), nextFocus: () => null }}
      onSend={async () => undefined}
    />,
    makeAnswers(),
  )
  await screen.findByRole('img', { name: 'beach.png' })
})
