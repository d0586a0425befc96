import { chunksOf } from '../../../contract/chat/transferlimits.ts'
import { fromBase64, sameBytes } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { release } from '../primitives/release.ts'
import { moveFile, readFile, WAITING } from '../vault/disk.ts'
import { writePlaced } from '../vault/placedFile.ts'
import { roomLocked } from '../vault/roomlocks.ts'
import { receivedFile, type TransferName, waitingFile } from '../vault/waitingFiles.ts'
import { dropTransfers } from './dropping.ts'
import { fileDigest } from './fileDigest.ts'
import { forgetTransfer, type HeldTransfer, heldTransfer, waitingBlob, waitingPlace } from './heldTransfers.ts'
import { inTurn, piecesOf, requireReceiving } from './herePieces.ts'
import { fileAbsent, type KeptRow, keptRow, rowWrite } from './keptTransfers.ts'
import { rowSeal } from './sealedPieces.ts'

/**
 * Makes it a file of its chat. Throws 'file_hash', after which nothing is kept; 'file_chunk' where pieces are missing; 'room_locked': again
 * once the chat is open.
 */
export async function finishTransfer(live: Live, name: TransferName): Promise<void> {
  const held = await requireReceiving(live, name)
  await inTurn(held, async () => {
    if (held.row.stage !== 'done') await finish(live, held, name)
  })
}

async function finish(live: Live, held: HeldTransfer, name: TransferName): Promise<void> {
  const { digest, next } = held.running ?? { digest: await fileDigest(), next: 0 }
  held.running = undefined
  const has = new Uint8Array(chunksOf(held.row.content.sizeBytes)).fill(1, 0, next)
  for await (const { from, chunks } of piecesOf(held, await waitingBlob(live, name), next))
    for (const [at, chunk] of chunks.entries()) {
      has[from + at] = chunk ? 1 : 0
      if (chunk) digest.update(chunk)
      release(chunk)
    }
  held.has = has
  if (has.includes(0)) throw new CryptoFailure('file_chunk', 'Pieces of this file are missing')
  if (!sameBytes(new Uint8Array(digest.digest()), fromBase64(held.row.content.hash))) {
    await dropTransfers(live, [name])
    throw new CryptoFailure('file_hash', 'This is another file than its sender has offered')
  }
  const row: KeptRow = { ...held.row, stage: 'done', have: has.length }
  const isThere = await writePlaced(waitingPlace(live, name), [], { isFlushed: true })
  if (!isThere || (held.isKept && !(await keptRow(live, name)))) throw fileAbsent()
  if (held.isKept) await live.vault.write([rowWrite(row)])
  held.row = row
  await moveFile(live.userId, [WAITING, waitingFile(name)], [name.chatRoomId, receivedFile(name)], { isOnly: true })
  if (held.isKept) forgetTransfer(live, name)
}

/** Returns undefined if it is gone or spoiled. Throws 'room_locked'. */
export async function openTransfer(live: Live, name: TransferName): Promise<Blob | undefined> {
  const row = await receivedRow(live, name)
  if (!row) return undefined
  // Some browsers move nothing.
  const file = (await readFile(live.userId, name.chatRoomId, receivedFile(name))) ?? (await waitingBlob(live, name))
  if (!file) return undefined
  const parts: Blob[] = []
  for await (const { chunks } of piecesOf({ row, seal: await rowSeal(row) }, file)) {
    const whole = chunks.filter((chunk) => chunk !== undefined)
    if (whole.length < chunks.length) return undefined
    parts.push(new Blob(whole))
    release(...whole)
  }
  // The chat may be locked meanwhile.
  return (await receivedRow(live, name)) && new Blob(parts)
}

async function receivedRow(live: Live, name: TransferName): Promise<KeptRow | undefined> {
  const held = heldTransfer(live, name)
  if (held && !held.isKept && !(await live.vault.isOpen(name.chatRoomId))) throw roomLocked(name.chatRoomId)
  const row = held && !held.isKept ? held.row : await keptRow(live, name)
  return row?.stage === 'done' ? row : undefined
}
