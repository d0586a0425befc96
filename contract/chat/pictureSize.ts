import { avifSize } from './avifSize.ts'
import { grow, type Size, textAt } from './grow.ts'

export interface Picture extends Size {
  type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp' | 'image/avif'
}

/**
 * Measures without decoding: a few bytes can hold gigabytes. Ignores names. undefined for whatever it cannot measure to the last
 * frame, where another reader might find a frame that this one passed over.
 */
export function pictureSize(bytes: Uint8Array): Picture | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const type = typeOf(view)
    const size = type && MEASURES[type](view)
    if (size && size.width > 0 && size.height > 0) return { type, ...size }
  } catch (error) {
    // A DataView ends so.
    if (!(error instanceof RangeError)) throw error
  }
  return undefined
}

const MEASURES: Record<Picture['type'], (view: DataView) => Size> = {
  'image/jpeg': jpegSize,
  'image/png': pngSize,
  'image/gif': gifSize,
  'image/webp': webpSize,
  'image/avif': avifSize,
}

function typeOf(view: DataView): Picture['type'] | undefined {
  const says = (at: number, text: string) => textAt(view, at, text.length) === text
  if (says(0, '\xff\xd8\xff')) return 'image/jpeg'
  if (says(0, '\x89PNG\r\n\x1a\n')) return 'image/png'
  if (says(0, 'GIF87a') || says(0, 'GIF89a')) return 'image/gif'
  if (says(0, 'RIFF') && says(8, 'WEBP')) return 'image/webp'
  return says(4, 'ftypavif') ? 'image/avif' : undefined
}

/** Reads to the frame header, wherever it lies (ITU T.81, B.1 and B.2.2). A second one is an error of every decoder. */
function jpegSize(view: DataView): Size {
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) throw new RangeError('No segment')
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) at += 1
    else if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    // A marker without a length, or the scan.
    else if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda)) throw new RangeError('No frame')
    else at += 2 + Math.max(2, view.getUint16(at + 2))
  }
}

/** SOF0 to SOF15 without DHT, JPG and DAC. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** An animation has its own frames. */
function pngSize(view: DataView): Size {
  const size = { width: 0, height: 0 }
  if (textAt(view, 12, 4) !== 'IHDR') throw new RangeError('No header')
  for (let at = 8; at + 8 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const kind = textAt(view, at + 4, 4)
    if (kind === 'IHDR') grow(size, view.getUint32(at + 8), view.getUint32(at + 12))
    if (kind === 'fcTL') grow(size, view.getUint32(at + 12), view.getUint32(at + 16))
  }
  return size
}

/** The first block of these extensions has one length. Decoders disagree about others. */
const GIF_EXTENSIONS: Record<number, number> = { 1: 12, 249: 4, 255: 11 }

/** A frame may be larger than the screen. */
function gifSize(view: DataView): Size {
  const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) }
  const tableBytes = (flags: number) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0)
  let at = 13 + tableBytes(view.getUint8(10))
  let frames = 0
  while (at < view.byteLength) {
    const block = view.getUint8(at)
    if (block === 0x3b) break
    if (block === 0x2c) {
      const side = (behind: number) => view.getUint16(at + behind, true) + view.getUint16(at + behind + 4, true)
      grow(size, side(1), side(3))
      frames += 1
      at += 11 + tableBytes(view.getUint8(at + 9))
    } else if (block === 0x21) {
      const wanted = GIF_EXTENSIONS[view.getUint8(at + 1)]
      if (wanted !== undefined && view.getUint8(at + 2) !== wanted) throw new RangeError('Another length')
      at += 2
    } else throw new RangeError('No block')
    while (at < view.byteLength && view.getUint8(at) > 0) at += 1 + view.getUint8(at)
    at += 1
  }
  if (frames === 0) throw new RangeError('No frame')
  return size
}

/** Canvas, frames, and what lies in the frames: each has a size of its own. */
function webpSize(view: DataView): Size {
  const size = { width: 0, height: 0 }
  const three = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
  function walk(from: number, end: number, isFrame: boolean): void {
    for (let at = from; at + 8 <= end; ) {
      const kind = textAt(view, at, 4)
      const bytes = view.getUint32(at + 4, true)
      const body = at + 8
      if (kind === 'VP8X') grow(size, three(body + 4) + 1, three(body + 7) + 1)
      if (kind === 'VP8 ') grow(size, view.getUint16(body + 6, true) & 0x3fff, view.getUint16(body + 8, true) & 0x3fff)
      if (kind === 'VP8L') {
        const bits = view.getUint32(body + 1, true)
        grow(size, (bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1)
      }
      if (kind === 'ANMF' && !isFrame) {
        grow(size, 2 * three(body) + three(body + 6) + 1, 2 * three(body + 3) + three(body + 9) + 1)
        walk(body + 16, Math.min(end, body + bytes), true)
      }
      at = body + bytes + (bytes % 2)
    }
  }
  walk(12, view.byteLength, false)
  return size
}
