import { afterEach, expect, test, vi } from 'vitest'
import { PIXELS_MAX, pixelsOf } from './pixels.ts'
import { prepare } from './prepareFile.ts'

const bytesOf = (...parts: (string | number[])[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part, 'latin1')] : part)))
const be = (value: number, length: number): number[] =>
  Array.from({ length }, (_, at) => (value >> (8 * (length - 1 - at))) & 255)
const le = (value: number, length: number): number[] => be(value, length).reverse()

const png = (width: number, height: number) =>
  bytesOf('\x89PNG\r\n\x1a\n', be(13, 4), 'IHDR', be(width, 4), be(height, 4), [8, 2, 0, 0, 0])
const jpeg = (width: number, height: number) =>
  bytesOf(
    [0xff, 0xd8, 0xff, 0xff, 0xe1],
    be(6, 2),
    'Exif',
    [0xff, 0xc4],
    be(3, 2),
    [0, 0xff, 0xc2],
    be(17, 2),
    [8],
    be(height, 2),
    be(width, 2),
  )
const gif = (width: number, height: number) => bytesOf('GIF89a', le(width, 2), le(height, 2))
const webp = (kind: string, ...body: number[][]) => bytesOf('RIFF', le(99, 4), 'WEBP', kind, le(10, 4), ...body, [0, 0, 0, 0])

afterEach(() => void vi.unstubAllGlobals())

test.each([
  ['a PNG', png(640, 480), 'image/png'],
  ['a JPEG behind padding, EXIF and a table', jpeg(640, 480), 'image/jpeg'],
  ['a GIF', gif(640, 480), 'image/gif'],
  ['a WebP with a canvas', webp('VP8X', [0, 0, 0, 0], le(639, 3), le(479, 3)), 'image/webp'],
  ['a WebP without losses', webp('VP8L', [0x2f], le(639 | (479 << 14), 4)), 'image/webp'],
  ['a WebP with losses', webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a], le(640, 2), le(480, 2)), 'image/webp'],
])('The size of %s is read from its head', async (_, bytes, type) => {
  expect(await pixelsOf(new Blob([bytes]))).toEqual({ width: 640, height: 480, type })
})

test('What is no picture, or a head that is cut short, has no size', async () => {
  for (const bytes of [
    bytesOf('words'),
    bytesOf(),
    png(1, 1).subarray(0, 18),
    jpeg(1, 1).subarray(0, 12),
    gif(1, 1).subarray(0, 7),
  ])
    expect(await pixelsOf(new Blob([bytes]))).toBeUndefined()
})

test.each([
  ['PNG', png(60_000, 60_000), 'image/png'],
  ['JPEG', jpeg(65_000, 65_000), 'image/jpeg'],
  ['GIF', gif(65_000, 65_000), 'image/gif'],
  ['WebP', webp('VP8X', [0, 0, 0, 0], le(16_000_000, 3), le(9, 3)), 'image/webp'],
])('A %s of a few bytes that would fill the memory is never unpacked: it goes out as a document', async (_, bytes, type) => {
  const unpack = vi.fn()
  vi.stubGlobal('createImageBitmap', unpack)
  const { width = 0, height = 0 } = (await pixelsOf(new Blob([bytes]))) ?? {}
  expect(width * height).toBeGreaterThan(PIXELS_MAX)
  const { about } = await prepare(new File([bytes], 'bomb.png', { type }), { caption: '', isSmaller: true })
  expect(about.as).toBe('file')
  expect(about.picture).toBeUndefined()
  expect(unpack).not.toHaveBeenCalled()
})
