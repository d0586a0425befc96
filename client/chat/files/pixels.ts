/** Four bytes per pixel make 400 MB. */
export const PIXELS_MAX = 100_000_000

const HEAD_BYTES = 256 * 1024

/**
 * Reads the size without decoding: a few kilobytes can hold gigabytes. undefined for other types than PNG, JPEG, GIF or WebP.
 */
export async function pixelsOf(file: Blob): Promise<{ width: number; height: number; type: string } | undefined> {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  const view = new DataView(bytes.buffer)
  const says = (at: number, text: string) => [...text].every((letter, index) => bytes[at + index] === letter.charCodeAt(0))
  try {
    if (says(0, '\x89PNG')) return { type: 'image/png', width: view.getUint32(16), height: view.getUint32(20) }
    if (says(0, 'GIF8')) return { type: 'image/gif', width: view.getUint16(6, true), height: view.getUint16(8, true) }
    if (says(0, 'RIFF') && says(8, 'WEBP')) return { type: 'image/webp', ...webpSize(view, says) }
    if (says(0, '\xff\xd8')) return { type: 'image/jpeg', ...jpegSize(view) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return undefined
}

function webpSize(view: DataView, says: (at: number, text: string) => boolean) {
  const three = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16)
  if (says(12, 'VP8X')) return { width: three(24) + 1, height: three(27) + 1 }
  if (says(12, 'VP8L')) {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
  }
  return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
}

function jpegSize(view: DataView) {
  for (let at = 2; ; ) {
    const marker = view.getUint8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (view.getUint8(at) !== 0xff) throw new RangeError('No segment')
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
}
