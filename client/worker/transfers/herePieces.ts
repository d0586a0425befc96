import { chunksOf } from '../../../contract/chat/transferlimits.ts'
import type { Bytes } from '../../../contract/ground/bytes.ts'
import type { Live } from '../keys/live.ts'
import { release } from '../primitives/release.ts'
import type { TransferName } from '../vault/waitingFiles.ts'
import { type HeldTransfer, requireTransfer, waitingBlob } from './heldTransfers.ts'
import { fileAbsent, nameOf } from './keptTransfers.ts'
import { openRun, PLACE_BYTES } from './sealedPieces.ts'

export const AT_ONCE = 256

/** A crash between write and note loses nothing. */
export async function lookedAt(live: Live, held: HeldTransfer): Promise<Uint8Array> {
  return inTurn(held, async () => {
    if (held.has) return held.has
    const has = new Uint8Array(chunksOf(held.row.content.sizeBytes))
    for await (const { from, chunks } of piecesOf(held, await waitingBlob(live, nameOf(held.row))))
      for (const [at, chunk] of chunks.entries()) {
        has[from + at] = chunk ? 1 : 0
        release(chunk)
      }
    held.has = has
    held.row = { ...held.row, have: has.reduce((sum, one) => sum + one, 0) }
    return has
  })
}

/** Opens pieces in order; undefined is missing. */
export async function* piecesOf(
  { row, seal }: Pick<HeldTransfer, 'row' | 'seal'>,
  file: Blob | undefined,
  first = 0,
): AsyncGenerator<{ from: number; chunks: (Bytes | undefined)[] }> {
  const count = chunksOf(row.content.sizeBytes)
  for (let from = first; from < count; from += AT_ONCE) {
    const run = await file?.slice(from * PLACE_BYTES, (from + AT_ONCE) * PLACE_BYTES).arrayBuffer()
    const sealed = new Uint8Array(run ?? new ArrayBuffer())
    const opened = await openRun(seal, from, sealed)
    release(sealed)
    yield { from, chunks: Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => opened[at]) }
  }
}

export function inTurn<T>(held: HeldTransfer, work: () => Promise<T>): Promise<T> {
  const done = held.turn.then(work)
  held.turn = done.catch(() => undefined)
  return done
}

export async function requireReceiving(live: Live, name: TransferName): Promise<HeldTransfer> {
  const held = await requireTransfer(live, name)
  if (held.row.isMine) throw fileAbsent()
  return held
}
