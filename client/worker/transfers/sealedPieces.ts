import type { TransferContent } from '../../../contract/chat/content.ts'
import { chunksOf, TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { type Bytes, encodeFields, fromBase64 } from '../../../contract/ground/bytes.ts'
import { release } from '../primitives/release.ts'
import { erase, hkdf, lockedKey } from '../primitives/seal.ts'
import type { KeptRow } from './keptTransfers.ts'

// Nonces are random: one that counts comes twice where the file changes between two reads [Note: M11].

const PIECE = 'conclave/transfer-piece/v1'
const CHUNK = 'conclave/transfer-chunk/v1'
const NONCE_BYTES = 12
/** Nonce and tag. */
const SEAL_BYTES = NONCE_BYTES + 16
const { chunkBytes } = TRANSFER_LIMITS
/** Number and length of a frame. */
export const HEAD_BYTES = 8
export const PLACE_BYTES = chunkBytes + SEAL_BYTES

export interface PieceSeal {
  key: CryptoKey
  contextOf: (number: number) => Bytes
}

export const rowSeal = async ({ key, content }: KeptRow): Promise<PieceSeal> => ({
  key: await lockedKey(fromBase64(key)),
  contextOf: (number) => encodeFields(PIECE, content.transferId, String(number)),
})

/** `device`: the sender’s. */
export async function chunkSeal(callKey: Bytes, device: string, content: TransferContent): Promise<PieceSeal> {
  const bytes = await hkdf(callKey, CHUNK, device)
  const key = await lockedKey(bytes)
  erase(bytes)
  const count = String(chunksOf(content.sizeBytes))
  return { key, contextOf: (number) => encodeFields(CHUNK, content.transferId, String(number), count) }
}

export const sealedBytesAt = (sizeBytes: number, number: number): number =>
  Math.min(chunkBytes, sizeBytes - number * chunkBytes) + SEAL_BYTES

/** Fills `place` with nonce, ciphertext and tag. */
export async function sealPiece({ key, contextOf }: PieceSeal, number: number, plain: Bytes, place: Bytes): Promise<void> {
  const iv = crypto.getRandomValues(place.subarray(0, NONCE_BYTES))
  const sealed = new Uint8Array(
    await crypto.subtle.encrypt({ name: 'AES-GCM', iv, additionalData: contextOf(number) }, key, plain),
  )
  place.set(sealed, NONCE_BYTES)
  release(sealed)
}

/** Returns undefined for what does not open. */
export async function openPiece({ key, contextOf }: PieceSeal, number: number, sealed: Bytes): Promise<Bytes | undefined> {
  const iv = sealed.subarray(0, NONCE_BYTES)
  if (sealed.length <= SEAL_BYTES || iv.every((byte) => byte === 0)) return undefined
  try {
    const algorithm = { name: 'AES-GCM', iv, additionalData: contextOf(number) }
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, sealed.subarray(NONCE_BYTES)))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'OperationError') return undefined
    throw error
  }
}

export async function sealRun(seal: PieceSeal, from: number, plain: Bytes): Promise<Bytes> {
  const count = Math.ceil(plain.length / chunkBytes)
  const run = new Uint8Array(plain.length + count * SEAL_BYTES)
  await Promise.all(
    Array.from({ length: count }, (_, at) =>
      sealPiece(
        seal,
        from + at,
        plain.subarray(at * chunkBytes, (at + 1) * chunkBytes),
        run.subarray(at * PLACE_BYTES, (at + 1) * PLACE_BYTES),
      ),
    ),
  )
  return run
}

export const openRun = (seal: PieceSeal, from: number, run: Bytes): Promise<(Bytes | undefined)[]> =>
  Promise.all(
    Array.from({ length: Math.ceil(run.length / PLACE_BYTES) }, (_, at) =>
      openPiece(seal, from + at, run.subarray(at * PLACE_BYTES, (at + 1) * PLACE_BYTES)),
    ),
  )
