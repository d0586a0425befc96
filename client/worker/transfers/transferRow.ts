import type { TransferContent } from '../../../contract/chat/content.ts'
import { TRANSFER_LIMITS } from '../../../contract/chat/transferlimits.ts'
import type { Live } from '../keys/live.ts'
import { CryptoFailure } from '../primitives/failure.ts'
import { roomLocked } from '../vault/roomlocks.ts'
import { type HeldTransfer, unkeptTransfers } from './heldTransfers.ts'
import { type KeptRow, keptRows } from './keptTransfers.ts'

export interface TransferRow {
  content: TransferContent
  chatRoomId: string
  isMine: boolean
  /** False: it ends with the tab. */
  isKept: boolean
  /** `offered`: the sender's file waits. `receiving`: pieces are here. `done`: the whole file is here. */
  stage: 'offered' | 'receiving' | 'done'
  /** Chunks that are here. */
  have: number
  /** ISO 8601. */
  at: string
}

export const shownRow = ({ row, isKept }: Pick<HeldTransfer, 'row' | 'isKept'>): TransferRow => {
  const { content, chatRoomId, isMine, stage, have, at } = row
  return { content, chatRoomId, isMine, isKept, stage, have, at }
}

/** Throws 'quota', 'room_locked'. */
export async function requireRoomForOne(
  live: Live,
  { chatRoomId, isMine }: Pick<KeptRow, 'chatRoomId' | 'isMine'>,
): Promise<void> {
  if (!(await live.vault.isOpen(chatRoomId))) throw roomLocked(chatRoomId)
  const rows = [...(await keptRows(live)), ...unkeptTransfers(live).map(({ row }) => row)]
  const waiting = rows.filter((row) => row.isMine === isMine && row.stage !== 'done')
  if (waiting.length >= TRANSFER_LIMITS.liveMax)
    throw new CryptoFailure('quota', `${TRANSFER_LIMITS.liveMax} files wait in this browser. Let one end first`)
}
