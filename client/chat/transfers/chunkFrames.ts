import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import type { Bytes } from '../../../contract/ground/bytes.ts'

// u32 number | u32 length | nonce 12 | sealed, as the worker writes them [Note: M11]. Big-endian.

const HEAD_BYTES = 8
const FRAME_MAX_BYTES = HEAD_BYTES + 12 + TRANSFER_LIMITS.chunkBytes + 16

export function splitFrames(frames: Bytes): Bytes[] {
  const view = new DataView(frames.buffer, frames.byteOffset, frames.byteLength)
  const split: Bytes[] = []
  for (let at = 0; at < frames.length; ) {
    const end = at + HEAD_BYTES + view.getUint32(at + 4)
    split.push(frames.subarray(at, end))
    at = end
  }
  return split
}

/** undefined: no single frame. */
export function numberOf(frame: ArrayBuffer): number | undefined {
  if (frame.byteLength <= HEAD_BYTES || frame.byteLength > FRAME_MAX_BYTES) return undefined
  const view = new DataView(frame)
  return view.getUint32(4) === frame.byteLength - HEAD_BYTES ? view.getUint32(0) : undefined
}
