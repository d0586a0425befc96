import { CHUNK_BYTES, SEAL_BYTES, storedBytesOf } from '../../../contract/chat/objects.ts'
import { type Bytes, concat, encodeFields, sameBytes } from '../../../contract/ground/bytes.ts'
import { LIMITS } from '../../../contract/ground/limits.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { lockedKey } from '../primitives/seal.ts'

// The nonce counts AES-256-GCM chunks and marks the last: none can go, move or repeat [Note: A1].

const OPEN_BYTES = CHUNK_BYTES - SEAL_BYTES
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
 * Seals 1 byte or more under a key for this file only; returns the SHA-256. The browser hashes only whole files. Throws
 * 'file_read'.
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
  return await sha256Of(content)
}

const piecesOf = (bytes: Bytes, first: number, step: number, count: number): Bytes[] =>
  Array.from({ length: count }, (_, at) => bytes.subarray((first + at) * step, (first + at + 1) * step))

export interface Stated {
  key: Uint8Array
  hash: Uint8Array
  sizeBytes: number
  storedBytes: number
}

/** Returns a checked Blob. Throws 'file_size', 'file_chunk', 'file_padding', 'file_hash', 'file_read'. */
export async function openFile(stated: Stated, sealed: Blob | ReadableStream<Bytes>, type = ''): Promise<Blob> {
  const { sizeBytes, storedBytes } = stated
  const reader = (sealed instanceof Blob ? sealed.stream() : sealed).getReader()
  try {
    if (storedBytesOf(sizeBytes) !== storedBytes) throw otherSize()
    if (sealed instanceof Blob && sealed.size !== storedBytes) throw otherSize()
    const content = new Uint8Array(sizeBytes)
    const aes = await lockedKey(stated.key)
    const chunks = chunksOf(storedBytes)
    const openChunk = async (index: number, chunk: Bytes): Promise<void> => {
      const opening = crypto.subtle.decrypt(cipherOf(index, index === chunks - 1), aes, chunk)
      const open = new Uint8Array(await opening.catch((cause: unknown) => spoiled(index, cause)))
      // The last chunks may be padding.
      const from = Math.min(sizeBytes, index * OPEN_BYTES)
      const part = open.subarray(0, sizeBytes - from)
      if (!isZero(open.subarray(part.length)))
        throw new CryptoFailure('file_padding', 'The padding of this file is not as it must be')
      content.set(part, from)
    }
    const rest = new Uint8Array(CHUNK_BYTES)
    let [index, held, taken] = [0, 0, 0]
    /** The browser copies its input. */
    const openPiece = (piece: Bytes): Promise<void>[] => {
      const begun: Promise<void>[] = []
      for (let at = 0; at < piece.length; ) {
        const length = Math.min(CHUNK_BYTES, storedBytes - index * CHUNK_BYTES)
        const part = piece.subarray(at, at + length - held)
        at += part.length
        if (part.length < length) {
          rest.set(part, held)
          held += part.length
          if (held < length) break
        }
        begun.push(openChunk(index, held > 0 ? rest.subarray(0, length) : part))
        index += 1
        held = 0
      }
      return begun
    }
    let opening: Promise<unknown> = Promise.resolve()
    for (;;) {
      const { value: piece } = await reader.read().catch(unreadable)
      taken += piece?.length ?? 0
      if (taken > storedBytes || (!piece && taken < storedBytes)) throw otherSize()
      const next = piece && Promise.all(openPiece(piece))
      // The next round takes this error.
      next?.catch(() => undefined)
      await opening
      if (!next) break
      opening = next
    }
    const hash = sha256Of(content)
    const file = new Blob([content], { type })
    if (!sameBytes(await hash, stated.hash))
      throw new CryptoFailure('file_hash', 'This is another file than its sender has sealed')
    return file
  } catch (error) {
    await reader.cancel().catch(() => undefined)
    throw error
  }
}

const otherSize = () => new CryptoFailure('file_size', 'This file is cut short, or longer than its message says')

/** A call for each padding byte is slow. */
function isZero(bytes: Bytes): boolean {
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== 0) return false
  return true
}

function spoiled(index: number, cause: unknown): never {
  const words = `Part ${index + 1} of this file was changed, moved, or sealed with another key`
  throw new CryptoFailure('file_chunk', words, { cause })
}

const sha256Of = async (bytes: Bytes): Promise<Bytes> => new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))

/** The file has gone or changed. */
function unreadable(cause: unknown): never {
  throw new CryptoFailure('file_read', 'This file cannot be read any more', { cause })
}
