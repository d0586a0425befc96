import type { Live } from '../keys/live.ts'
import { listFiles, readFile, WAITING } from '../vault/disk.ts'
import { isRoomLocked } from '../vault/roomlocks.ts'
import { dropStrays } from '../vault/strays.ts'
import { receivedFile, type TransferName, waitingFile } from '../vault/waitingFiles.ts'
import { dropTransfers } from './dropping.ts'
import { heldTransfer, unkeptTransfers } from './heldTransfers.ts'
import { isStale, keptRow, keptRows, nameOf } from './keptTransfers.ts'
import { shownRow, type TransferRow } from './transferRow.ts'

/** Returns those of open rooms. Old ones go. */
export async function transferRows(live: Live): Promise<TransferRow[]> {
  await dropStrays(live)
  const rows = await keptRows(live)
  const unkept = unkeptTransfers(live)
  const isWaiting = rows.some(({ stage }) => stage !== 'done')
  const waiting = isWaiting ? (await listFiles(live.userId, WAITING)).get(WAITING) : undefined
  const gone = rows.filter((row) => row.stage !== 'done' && !waiting?.has(waitingFile(nameOf(row))))
  const stale = [...rows, ...unkept.map(({ row }) => row)].filter(isStale)
  const dropped = new Set([...gone, ...stale].map(({ content }) => content.transferId))
  await dropTransfers(live, [...gone, ...stale].map(nameOf))
  const open: TransferRow[] = []
  for (const held of unkept) if (await live.vault.isOpen(held.row.chatRoomId)) open.push(shownRow(held))
  const kept = rows.map((row) => shownRow({ row: heldTransfer(live, nameOf(row))?.row ?? row, isKept: true }))
  return [...kept, ...open].filter(({ content }) => !dropped.has(content.transferId))
}

/** Leaves what was received whole. */
export async function dropTransfer(live: Live, name: TransferName): Promise<void> {
  if (!(await isReceived(live, name))) await dropTransfers(live, [name])
}

async function isReceived(live: Live, name: TransferName): Promise<boolean> {
  try {
    return (heldTransfer(live, name)?.row ?? (await keptRow(live, name)))?.stage === 'done'
  } catch (error) {
    if (!isRoomLocked(error)) throw error
    return (await readFile(live.userId, name.chatRoomId, receivedFile(name))) !== undefined
  }
}
