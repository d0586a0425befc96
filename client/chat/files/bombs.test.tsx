// @vitest-environment happy-dom
import { cleanup, screen, waitFor } from '@testing-library/react'
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
  decoded.mockReset().mockRejectedValue(new Error('decoded'))
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

test.each(BOMBS.filter(([name]) => !name.startsWith('a bitmap')))(
  'Who chooses %s without knowing it sends it as a document: nothing unpacks it, not even to show it before',
  async (_, bytes, type) => {
    const file = new File([bytes], 'bomb.png', { type })
    show(
      <AttachDialog
        hasReader
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
      hasReader
      {...{ files: [file], onRemove: vi.fn(), onMore: vi.fn(), onClose: vi.fn(), nextFocus: () => null }}
      onSend={async () => undefined}
    />,
    makeAnswers(),
  )
  await screen.findByRole('img', { name: 'beach.png' })
})

test('A picture of 100 megapixels is shown, as before', async () => {
  show(<PictureBody held={held()} seq={1} isOut={false} />, makeAnswers(), opens(png([12_500, 8000])))
  await screen.findByRole('img', { name: 'beach.png' })
})

const PLACE = 'GPS 48.8584 N 2.2945 E'
const withPlace = (bytes: Uint8Array<ArrayBuffer>) =>
  new Blob([bytes.subarray(0, 2), Uint8Array.from([0xff, 0xe1, 0, PLACE.length + 2]), PLACE, bytes.subarray(2)])
const heic = (name = 'beach.heic', type = 'image/heic') => new File(['....ftypheic', PLACE], name, { type })
const choose = (file: File) =>
  show(
    <AttachDialog
      hasReader
      {...{ files: [file], onRemove: vi.fn(), onMore: vi.fn(), onClose: vi.fn(), nextFocus: () => null }}
      onSend={async () => undefined}
    />,
    makeAnswers(),
    { crypto: { sealAhead: async () => undefined, dropAhead: async () => undefined } } as never,
  )

test.each([
  ['a HEIC', heic(), 'beach.jpg'],
  ['a bitmap', new File(['BM', PLACE], 'beach.bmp', { type: 'image/bmp' }), 'beach.jpg'],
  [
    'a JPEG of a strange shape',
    new File([new Uint8Array([0xff, 0xd8, 0xff, 0xd0]), PLACE], 'b.jpeg', { type: 'image/jpeg' }),
    'b.jpeg',
  ],
])('Of %s that nobody measures but this browser reads, only the pixels go out: no place, no device', async (_, file, name) => {
  decoded.mockResolvedValue({ width: 4000, height: 3000, close: vi.fn() } as never)
  const sides: number[][] = []
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      constructor(...side: number[]) {
        sides.push(side)
      }
      getContext = () => ({ fillRect: vi.fn(), drawImage: vi.fn(), getImageData: () => ({ data: [] }) })
      convertToBlob = async () => new Blob(['pixels'], { type: 'image/jpeg' })
    },
  )
  const { file: sent, about } = await prepare(file, { caption: '', isSmaller: false })
  expect(about).toMatchObject({ as: 'image', mediaType: 'image/jpeg', name, picture: { width: 4000, height: 3000 } })
  expect(await sent.text()).toBe('pixels')
  expect(sides.at(-1)).toEqual([4000, 3000])
})

test.each([
  ['is too large to be unpacked', jpeg([12_000, 9000])],
  ['this browser cannot read', jpeg([400, 300])],
])('A photograph that %s goes out as a document, and still without its place', async (_, bytes) => {
  decoded.mockRejectedValue(new Error('damaged'))
  const file = new File([withPlace(bytes)], 'beach.jpg', { type: 'image/jpeg' })
  expect(await file.text()).toContain(PLACE)
  const { file: sent, about } = await prepare(file, { caption: '', isSmaller: true })
  expect(about).toMatchObject({ as: 'file', mediaType: 'image/jpeg', name: 'beach.jpg' })
  expect(await sent.text()).not.toContain(PLACE)
})

test('Before a file that may hold its place is sent, the dialog says in which ones it stays, whatever type the browser gives it', () => {
  vi.stubGlobal('OffscreenCanvas', undefined)
  const words = /that this browser cannot read, such as some HEIC and TIFF files, it stays/
  for (const file of [heic(), heic('beach.HEIC', ''), new File(['BM'], 'b.bmp', { type: 'image/bmp' })]) {
    choose(file)
    expect(screen.getByText(words)).toBeTruthy()
    cleanup()
  }
  choose(new File(['text'], 'letter.txt', { type: 'text/plain' }))
  expect(screen.queryByText(words)).toBeNull()
})

/** A canvas as of a browser against fingerprints: no page gets back what it has drawn. */
const drawsNoise = () =>
  vi.stubGlobal(
    'OffscreenCanvas',
    class {
      getContext = () => ({
        fillRect: vi.fn(),
        drawImage: vi.fn(),
        getImageData: () => ({ data: new Uint8ClampedArray(4).fill(99) }),
      })
      convertToBlob = async () => new Blob(['noise'], { type: 'image/jpeg' })
    },
  )

test('Where a page gets noise for pixels, an AVIF or a HEIC goes as the document that it is, and the dialog says so before, and offers no smaller picture', async () => {
  drawsNoise()
  decoded.mockResolvedValue({ width: 4000, height: 3000, close: vi.fn() } as never)
  for (const file of [new File([avif([400, 300], [400, 300])], 'beach.avif', { type: 'image/avif' }), heic()]) {
    const { file: sent, about } = await prepare(file, { caption: '', isSmaller: true })
    expect(about).toMatchObject({ as: 'file', name: file.name, mediaType: file.type })
    expect(await sent.text()).toBe(await file.text())
    choose(file)
    expect(screen.getByText(/AVIF, HEIC and TIFF go as the documents that they are, and it stays in them/)).toBeTruthy()
    expect(screen.queryByRole('checkbox', { name: 'Make pictures smaller' })).toBeNull()
    cleanup()
  }
})
