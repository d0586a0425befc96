import type { Bytes } from '../../../contract/ground/bytes.ts'

const given = new WeakSet<ArrayBuffer>()

/** The page gets them without a copy, so the worker may not keep them. */
export function giveAway(bytes: Bytes): Bytes {
  given.add(bytes.buffer)
  return bytes
}

export const givenIn = (value: unknown): ArrayBuffer[] =>
  value instanceof Uint8Array && given.has(value.buffer as ArrayBuffer) ? [value.buffer as ArrayBuffer] : []
