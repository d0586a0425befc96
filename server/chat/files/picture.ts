/** A JPEG names its size after the camera's data. */
export const HEAD_BYTES = 256 * 1024

export interface Picture {
  mediaType: 'image/jpeg' | 'image/png' | 'image/gif'
  /** Pixels. */
  width: number
  height: number
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Ignores names. undefined for anything but JPEG, PNG and GIF. */
export function pictureOf(head: Buffer): Picture | undefined {
  if (head.length < 24) return undefined
  if (head.subarray(0, 8).equals(PNG)) {
    if (head.toString('latin1', 12, 16) !== 'IHDR') return undefined
    return { mediaType: 'image/png', width: head.readUInt32BE(16), height: head.readUInt32BE(20) }
  }
  if (/^GIF8[79]a$/.test(head.toString('latin1', 0, 6)))
    return { mediaType: 'image/gif', width: head.readUInt16LE(6), height: head.readUInt16LE(8) }
  const size = jpegSize(head)
  return size && { mediaType: 'image/jpeg', ...size }
}

/** Reads the frame header (ITU T.81, B.1 and B.2.2). */
function jpegSize(head: Buffer): { width: number; height: number } | undefined {
  if (head[0] !== 0xff || head[1] !== 0xd8) return undefined
  let at = 2
  while (at + 9 <= head.length && head[at] === 0xff) {
    const marker = head.readUInt8(at + 1)
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)) at += 2
    else if (isFrame(marker)) return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) }
    else if (marker === 0xda || marker === 0xd9) return undefined
    else at += 2 + head.readUInt16BE(at + 2)
  }
  return undefined
}

/** SOF0 to SOF15 without DHT, JPG and DAC. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
