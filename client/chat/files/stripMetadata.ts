// Metadata tell place, time and device, and often hold a small uncut copy. The cuts leave the pixels untouched.

const text = (bytes: Uint8Array, at: number, length: number): string => String.fromCharCode(...bytes.subarray(at, at + length))

/** A JPEG keeps the orientation. undefined for other types than JPEG, PNG or WebP and for malformed bytes. */
export function stripped(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] | undefined {
  try {
    if (bytes[0] === 0xff && bytes[1] === 0xd8) return jpeg(bytes)
    if (text(bytes, 0, 8) === '\x89PNG\r\n\x1a\n') return png(bytes)
    if (text(bytes, 0, 4) === 'RIFF' && text(bytes, 8, 4) === 'WEBP') return webp(bytes)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return undefined
}

/** Keeps what a decoder needs: JFIF, colour profile, Adobe's colour transform. */
function jpeg(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts = [bytes.subarray(0, 2)]
  let turn = 1
  const kept: Uint8Array<ArrayBuffer>[] = []
  for (let at = 2; ; ) {
    if (view.getUint8(at) !== 0xff) throw new RangeError('No segment')
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at += 1
      continue
    }
    const end = at + 2 + view.getUint16(at + 2)
    if (end > bytes.length) throw new RangeError('A segment is cut short')
    if (marker === 0xda) {
      const scans = scansOf(bytes, at)
      return [...parts, ...(turn > 1 ? [orientation(turn)] : []), ...kept, ...scans]
    }
    const isRemark = marker === 0xfe || (marker >= 0xe0 && marker <= 0xef && !isNeeded(bytes, at, marker))
    if (marker === 0xe1 && text(bytes, at + 4, 6) === 'Exif\0\0') turn = turnIn(view, at + 10, end)
    if (!isRemark) kept.push(bytes.subarray(at, end))
    at = end
  }
}

const isNeeded = (bytes: Uint8Array, at: number, marker: number): boolean =>
  (marker === 0xe0 && text(bytes, at + 4, 5) === 'JFIF\0') ||
  (marker === 0xe2 && text(bytes, at + 4, 12) === 'ICC_PROFILE\0') ||
  (marker === 0xee && text(bytes, at + 4, 5) === 'Adobe')

/** Phones append whole further pictures to the scans. */
function scansOf(bytes: Uint8Array<ArrayBuffer>, from: number): Uint8Array<ArrayBuffer>[] {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let begin = from
  for (let at = from; at + 1 < bytes.length; at++) {
    if (bytes[at] !== 0xff) continue
    const marker = bytes[at + 1] ?? 0
    if (marker === 0xd9) return [...parts, bytes.subarray(begin, at + 2)]
    if (marker === 0x00 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd7)) continue
    const end = at + 2 + (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0))
    if (marker === 0xfe || (marker >= 0xe0 && marker <= 0xef)) {
      parts.push(bytes.subarray(begin, at))
      begin = end
    }
    at = end - 1
  }
  return [...parts, bytes.subarray(begin)]
}

/** From 1 (upright) to 8. */
function turnIn(view: DataView, tiff: number, end: number): number {
  const isLittle = view.getUint16(tiff) === 0x4949
  const list = tiff + view.getUint32(tiff + 4, isLittle)
  if (list + 2 > end) return 1
  const count = view.getUint16(list, isLittle)
  for (let entry = list + 2; entry + 12 <= Math.min(end, list + 2 + count * 12); entry += 12) {
    if (view.getUint16(entry, isLittle) !== 0x0112) continue
    const turn = view.getUint16(entry + 8, isLittle)
    return turn >= 1 && turn <= 8 ? turn : 1
  }
  return 1
}

const orientation = (turn: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from([
    ...[0xff, 0xe1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0],
    ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 1],
    ...[0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, turn, 0, 0, 0, 0, 0, 0],
  ])

const PNG_REMARKS = ['eXIf', 'tEXt', 'zTXt', 'iTXt', 'tIME']

function png(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts = [bytes.subarray(0, 8)]
  for (let at = 8; ; ) {
    const end = at + 12 + view.getUint32(at)
    if (end > bytes.length) throw new RangeError('A chunk is cut short')
    const kind = text(bytes, at + 4, 4)
    if (!PNG_REMARKS.includes(kind)) parts.push(bytes.subarray(at, end))
    if (kind === 'IEND') return parts
    at = end
  }
}

const WEBP_REMARKS = ['EXIF', 'XMP ']
/** VP8X bits that announce EXIF and XMP. */
const WEBP_FLAGS = 0x08 | 0x04

function webp(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer>[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts: Uint8Array<ArrayBuffer>[] = []
  for (let at = 12; at + 8 <= bytes.length; ) {
    const size = view.getUint32(at + 4, true)
    const end = Math.min(bytes.length, at + 8 + size + (size % 2))
    if (at + 8 + size > bytes.length) throw new RangeError('A chunk is cut short')
    const chunk = bytes.slice(at, end)
    if (text(bytes, at, 4) === 'VP8X') chunk[8] = (chunk[8] ?? 0) & ~WEBP_FLAGS
    if (!WEBP_REMARKS.includes(text(bytes, at, 4))) parts.push(chunk)
    at = end
  }
  const head = bytes.slice(0, 12)
  const length = 4 + parts.reduce((sum, part) => sum + part.length, 0)
  new DataView(head.buffer).setUint32(4, length, true)
  return [head, ...parts]
}
