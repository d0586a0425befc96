import { expect, test } from 'vitest'
import { stripped } from './stripMetadata.ts'

type Bytes = Uint8Array<ArrayBuffer>

const bytesOf = (...parts: (string | number[] | Uint8Array)[]): Bytes =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part, 'latin1')] : [...part])))
const be = (value: number, length: number): number[] =>
  Array.from({ length }, (_, at) => (value >> (8 * (length - 1 - at))) & 255)
const le = (value: number, length: number): number[] => be(value, length).reverse()
const whole = (parts: Bytes[] | undefined): string => Buffer.concat(parts ?? []).toString('latin1')
const GPS = 'GPS 48.8584 N 2.2945 E'

const segment = (marker: number, ...body: (string | number[] | Uint8Array)[]): Bytes => {
  const bytes = bytesOf(...body)
  return bytesOf([0xff, marker], be(bytes.length + 2, 2), bytes)
}
/** An EXIF segment of a camera that was held so, with a place in it. */
const exif = (turn: number, isLittle: boolean): Bytes => {
  const n = isLittle ? le : be
  const entries = [
    ...n(0x0112, 2),
    ...n(3, 2),
    ...n(1, 4),
    ...n(turn, 2),
    0,
    0,
    ...n(0x8825, 2),
    ...n(4, 2),
    ...n(1, 4),
    ...n(60, 4),
  ]
  return segment(0xe1, 'Exif\0\0', isLittle ? 'II' : 'MM', n(42, 2), n(8, 4), n(2, 2), entries, n(0, 4), GPS)
}
const JFIF = segment(0xe0, 'JFIF\0', [1, 1, 0, 0, 1, 0, 1, 0, 0])
const PROFILE = segment(0xe2, 'ICC_PROFILE\0', [1, 1], 'colours')
const TABLE = segment(0xdb, [0], Array<number>(64).fill(1))
/** With an escaped 0xff and a restart among the compressed pixels. */
const SCAN = bytesOf(segment(0xda, [1, 1, 0, 0, 63, 0]), 'pixels', [0xff, 0x00], 'more', [0xff, 0xd0], 'rest')
const END = [0xff, 0xd9]
const START = [0xff, 0xd8]

test.each([true, false])(
  'A JPEG loses place, maker and comment, and keeps its pixels, its colours and how the camera was held',
  (isLittle) => {
    const xmp = segment(0xe1, 'http://ns.adobe.com/xap/1.0/\0', '<x:xmpmeta>somewhere</x:xmpmeta>')
    const comment = segment(0xfe, 'taken at home')
    const second = bytesOf(START, exif(1, true), END)
    const jpeg = bytesOf(
      START,
      JFIF,
      exif(6, isLittle),
      xmp,
      PROFILE,
      comment,
      segment(0xed, 'Photoshop 3.0\0'),
      TABLE,
      SCAN,
      END,
      second,
    )
    const out = whole(stripped(jpeg))
    for (const word of [GPS, 'somewhere', 'taken at home', 'Photoshop']) expect(out).not.toContain(word)
    const turn = out.slice(out.indexOf('Exif'))
    expect(turn.charCodeAt(25)).toBe(6)
    // Nothing follows the first picture's end.
    expect(out.endsWith(whole([PROFILE, TABLE, SCAN, bytesOf(END)]))).toBe(true)
    expect(out.startsWith(whole([bytesOf(START), segment(0xe1, 'Exif\0\0').subarray(0, 2)]))).toBe(true)
  },
)

test('A JPEG that was held upright has no EXIF at all, and one of several scans loses the remarks between them', () => {
  const between = bytesOf(SCAN, segment(0xe1, 'Exif\0\0', GPS), segment(0xfe, 'a remark'), SCAN, END)
  const out = whole(stripped(bytesOf(START, JFIF, exif(1, false), TABLE, between)))
  expect(out).toBe(whole([bytesOf(START), JFIF, TABLE, SCAN, SCAN, bytesOf(END)]))
})

const chunk = (kind: string, ...body: (string | number[])[]): Bytes => {
  const bytes = bytesOf(...body)
  return bytesOf(be(bytes.length, 4), kind, bytes, [1, 2, 3, 4])
}

test('A PNG loses its texts, its EXIF and its time, and whatever follows its end', () => {
  const kept = [
    chunk('IHDR', be(7, 4), be(5, 4), [8, 2, 0, 0, 0]),
    chunk('iCCP', 'colours'),
    chunk('IDAT', 'pixels'),
    chunk('IEND'),
  ]
  const [head, colours, pixels, end] = kept as [Bytes, Bytes, Bytes, Bytes]
  const remarks = [
    chunk('eXIf', GPS),
    chunk('tEXt', `Location\0${GPS}`),
    chunk('iTXt', GPS),
    chunk('zTXt', GPS),
    chunk('tIME', [7]),
  ]
  const magic = bytesOf('\x89PNG\r\n\x1a\n')
  const out = whole(stripped(bytesOf(magic, head, ...remarks, colours, pixels, end, GPS)))
  expect(out).toBe(whole([magic, ...kept]))
})

const riff = (kind: string, ...body: (string | number[])[]): Bytes => {
  const bytes = bytesOf(...body)
  return bytesOf(kind, le(bytes.length, 4), bytes, bytes.length % 2 ? [0] : [])
}

test('A WebP loses EXIF and XMP, no longer announces them, and says its new length', () => {
  const canvas = [0, 0, 0, 6, 0, 0, 4, 0, 0]
  const body = bytesOf(riff('VP8X', [0x1c, ...canvas]), riff('VP8 ', 'odd'), riff('EXIF', GPS), riff('XMP ', 'somewhere'))
  const out = stripped(bytesOf('RIFF', le(body.length + 4, 4), 'WEBP', body))
  const kept = bytesOf(riff('VP8X', [0x10, ...canvas]), riff('VP8 ', 'odd'))
  expect(whole(out)).toBe(whole([bytesOf('RIFF', le(kept.length + 4, 4), 'WEBP'), kept]))
})

test.each([
  ['a text', bytesOf('just words')],
  ['nothing', bytesOf()],
  ['a JPEG that is cut short in a segment', bytesOf(START, exif(6, true).subarray(0, 20))],
  ['a JPEG whose segment is longer than the file', bytesOf(START, [0xff, 0xe1, 0xff, 0xff], 'short')],
  ['a PNG whose chunk is longer than the file', bytesOf('\x89PNG\r\n\x1a\n', be(9999, 4), 'IDATx')],
  ['a WebP whose chunk is longer than the file', bytesOf('RIFF', le(99, 4), 'WEBP', 'EXIF', le(9999, 4), 'x')],
])('Of %s nothing is cut: it is encoded anew, or goes out as a document', (_, bytes) => {
  expect(stripped(bytes)).toBeUndefined()
})
