import { sha256 } from '@noble/hashes/sha2.js'
import { type Bytes, concat, encodeFields, sameBytes } from '../../contract/bytes.ts'
import { paddedBytes } from '../../contract/objects.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { lockedKey } from '../primitives/seal.ts'

// A sealed file is a row of chunks of one size, the last one shorter, each sealed by AES-256-GCM under the file's own key. The nonce
// counts the chunks and says which is the last, so that none can be left out, moved, repeated or taken from another file [Note: A1].

/** Size of a sealed chunk; its seal takes the last 16 bytes of it. */
export const CHUNK_BYTES = 64 * 1024
const TAG_BYTES = 16
const OPEN_BYTES = CHUNK_BYTES - TAG_BYTES

/** The size with which a file of so many bytes is stored: sealed and padded. */
export const storedBytesOf = (sizeBytes: number): number =>
  paddedBytes(sizeBytes + TAG_BYTES * Math.max(1, Math.ceil(sizeBytes / OPEN_BYTES)))

const chunksOf = (storedBytes: number): number => Math.ceil(storedBytes / CHUNK_BYTES)

function cipherOf(index: number, isLast: boolean) {
  const iv = new Uint8Array(12)
  const view = new DataView(iv.buffer)
  view.setUint32(4, index)
  view.setUint32(8, isLast ? 1 : 0)
  return { name: 'AES-GCM', iv, additionalData: encodeFields('conclave/file/v1', String(index), isLast ? 'last' : 'more') }
}

/**
 * Seals a file of `sizeBytes` (1 or more) under a key that seals nothing else (32 bytes). Yields the sealed chunks, `storedBytesOf` bytes
 * together, and returns the SHA-256 of the file. One chunk is in memory at a time. Throws CryptoFailure('file_read') if the file has
 * another size.
 */
export async function* sealFile(key: Uint8Array, file: Blob): AsyncGenerator<Bytes, Bytes> {
  const aes = await lockedKey(key)
  const hash = sha256.create()
  const storedBytes = storedBytesOf(file.size)
  const chunks = chunksOf(storedBytes)
  for (let index = 0; index < chunks; index++) {
    const from = index * OPEN_BYTES
    const piece = new Uint8Array(await read(file.slice(from, from + OPEN_BYTES)))
    hash.update(piece)
    const isLast = index === chunks - 1
    const openBytes = isLast ? storedBytes - index * CHUNK_BYTES - TAG_BYTES : OPEN_BYTES
    const padded = piece.length === openBytes ? piece : concat(piece, new Uint8Array(openBytes - piece.length))
    yield new Uint8Array(await crypto.subtle.encrypt(cipherOf(index, isLast), aes, padded))
  }
  return concat(hash.digest())
}

/**
 * Opens a sealed file and returns its bytes as a Blob without a type. Throws CryptoFailure: 'file_size' if it is longer or shorter than
 * stated, 'file_chunk' if a chunk was changed, moved, or sealed under another key, 'file_padding', 'file_hash' if it is another
 * file than the message states.
 */
export async function openFile(
  stated: { key: Uint8Array; hash: Uint8Array; sizeBytes: number; storedBytes: number },
  sealed: Blob,
): Promise<Blob> {
  const { sizeBytes, storedBytes } = stated
  if (sealed.size !== storedBytes || storedBytesOf(sizeBytes) !== storedBytes)
    throw new CryptoFailure('file_size', 'This file is cut short, or longer than its message says')
  const aes = await lockedKey(stated.key)
  const hash = sha256.create()
  const chunks = chunksOf(storedBytes)
  const parts: Bytes[] = []
  let left = sizeBytes
  for (let index = 0; index < chunks; index++) {
    const from = index * CHUNK_BYTES
    const piece = await read(sealed.slice(from, from + CHUNK_BYTES))
    const open = await crypto.subtle.decrypt(cipherOf(index, index === chunks - 1), aes, piece).then(
      (bytes) => new Uint8Array(bytes),
      (cause: unknown) => {
        throw new CryptoFailure('file_chunk', `Part ${index + 1} of this file was changed, moved, or sealed with another key`, {
          cause,
        })
      },
    )
    const content = open.subarray(0, Math.min(left, open.length))
    if (open.subarray(content.length).some((byte) => byte !== 0))
      throw new CryptoFailure('file_padding', 'The padding of this file is not as it must be')
    left -= content.length
    hash.update(content)
    parts.push(content)
  }
  if (!sameBytes(hash.digest(), stated.hash))
    throw new CryptoFailure('file_hash', 'This is another file than its sender has sealed')
  return new Blob(parts)
}

/** Reads a piece. Throws CryptoFailure('file_read') if the file has gone or was changed on the disk. */
const read = (piece: Blob): Promise<ArrayBuffer> =>
  piece.arrayBuffer().catch((cause: unknown) => {
    throw new CryptoFailure('file_read', 'This file cannot be read any more', { cause })
  })
