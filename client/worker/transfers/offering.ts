import { chunksOf, TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import { type Bytes, sameBytes, toBase64 } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { giveAway } from '../primitives/given.ts'
import { release } from '../primitives/release.ts'
import { digestOf, randomBytes } from '../primitives/seal.ts'
import { dropFiles, WAITING, writeFile, writesToDisk } from '../vault/disk.ts'
import { type TransferName, waitingFile } from '../vault/waitingFiles.ts'
import { fileDigest } from './fileDigest.ts'
import {
  type Attempt,
  type HeldTransfer,
  heldTransfer,
  holdTransfer,
  requireAttempt,
  waitingBlob,
  waitingPlace,
} from './heldTransfers.ts'
import { fileAbsent, type KeptRow, keptRow, nameOf, rowWrite } from './keptTransfers.ts'
import { HEAD_BYTES, openRun, type PieceSeal, PLACE_BYTES, rowSeal, sealedBytesAt, sealPiece, sealRun } from './sealedPieces.ts'
import { requireRoomForOne, shownRow, type TransferRow } from './transferRow.ts'

const { chunkBytes } = TRANSFER_LIMITS
const AT_ONCE = 64
const SEALED_MAX = 256

type NewOffer = TransferName & { file: Blob; name: string; mediaType: string; at: string }

/** Reads the file once and seals a copy. Harmless twice. Throws 'file_size', 'file_read', 'quota', 'room_locked'. */
export async function keepOffer(
  live: Live,
  { chatRoomId, transferId, file, name, mediaType, at }: NewOffer,
): Promise<TransferRow> {
  const place = { chatRoomId, transferId }
  const held = heldTransfer(live, place)
  const known = held?.row ?? (await keptRow(live, place))
  if (known) return shownRow({ row: known, isKept: held?.isKept ?? true })
  if (file.size < 1 || file.size > TRANSFER_LIMITS.fileBytes)
    throw new CryptoFailure('file_size', 'This file is empty or too large')
  await requireRoomForOne(live, { chatRoomId, isMine: true })
  const [hash, key] = ['', toBase64(randomBytes(32))]
  const content = { type: 'transfer' as const, transferId, name, mediaType, sizeBytes: file.size, hash }
  const row: KeptRow = {
    ...{ content, chatRoomId, isMine: true, stage: 'offered', have: chunksOf(file.size), at, keptAt: Date.now(), key },
  }
  const seal = await rowSeal(row)
  if (!(await writesToDisk(live.userId))) return shownRow(await holdSource(live, row, file))
  const { result } = await writeFile(waitingPlace(live, place), sealedCopy(seal, file))
  const kept = { ...row, content: { ...content, hash: toBase64(result) } }
  try {
    await live.vault.write([rowWrite(kept)])
  } catch (error) {
    await dropFiles(live.userId, WAITING, waitingFile(place))
    throw error
  }
  return shownRow(await holdTransfer(live, kept))
}

async function* sealedCopy(seal: PieceSeal, file: Blob): AsyncGenerator<Bytes, Bytes> {
  const digest = await fileDigest()
  for (let from = 0; from < chunksOf(file.size); from += AT_ONCE) {
    const plain = await readChunks(file, from, AT_ONCE, unreadable)
    digest.update(plain)
    const run = await sealRun(seal, from, plain)
    release(plain)
    yield run
    release(run)
  }
  return new Uint8Array(digest.digest())
}

async function holdSource(live: Live, row: KeptRow, file: Blob): Promise<HeldTransfer> {
  const digest = await fileDigest()
  const hashes: Bytes[] = []
  for (let from = 0; from < chunksOf(file.size); from += AT_ONCE) {
    const plain = await readChunks(file, from, AT_ONCE, unreadable)
    digest.update(plain)
    hashes.push(...chunksIn(plain).map((chunk) => digestOf(chunk)))
    release(plain)
  }
  const hash = toBase64(new Uint8Array(digest.digest()))
  return holdTransfer(live, { ...row, content: { ...row.content, hash } }, { isKept: false, source: { file, hashes } })
}

async function readChunks(file: Blob, from: number, count: number, refuse: (cause?: unknown) => never): Promise<Bytes> {
  const slice = file.slice(from * chunkBytes, (from + count) * chunkBytes)
  const bytes = new Uint8Array(await slice.arrayBuffer().catch(refuse))
  return bytes.length === slice.size ? bytes : refuse()
}

const chunksIn = (plain: Bytes): Bytes[] =>
  Array.from({ length: Math.ceil(plain.length / chunkBytes) }, (_, at) => plain.subarray(at * chunkBytes, (at + 1) * chunkBytes))

function unreadable(cause?: unknown): never {
  throw new CryptoFailure('file_read', 'This file cannot be read any more', { cause })
}

function changed(cause?: unknown): never {
  throw new CryptoFailure('file_changed', 'This file is not what was offered any more', { cause })
}

/** Returns at most 256 frames: u32 number | u32 length of the rest | nonce 12 | sealed. Throws 'call_over', 'file_changed', 'file_absent'. */
export async function sealChunks(
  live: Live,
  { from, count, ...attempt }: Attempt & { from: number; count: number },
): Promise<Bytes> {
  const { held, seal } = await requireAttempt(live, attempt, 'sender')
  const { sizeBytes } = held.row.content
  const end = Math.min(chunksOf(sizeBytes), from + Math.min(count, SEALED_MAX))
  if (!(from >= 0 && from < end)) throw new RangeError('There is no such chunk')
  const chunks = await (held.source ? sourceChunks(held.source, from, end) : keptChunks(live, held, from, end))
  const frames = new Uint8Array(chunks.reduce((sum, _, at) => sum + HEAD_BYTES + sealedBytesAt(sizeBytes, from + at), 0))
  const view = new DataView(frames.buffer)
  await Promise.all(
    chunks.map((chunk, at) => {
      const [place, length] = [at * (HEAD_BYTES + PLACE_BYTES), sealedBytesAt(sizeBytes, from + at)]
      view.setUint32(place, from + at)
      view.setUint32(place + 4, length)
      return sealPiece(seal, from + at, chunk, frames.subarray(place + HEAD_BYTES, place + HEAD_BYTES + length))
    }),
  )
  release(...chunks)
  return giveAway(frames)
}

async function keptChunks(live: Live, held: HeldTransfer, from: number, end: number): Promise<Bytes[]> {
  const copy = held.copy ?? (await waitingBlob(live, nameOf(held.row)))
  const run = await copy
    ?.slice(from * PLACE_BYTES, end * PLACE_BYTES)
    .arrayBuffer()
    .catch(unkept)
  if (!copy || !run) throw fileAbsent()
  held.copy = copy
  const sealed = new Uint8Array(run)
  const chunks = await openRun(held.seal, from, sealed)
  release(sealed)
  return Array.from({ length: end - from }, (_, at) => chunks[at] ?? changed())
}

/** Another tab has cleared the chat. */
function unkept(cause: unknown): undefined {
  if (!(cause instanceof DOMException) || !['NotFoundError', 'NotReadableError'].includes(cause.name)) throw cause
}

async function sourceChunks({ file, hashes }: NonNullable<HeldTransfer['source']>, from: number, end: number): Promise<Bytes[]> {
  const chunks = chunksIn(await readChunks(file, from, end - from, changed))
  return chunks.map((chunk, at) => (sameBytes(digestOf(chunk), hashes[from + at] ?? new Uint8Array()) ? chunk : changed()))
}
