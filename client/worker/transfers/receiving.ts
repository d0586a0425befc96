import type { TransferContent } from '../../../contract/chat/content.ts'
import { chunksOf } from '../../../contract/chat/transferlimits.ts'
import { type Bytes, toBase64 } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { release } from '../primitives/release.ts'
import { randomBytes } from '../primitives/seal.ts'
import { dropFiles, WAITING } from '../vault/disk.ts'
import { exclusive } from '../vault/exclusive.ts'
import { makePlaced, type Run, writePlaced } from '../vault/placedFile.ts'
import { isRoomLocked } from '../vault/roomlocks.ts'
import { type TransferName, waitingFile } from '../vault/waitingFiles.ts'
import { fileDigest } from './fileDigest.ts'
import {
  type Attempt,
  type HeldTransfer,
  heldTransfer,
  holdTransfer,
  requireAttempt,
  requireTransfer,
  waitingPlace,
} from './heldTransfers.ts'
import { AT_ONCE, inTurn, lookedAt, requireReceiving } from './herePieces.ts'
import { fileAbsent, type KeptRow, keptRow, nameOf, rowWrite } from './keptTransfers.ts'
import { HEAD_BYTES, openPiece, PLACE_BYTES, sealedBytesAt, sealPiece } from './sealedPieces.ts'
import { requireRoomForOne, shownRow, type TransferRow } from './transferRow.ts'

const FRAMES_MAX_BYTES = AT_ONCE * (HEAD_BYTES + PLACE_BYTES)

/** Begins, or returns what is here. Throws 'quota', 'room_locked', 'file_absent' for an own offer. */
export async function keepReceiving(
  live: Live,
  { chatRoomId, content, at }: { chatRoomId: string; content: TransferContent; at: string },
): Promise<TransferRow> {
  const name = { chatRoomId, transferId: content.transferId }
  const known = heldTransfer(live, name)?.row ?? (await keptRow(live, name))
  if (known?.isMine) throw fileAbsent()
  if (known?.stage === 'done') return shownRow({ row: known, isKept: heldTransfer(live, name)?.isKept ?? true })
  const held = await exclusive(`${live.userId}/transfers`, async () =>
    known || (await keptRow(live, name)) ? requireTransfer(live, name) : beginReceiving(live, { chatRoomId, content, at }),
  )
  await lookedAt(live, held)
  return shownRow(held)
}

async function beginReceiving(live: Live, offer: Pick<KeptRow, 'chatRoomId' | 'content' | 'at'>): Promise<HeldTransfer> {
  const { chatRoomId, content } = offer
  const name = { chatRoomId, transferId: content.transferId }
  await requireRoomForOne(live, { chatRoomId, isMine: false })
  const key = toBase64(randomBytes(32))
  const row: KeptRow = { ...offer, isMine: false, stage: 'receiving', have: 0, keptAt: Date.now(), key }
  const count = chunksOf(content.sizeBytes)
  const last = (count - 1) * PLACE_BYTES + sealedBytesAt(content.sizeBytes, count - 1)
  const isKept = await makePlaced(waitingPlace(live, name), last)
  try {
    if (isKept) await live.vault.write([rowWrite(row)])
  } catch (error) {
    await dropFiles(live.userId, WAITING, waitingFile(name))
    throw error
  }
  return holdTransfer(live, row, { isKept, has: new Uint8Array(count), running: { digest: await fileDigest(), next: 0 } })
}

/** [from, to) in order. Throws 'file_absent', 'room_locked'. */
export async function missingChunks(live: Live, name: TransferName): Promise<[number, number][]> {
  const held = await requireReceiving(live, name)
  if (held.row.stage === 'done') return []
  const missing: [number, number][] = []
  for (const [number, isHere] of (await lookedAt(live, held)).entries()) {
    const last = missing.at(-1)
    if (isHere) continue
    if (last?.[1] === number) last[1] = number + 1
    else missing.push([number, number + 1])
  }
  return missing
}

