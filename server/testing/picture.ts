/** The beginning of a picture with this size, and so many bytes behind it. Who measures it reads no further. */
export function pictureBytes(
  type: 'png' | 'gif' | 'jpeg',
  { width = 320, height = 320, more = 1000 } = {},
): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.concat([HEADS[type](width, height), Buffer.alloc(more, 7)]))
}

const HEADS = {
  png(width: number, height: number): Buffer {
    const head = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\0\0\0\0\0\x08\x02', 'latin1')
    head.writeUInt32BE(width, 16)
    head.writeUInt32BE(height, 20)
    return head
  },
  gif(width: number, height: number): Buffer {
    const screen = Buffer.from('GIF89a\0\0\0\0\0\0\0', 'latin1')
    const frame = Buffer.from(',\0\0\0\0\0\0\0\0\0\x02\x01\0\0;', 'latin1')
    for (const [head, at] of [
      [screen, 6],
      [frame, 5],
    ] as const) {
      head.writeUInt16LE(width, at)
      head.writeUInt16LE(height, at + 2)
    }
    return Buffer.concat([screen, frame])
  },
  /** With an APP1 segment before its frame header, as a camera writes it. */
  jpeg(width: number, height: number): Buffer {
    const exif = Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0x00, 0x12]),
      Buffer.from('Exif\0\0 52.5 N 13.4', 'latin1').subarray(0, 16),
    ])
    const frame = Buffer.from([0xff, 0xc0, 0x00, 0x11, 0x08, 0, 0, 0, 0, 0x03])
    frame.writeUInt16BE(height, 5)
    frame.writeUInt16BE(width, 7)
    return Buffer.concat([exif, frame])
  },
}
