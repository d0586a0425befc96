import { type Bytes, concat, encodeFields, sameBytes } from '../../contract/bytes.ts'
import { LIMITS } from '../../contract/limits.ts'
import { CHUNK_BYTES, SEAL_BYTES, storedBytesOf } from '../../contract/objects.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { lockedKey } from '../primitives/seal.ts'

// A sealed file is a row of chunks of one size, the last one shorter, each sealed by AES-256-GCM under the file's own key. The nonce
// counts the chunks and says which is the last, so that none can be left out, moved, repeated or taken from another file [Note: A1].

const OPEN_BYTES = CHUNK_BYTES - SEAL_BYTES
/** Chunks that are read and opened at once: each read and each call of the browser's cipher waits for another thread. */
const OPENED_AT_ONCE = 16
/** Chunks that are sealed at once: a part of an upload, which goes out while the next one is sealed. */
const SEALED_AT_ONCE = LIMITS.uploadPartMinBytes / CHUNK_BYTES

const chunksOf = (storedBytes: number): number => Math.ceil(storedBytes / CHUNK_BYTES)

function cipherOf(index: number, isLast: boolean) {
  const iv = new Uint8Array(12)
  const view = new DataView(iv.buffer)
  view.setUint32(4, index)
  view.setUint32(8, isLast ? 1 : 0)
  return { name: 'AES-GCM', iv, additionalData: encodeFields('conclave/file/v1', String(index), isLast ? 'last' : 'more') }
}

/**
 * Seals a file of 1 byte or more under a key that seals nothing else (32 bytes). Yields the sealed bytes in steps of
 * `LIMITS.uploadPartMinBytes`, `storedBytesOf` bytes together, and returns the SHA-256 of the file. The file is in memory once: the
 * browser hashes only what it has whole, and five times as fast as code of ours. Throws CryptoFailure('file_read').
 */
export async function* sealFile(key: Uint8Array, file: Blob): AsyncGenerator<Bytes, Bytes> {
  const aes = await lockedKey(key)
  const content = new Uint8Array(await file.arrayBuffer().catch(unreadable))
  const storedBytes = storedBytesOf(content.length)
  const chunks = chunksOf(storedBytes)
  const seal = async (index: number, piece: Bytes): Promise<Bytes> => {
    const isLast = index === chunks - 1
    const openBytes = isLast ? storedBytes - index * CHUNK_BYTES - SEAL_BYTES : OPEN_BYTES
    const padded = piece.length === openBytes ? piece : concat(piece, new Uint8Array(openBytes - piece.length))
    return new Uint8Array(await crypto.subtle.encrypt(cipherOf(index, isLast), aes, padded))
  }
  const sealFrom = (first: number): Promise<Bytes[]> =>
    Promise.all(
      piecesOf(content, first, OPEN_BYTES, Math.min(SEALED_AT_ONCE, chunks - first)).map((piece, at) => seal(first + at, piece)),
    )
  for (let first = 0; first < chunks; first += SEALED_AT_ONCE) yield concat(...(await sealFrom(first)))
  // Behind the sealing, for which somebody waits.
  return await sha256Of(content)
}

/** The next `count` chunks from `first` on, of `step` bytes each but the last; those of the padding are empty. */
const piecesOf = (bytes: Bytes, first: number, step: number, count: number): Bytes[] =>
  Array.from({ length: count }, (_, at) => bytes.subarray((first + at) * step, (first + at + 1) * step))

/**
 * Opens a sealed file. Yields its sealed bytes as they are read, some at a time, and returns the file as a Blob without a type once all of
 * it is known to be right. Throws CryptoFailure: 'file_size' if it is longer or shorter than stated, 'file_chunk' if a chunk was
 * changed, moved, or sealed under another key, 'file_padding', 'file_hash' if it is another file than the message states, 'file_read'.
 */
export async function* openFile(
  stated: { key: Uint8Array; hash: Uint8Array; sizeBytes: number; storedBytes: number },
  sealed: Blob,
): AsyncGenerator<Bytes, Blob> {
  const { sizeBytes, storedBytes } = stated
  if (sealed.size !== storedBytes || storedBytesOf(sizeBytes) !== storedBytes)
    throw new CryptoFailure('file_size', 'This file is cut short, or longer than its message says')
  const aes = await lockedKey(stated.key)
  const chunks = chunksOf(storedBytes)
  const content = new Uint8Array(sizeBytes)
  const openChunk = (index: number, piece: Bytes): Promise<Bytes> =>
    crypto.subtle.decrypt(cipherOf(index, index === chunks - 1), aes, piece).then(
      (bytes) => new Uint8Array(bytes),
      (cause: unknown) => {
        throw new CryptoFailure('file_chunk', `Part ${index + 1} of this file was changed, moved, or sealed with another key`, {
          cause,
        })
      },
    )
  let filled = 0
  const batches = batchesOf(sealed)
  let next = await batches.next()
  for (let first = 0; !next.done; first += OPENED_AT_ONCE) {
    const batch = next.value
    const pieces = piecesOf(batch, 0, CHUNK_BYTES, Math.min(OPENED_AT_ONCE, chunks - first))
    // The next chunks are read while the browser opens these.
    const [opened, following] = await Promise.all([
      Promise.all(pieces.map((piece, at) => openChunk(first + at, piece))),
      batches.next(),
    ])
    for (const open of opened) {
      const part = open.subarray(0, Math.min(sizeBytes - filled, open.length))
      if (open.subarray(part.length).some((byte) => byte !== 0))
        throw new CryptoFailure('file_padding', 'The padding of this file is not as it must be')
      content.set(part, filled)
      filled += part.length
    }
    yield batch
    next = following
  }
  const hash = sha256Of(content)
  const file = new Blob([content])
  if (!sameBytes(await hash, stated.hash)) throw new CryptoFailure('file_hash', 'This is another file than its sender has sealed')
  return file
}

/** Reads a sealed file as one stream: several times as fast as piece by piece. Each batch but the last is `OPENED_AT_ONCE` chunks. */
async function* batchesOf(sealed: Blob): AsyncGenerator<Bytes, undefined> {
  const reader = sealed.stream().getReader()
  let batch = new Uint8Array(OPENED_AT_ONCE * CHUNK_BYTES)
  let filled = 0
  for (;;) {
    const { value } = await reader.read().catch(unreadable)
    for (let at = 0; value && at < value.length; ) {
      const part = value.subarray(at, at + batch.length - filled)
      batch.set(part, filled)
      filled += part.length
      at += part.length
      if (filled < batch.length) continue
      yield batch
      batch = new Uint8Array(OPENED_AT_ONCE * CHUNK_BYTES)
      filled = 0
    }
    if (value) continue
    if (filled > 0) yield batch.subarray(0, filled)
    return undefined
  }
}

const sha256Of = async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

/** The file has gone or was changed on the disk. */
function unreadable(cause: unknown): never {
  throw new CryptoFailure('file_read', 'This file cannot be read any more', { cause })
}