/** Keeps at most 256 frames; what does not open is dropped. Returns how many chunks are here. Throws 'call_over', 'quota', 'file_absent'. */
export async function openChunks(live: Live, attempt: Attempt, frames: Bytes): Promise<number> {
  const { held, seal } = await requireAttempt(live, attempt, 'receiver')
  const has = await lookedAt(live, held)
  const found = framesIn(held.row, frames).filter(({ number }) => !has[number])
  const places = new Uint8Array(found.length * PLACE_BYTES)
  const opened = found.map(async ({ number, sealed }, at) => {
    const chunk = await openPiece(seal, number, sealed)
    if (!chunk) return undefined
    const bytes = places.subarray(at * PLACE_BYTES, at * PLACE_BYTES + sealed.length)
    await sealPiece(held.seal, number, chunk, bytes)
    return { number, bytes, chunk }
  })
  const pieces = (await Promise.all(opened)).filter((piece) => piece !== undefined)
  release(frames)
  const have = await inTurn(held, () => keepPieces(live, held, pieces))
  release(places, ...pieces.map(({ chunk }) => chunk))
  return have
}

interface Frame {
  number: number
  sealed: Bytes
}

function framesIn({ content: { sizeBytes } }: KeptRow, frames: Bytes): Frame[] {
  const view = new DataView(frames.buffer, frames.byteOffset, frames.byteLength)
  const end = Math.min(frames.length, FRAMES_MAX_BYTES)
  const count = chunksOf(sizeBytes)
  const found = new Map<number, Frame>()
  for (let at = 0; at + HEAD_BYTES < end; ) {
    const number = view.getUint32(at)
    const length = view.getUint32(at + 4)
    const sealed = frames.subarray(at + HEAD_BYTES, at + HEAD_BYTES + length)
    if (number < count && length === sealedBytesAt(sizeBytes, number)) found.set(number, { number, sealed })
    at += HEAD_BYTES + length
  }
  return [...found.values()]
}

interface Piece {
  number: number
  /** Sealed. */
  bytes: Bytes
  chunk: Bytes
}

async function keepPieces(live: Live, held: HeldTransfer, opened: Piece[]): Promise<number> {
  const { has = new Uint8Array(), running } = held
  // A write that fails may tear what is here.
  const pieces = opened.filter(({ number }) => has[number] !== 1)
  const runs = runsOf(pieces)
  if (runs.length > 0 && !(await writePlaced(waitingPlace(live, nameOf(held.row)), runs))) throw fileAbsent()
  for (const { number, chunk } of pieces) {
    has[number] = 1
    if (running?.next !== number) continue
    running.digest.update(chunk)
    running.next += 1
  }
  held.row = { ...held.row, have: has.reduce((sum, one) => sum + one, 0) }
  await note(live, held)
  return held.row.have
}

/** What lies side by side, in memory and in the file, is written at once. */
function runsOf(pieces: Piece[]): Run[] {
  const runs: Run[] = []
  for (const { number, bytes } of pieces) {
    const at = number * PLACE_BYTES
    const last = runs.at(-1)
    const isNext = last && last.at + last.bytes.length === at && last.bytes.byteOffset + last.bytes.length === bytes.byteOffset
    if (isNext) last.bytes = new Uint8Array(bytes.buffer, last.bytes.byteOffset, last.bytes.length + bytes.length)
    else runs.push({ at, bytes })
  }
  return runs
}

/** The row’s number is only shown. */
async function note(live: Live, held: HeldTransfer): Promise<void> {
  const { row } = held
  const isDue = row.have - held.noted >= AT_ONCE || row.have === chunksOf(row.content.sizeBytes)
  if (!held.isKept || !isDue || row.have === held.noted) return
  try {
    if (!(await keptRow(live, nameOf(row)))) throw fileAbsent()
    await live.vault.write([rowWrite(row)])
    held.noted = row.have
  } catch (error) {
    if (!isRoomLocked(error)) throw error
  }
}
