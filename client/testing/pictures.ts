/** Pictures of a few bytes that name any size. No decoder finds a pixel in them. */

type Part = string | number[] | Uint8Array

const bytesOf = (...parts: Part[]): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part, 'latin1')] : [...part])))
const be = (value: number, length: number): number[] =>
  Array.from({ length }, (_, at) => Math.floor(value / 256 ** (length - 1 - at)) % 256)
const le = (value: number, length: number): number[] => be(value, length).reverse()

type Sides = readonly [width: number, height: number]

const pngChunk = (kind: string, ...body: Part[]) => {
  const bytes = bytesOf(...body)
  return bytesOf(be(bytes.length, 4), kind, bytes, [0, 0, 0, 0])
}
/** With an animation whose frames have these sizes. */
export const png = ([width, height]: Sides, ...frames: Sides[]) =>
  bytesOf(
    '\x89PNG\r\n\x1a\n',
    pngChunk('IHDR', be(width, 4), be(height, 4), [8, 2, 0, 0, 0]),
    ...frames.map(([wide, high]) => pngChunk('fcTL', be(0, 4), be(wide, 4), be(high, 4), be(0, 14))),
    pngChunk('IDAT', [7]),
    pngChunk('IEND'),
  )

/** Behind padding, a table, and EXIF of so many bytes. */
export const jpeg = ([width, height]: Sides, exifBytes = 4) => {
  const exif: number[][] = []
  for (let left = exifBytes; left > 0; left -= 60_000)
    exif.push([0xff, 0xe1], be(Math.min(left, 60_000) + 2, 2), Array<number>(Math.min(left, 60_000)).fill(7))
  const table = [[0xff, 0xff, 0xc4], be(3, 2), [0]]
  const frame = [[0xff, 0xc2], be(17, 2), [8], be(height, 2), be(width, 2), [3, 1, 34, 0, 2, 17, 1, 3, 17, 1]]
  return bytesOf([0xff, 0xd8], ...exif, ...table, ...frame, [0xff, 0xda, 0, 2, 0xff, 0xd9])
}

/** With a table of colours, an extension of each kind, and frames of these sizes. */
export const gif = ([width, height]: Sides, ...frames: Sides[]) =>
  bytesOf(
    'GIF89a',
    le(width, 2),
    le(height, 2),
    [0x80, 0, 0, 1, 2, 3, 4, 5, 6],
    [0x21, 0xff, 11],
    'NETSCAPE2.0',
    [3, 1, 0, 0, 0],
    [0x21, 0xfe, 2, 0x2c, 0x3b, 0],
    ...frames.flatMap(([wide, high]) => [
      [0x21, 0xf9, 4, 0, 0, 0, 0, 0],
      [0x2c, 0, 0, 0, 0],
      le(wide, 2),
      le(high, 2),
      [0, 2, 1, 0, 0],
    ]),
    [0x3b],
  )

const webpChunk = (kind: string, ...body: Part[]) => {
  const bytes = bytesOf(...body)
  return bytesOf(kind, le(bytes.length, 4), bytes, bytes.length % 2 ? [0] : [])
}
const riff = (...chunks: Uint8Array[]) => {
  const bytes = bytesOf('WEBP', ...chunks)
  return bytesOf('RIFF', le(bytes.length, 4), bytes)
}
export const webpLossless = ([width, height]: Sides) => webpChunk('VP8L', [0x2f], le(width - 1 + (height - 1) * 2 ** 14, 4))
export const webpLossy = ([width, height]: Sides) => webpChunk('VP8 ', [0, 0, 0, 0x9d, 1, 0x2a], le(width, 2), le(height, 2))
/** A frame of an animation, with a picture in it. */
export const webpFrame = ([width, height]: Sides, inside: Uint8Array) =>
  webpChunk('ANMF', le(0, 6), le(width - 1, 3), le(height - 1, 3), [0, 0, 0, 0], inside)
/** One picture, or a canvas with whatever is in it. */
export const webp = (canvas: Sides | undefined, ...chunks: Uint8Array[]) =>
  riff(...(canvas ? [webpChunk('VP8X', [0, 0, 0, 0], le(canvas[0] - 1, 3), le(canvas[1] - 1, 3))] : []), ...chunks)

/** 36 bytes: what the audit sent as the preview of a video. */
export const webpBomb = bytesOf(webp(undefined, webpLossless([16_383, 16_383])), [0, 0, 0, 0, 0, 0, 0, 0, 0, 0]).subarray(0, 36)

/** What libavif made of 2 by 2 pixels. */
export const realAvif = Uint8Array.from(
  Buffer.from(
    'AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAADybWV0YQAAAAAAAAAoaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAAAGxpYmF2aWYAAAAADnBpdG0AAAAAAAEAAAAeaWxvYwAAAABEAAABAAEAAAABAAABGgAAAB0AAAAoaWluZgAAAAAAAQAAABppbmZlAgAAAAABAABhdjAxQ29sb3IAAAAAamlwcnAAAABLaXBjbwAAABRpc3BlAAAAAAAAAAIAAAACAAAAEHBpeGkAAAAAAwgICAAAAAxhdjFDgQ0MAAAAABNjb2xybmNseAACAAIAAYAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAACVtZGF0EgAKCBgANogQEAwgMg8f8D///8WfhwB8+ErK42A=',
    'base64',
  ),
)

const box = (kind: string, ...body: Part[]) => {
  const bytes = bytesOf(...body)
  return bytesOf(be(bytes.length + 8, 4), kind, bytes)
}
const bitsOf = (...fields: readonly (readonly [value: number, count: number])[]): number[] => {
  const bits = fields.map(([value, count]) => value.toString(2).padStart(count, '0')).join('')
  return (bits.padEnd(Math.ceil(bits.length / 8) * 8, '0').match(/.{8}/g) ?? []).map((each) => Number.parseInt(each, 2))
}

/** The container says `named`, and the picture itself `own`, in a whole sequence header or a reduced one. */
export function avif(named: Sides, own: Sides, { isReduced = true, kind = 'av01', isAnimated = false } = {}) {
  const flags: [number, number][] = isReduced
    ? [
        [0, 3],
        [1, 1],
        [1, 1],
        [0, 5],
      ]
    : [
        [0, 3],
        [0, 1],
        [0, 1],
        [0, 1],
        [0, 1],
        [0, 5],
        [0, 12],
        [9, 5],
        [0, 1],
      ]
  const header = bitsOf(...flags, [15, 4], [15, 4], [own[0] - 1, 16], [own[1] - 1, 16])
  const picture = bytesOf([0x12, 0x00, 0x0a, header.length], header, [0x32, 0x01, 7])
  const entry = box('infe', [2, 0, 0, 0], be(1, 2), be(0, 2), kind, [0])
  const before = (at: number) =>
    bytesOf(
      box('ftyp', 'avif', be(0, 4), 'mif1'),
      isAnimated ? box('moov', [0]) : [],
      box(
        'meta',
        [0, 0, 0, 0],
        box('iloc', [0, 0, 0, 0, 0x44, 0], be(1, 2), be(1, 2), be(0, 2), be(1, 2), be(at, 4), be(picture.length, 4)),
        box('iinf', [0, 0, 0, 0], be(1, 2), entry),
        box('iprp', box('ipco', box('ispe', [0, 0, 0, 0], be(named[0], 4), be(named[1], 4)))),
      ),
      be(picture.length + 8, 4),
      'mdat',
    )
  return bytesOf(before(before(0).length), picture)
}
