import { expect, test } from 'vitest'
import {
  avif,
  gif,
  jpeg,
  png,
  realAvif,
  webp,
  webpBomb,
  webpFrame,
  webpLossless,
  webpLossy,
} from '../../client/testing/pictures.ts'
import { pictureSize } from './pictureSize.ts'

const SIZE = [640, 480] as const
const size = { width: 640, height: 480 }
const small = [1, 1] as const

test.each([
  ['a PNG', png(SIZE), 'image/png'],
  ['a JPEG behind padding, EXIF and a table', jpeg(SIZE), 'image/jpeg'],
  ['a JPEG whose frame header lies behind a megabyte', jpeg(SIZE, 1_000_000), 'image/jpeg'],
  ['a GIF', gif(SIZE, SIZE), 'image/gif'],
  ['a WebP without losses', webp(undefined, webpLossless(SIZE)), 'image/webp'],
  ['a WebP with losses', webp(undefined, webpLossy(SIZE)), 'image/webp'],
  ['a WebP with a canvas', webp(SIZE, webpLossy(SIZE)), 'image/webp'],
  ['an AVIF', avif(SIZE, SIZE), 'image/avif'],
  ['an AVIF with a whole header', avif(SIZE, SIZE, { isReduced: false }), 'image/avif'],
])('The size of %s is read from its bytes', (_, bytes, type) => {
  expect(pictureSize(bytes)).toEqual({ ...size, type })
})

test('An AVIF that libavif made is measured', () => {
  expect(pictureSize(realAvif)).toEqual({ type: 'image/avif', width: 2, height: 2 })
})

const HUGE = [20_000, 20_000] as const

test.each([
  ['a GIF whose screen says 1 by 1', gif(small, small, HUGE), 20_000],
  ['an animated PNG with one large frame', png(small, small, HUGE), 20_000],
  ['a WebP whose canvas says 1 by 1', webp(small, webpLossless([16_383, 16_383])), 16_383],
  ['a WebP with one large frame', webp(small, webpFrame(small, webpLossy(small)), webpFrame(HUGE, webpLossy(small))), 20_000],
  ['a WebP with a large picture in a small frame', webp(small, webpFrame(small, webpLossless([16_384, 9]))), 16_384],
  ['36 bytes of WebP', webpBomb, 16_383],
  ['an AVIF whose container says 1 by 1', avif(small, HUGE), 20_000],
  ['an AVIF whose header is small', avif(HUGE, small), 20_000],
  ['a JPEG behind EXIF of a megabyte', jpeg(HUGE, 1_000_000), 20_000],
])('%s is measured by its largest frame', (_, bytes, width) => {
  expect(pictureSize(bytes)?.width).toBe(width)
})

test('36 bytes are 36 bytes', () => expect(webpBomb).toHaveLength(36))

test.each<[string, Uint8Array]>([
  ['words', new TextEncoder().encode('words')],
  ['nothing', new Uint8Array()],
  ['a page', new TextEncoder().encode('<!doctype html><p>hello, this is a page')],
  ['an SVG with a script', new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
  ['a bitmap', new TextEncoder().encode('BM and a few more bytes of it')],
  ['a PNG that is cut short', png(SIZE).subarray(0, 18)],
  ['a PNG with another chunk first', png(SIZE).with(12, 0x69)],
  ['a JPEG that is cut short', jpeg(SIZE).subarray(0, 12)],
  ['a JPEG without a height', jpeg([640, 0])],
  ['a JPEG without end', Uint8Array.of(0xff, 0xd8, ...Array<number>(200).fill(0xff))],
  [
    'a JPEG whose segments lead nowhere',
    Uint8Array.of(0xff, 0xd8, ...Array.from({ length: 50 }, () => [0xff, 0xe0, 0, 0]).flat()),
  ],
  ['a JPEG with rubbish between its segments', Uint8Array.of(0xff, 0xd8, 0xff, 0xe0, 0, 2, 7, ...jpeg(SIZE).subarray(2))],
  ['a JPEG that begins twice', Uint8Array.of(0xff, 0xd8, 0xff, ...jpeg(SIZE).subarray(1))],
  ['a GIF without a frame', gif(SIZE)],
  ['a GIF that is cut short', gif(SIZE, SIZE).subarray(0, 7)],
  [
    'a GIF with rubbish between its blocks',
    Uint8Array.of(...gif(SIZE, SIZE).subarray(0, -1), 7, ...gif(SIZE, HUGE).subarray(19)),
  ],
  ['a GIF whose extension has another length', gif(SIZE, SIZE).with(21, 2)],
  ['a WebP without a picture', webp(undefined)],
  ['a WebP that is cut short', webp(undefined, webpLossless(SIZE)).subarray(0, 23)],
  ['an AVIF of several pictures', avif(SIZE, SIZE, { kind: 'grid' })],
  ['an animated AVIF', avif(SIZE, SIZE, { isAnimated: true })],
  ['an AVIF that is cut short', avif(SIZE, SIZE).subarray(0, -5)],
])('What could hold more than is seen is not measured: %s', (_, bytes) => {
  expect(pictureSize(bytes)).toBeUndefined()
})

test('Whatever is cut off or changed in a picture, measuring ends', () => {
  for (const bytes of [
    png(SIZE, SIZE),
    jpeg(SIZE),
    gif(SIZE, SIZE),
    webp(SIZE, webpFrame(SIZE, webpLossy(SIZE))),
    avif(SIZE, SIZE),
  ])
    for (let at = 0; at < bytes.length; at++) {
      pictureSize(bytes.subarray(0, at))
      for (const byte of [0, 1, 0x2c, 0x7f, 0xff]) pictureSize(bytes.with(at, byte))
    }
})
